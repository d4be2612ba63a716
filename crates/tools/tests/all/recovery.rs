//! Every row of the recovery table.

use crate::desk::{ACTION, ATTEMPT, Desk, desk, finished, lives, unknown, until, within};
use contract::body::{CancelReason, UnknownReason};
use contract::id::{BootId, MachineId};
use contract::port::{Here, RawOutcome, Recovery, ToolJob, Tools};

const NEVER_STARTED: RawOutcome = RawOutcome::Cancelled(CancelReason::NeverStarted);

async fn adopt(desk: &Desk, job: &ToolJob) -> contract::port::BoxFuture<'static, RawOutcome> {
    match desk.recover(job).await {
        Recovery::Running(running) => running,
        Recovery::Ended(outcome) => panic!("it ended: {outcome:?}"),
    }
}

#[tokio::test]
async fn recovery_before_the_claim_keeps_the_command_from_running_ever() {
    let desk = desk();
    let job = desk.job("echo > effect");
    assert_eq!(desk.recover_ended(&job).await, NEVER_STARTED);
    assert_eq!(within(desk.tools.start(job.clone())).await, NEVER_STARTED);
    assert_eq!(desk.recover_ended(&job).await, NEVER_STARTED, "asked again, the answer is the same");
    assert!(!desk.folder.join("effect").exists());
}

#[tokio::test]
async fn a_race_of_start_and_recovery_has_one_winner() {
    for round in 0..40 {
        let desk = desk();
        let job = desk.job("echo > effect; echo ran");
        let started = desk.start(job.clone());
        // A different moment each time, up to well after the claim.
        for _ in 0..round * 4 {
            tokio::task::yield_now().await;
        }
        let recovered = match desk.recover(&job).await {
            Recovery::Ended(outcome) => outcome,
            Recovery::Running(running) => within(running).await,
        };
        assert_eq!(within(started).await.unwrap(), recovered, "both sides say the same");
        let ran = desk.folder.join("effect").exists();
        assert_eq!(recovered, if ran { finished(0, "ran\n") } else { NEVER_STARTED });
    }
}

#[tokio::test]
async fn an_attempt_started_twice_runs_once() {
    let desk = desk();
    let gate = desk.make_gate();
    let job = desk.job("echo ran; echo > ready; read x < gate; exit 7");
    let first = desk.start(job.clone());
    desk.until_file("ready").await;
    let second = desk.start(job);
    desk.open_gate(&gate).await;
    assert_eq!(within(first).await.unwrap(), finished(7, "ran\n"));
    assert_eq!(within(second).await.unwrap(), finished(7, "ran\n"));
}

#[tokio::test]
async fn an_exit_record_is_exact_however_often_it_is_read() {
    let desk = desk();
    let job = desk.job("echo out; exit 7");
    assert_eq!(within(desk.tools.start(job.clone())).await, finished(7, "out\n"));
    assert_eq!(desk.recover_ended(&job).await, finished(7, "out\n"));
    assert_eq!(desk.recover_ended(&job).await, finished(7, "out\n"));
}

#[tokio::test]
async fn an_exit_record_that_is_not_whole_counts_as_none() {
    let desk = desk();
    let job = desk.job("echo out");
    desk.run("echo out").await;
    let record = desk.exit_record();
    for broken in ["", "{\"code\":0\n", "null\n", record.as_str()] {
        desk.change_exit_record(broken);
        assert_eq!(desk.recover_ended(&job).await, unknown(UnknownReason::Died, "out\n"));
    }
}

#[tokio::test]
async fn a_running_command_is_adopted_and_its_exit_is_exact() {
    let desk = desk();
    let gate = desk.make_gate();
    let job = desk.start_and_leave("echo before; echo > ready; read x < gate; echo after; exit 7").await;
    let (first, second) = (adopt(&desk, &job).await, adopt(&desk, &job).await);
    // One adopter leaves again; the command does not notice.
    drop(first);
    desk.open_gate(&gate).await;
    assert_eq!(within(second).await, finished(7, "before\nafter\n"));
    assert!(desk.frames.text().ends_with("before\nafter\n"), "an adopter shows the text so far");
}

#[tokio::test]
async fn what_is_claimed_is_recovered_also_where_nothing_new_can_be_made() {
    let desk = desk();
    let gate = desk.make_gate();
    let job = desk.start_and_leave("echo > ready; read x < gate; exit 7").await;
    // Where drafts are made is a file now, as good as a full disk.
    std::fs::remove_dir_all(desk.spool.join("drafts")).unwrap();
    std::fs::write(desk.spool.join("drafts"), "").unwrap();
    let running = adopt(&desk, &job).await;
    desk.tools.forget(ACTION, ATTEMPT).await;
    assert!(desk.attempt().path().exists(), "the folder of a command that runs is the only way to it");
    desk.open_gate(&gate).await;
    assert_eq!(within(running).await, finished(7, ""));
    assert_eq!(desk.recover_ended(&job).await, finished(7, ""));
}

#[tokio::test]
async fn a_command_without_control_socket_is_adopted_by_its_lock() {
    let desk = desk();
    let gate = desk.make_gate();
    let job = desk.start_and_leave("echo > ready; read x < gate; exit 7").await;
    std::fs::remove_file(desk.in_spool("control")).unwrap();
    let running = adopt(&desk, &job).await;
    desk.open_gate(&gate).await;
    assert_eq!(within(running).await, finished(7, ""));
}

#[tokio::test]
async fn a_dead_supervisor_is_unknown_to_its_starter_and_nothing_is_left() {
    let desk = desk();
    let started = desk.start(desk.job("echo so far; sleep 1000 & echo $! > child; echo $$ > main; sleep 1000"));
    let pids = [desk.until_pid("child").await, desk.until_pid("main").await];
    until("the output is spooled", || (desk.output() == "so far\n").then_some(())).await;
    desk.kill_supervisor();
    assert_eq!(within(started).await.unwrap(), unknown(UnknownReason::Died, "so far\n"));
    assert!(!pids.into_iter().any(lives));
}

#[tokio::test]
async fn a_dead_supervisor_is_unknown_to_recovery_and_nothing_is_left() {
    let desk = desk();
    // Job control puts the child into a group of its own, inside the same session.
    let command = "set -m; echo so far; sh -c 'trap \"\" TERM; echo $$ > child; sleep 1000; sleep 1000' & echo $$ > main; until [ -s child ]; do :; done; echo > ready; wait";
    let job = desk.start_and_leave(command).await;
    let pids = [desk.until_pid("child").await, desk.until_pid("main").await];
    until("the output is spooled", || (desk.output() == "so far\n").then_some(())).await;
    let supervisor = desk.supervisor_pid();
    desk.kill_supervisor();
    until("the supervisor is dead", || (!lives(supervisor)).then_some(())).await;
    assert_eq!(desk.recover_ended(&job).await, unknown(UnknownReason::Died, "so far\n"));
    assert!(!pids.into_iter().any(lives));
    assert_eq!(desk.recover_ended(&job).await, unknown(UnknownReason::Died, "so far\n"));
}

#[tokio::test]
async fn a_command_dies_with_its_supervisor_also_when_nobody_recovers_it() {
    let desk = desk();
    desk.start_and_leave("echo $$ > main; echo > ready; while :; do :; done").await;
    let main = desk.until_pid("main").await;
    desk.kill_supervisor();
    until("the command is dead", || (!lives(main)).then_some(())).await;
}

#[tokio::test]
async fn an_adopter_learns_that_the_supervisor_died() {
    let desk = desk();
    let job = desk.start_and_leave("echo $$ > main; echo > ready; sleep 1000").await;
    let running = adopt(&desk, &job).await;
    desk.kill_supervisor();
    assert_eq!(within(running).await, unknown(UnknownReason::Died, ""));
    assert!(!lives(desk.until_pid("main").await));
}

#[tokio::test]
async fn after_another_boot_only_an_exit_record_counts() {
    let desk = desk();
    let job = desk.job("echo out; exit 7");
    assert_eq!(within(desk.tools.start(job.clone())).await, finished(7, "out\n"));
    let earlier = ToolJob { boot: BootId("an earlier boot".into()), ..job.clone() };
    assert_eq!(desk.recover_ended(&earlier).await, finished(7, "out\n"));
    desk.change_exit_record("");
    assert_eq!(desk.recover_ended(&earlier).await, unknown(UnknownReason::OtherBoot, "out\n"));
    // The same when only the claim tells.
    let claim = std::fs::read_to_string(desk.in_spool("claim")).unwrap();
    std::fs::write(desk.in_spool("claim"), claim.replace("this boot", "an earlier boot")).unwrap();
    assert_eq!(desk.recover_ended(&job).await, unknown(UnknownReason::OtherBoot, "out\n"));
}

#[tokio::test]
async fn after_another_boot_a_missing_claim_proves_nothing() {
    let desk = desk();
    let earlier = ToolJob { boot: BootId("an earlier boot".into()), ..desk.job("true") };
    assert_eq!(desk.recover_ended(&earlier).await, unknown(UnknownReason::OtherBoot, ""));
}

#[tokio::test]
async fn another_machine_is_given_time_and_then_unknown() {
    let desk = desk();
    let gate = desk.make_gate();
    let job = desk.start_and_leave("echo > ready; read x < gate; exit 7").await;
    let elsewhere = Here { machine: MachineId([2; 16]), ..desk.here() };
    let outcome = match within(desk.tools.recover(job.clone(), &elsewhere)).await {
        Recovery::Ended(outcome) => outcome,
        Recovery::Running(_) => panic!("it is not ours"),
    };
    assert_eq!(outcome, unknown(UnknownReason::OtherMachine, ""));
    // Its own machine still has it.
    let running = adopt(&desk, &job).await;
    desk.open_gate(&gate).await;
    assert_eq!(within(running).await, finished(7, ""));
}

#[tokio::test]
async fn a_tool_of_another_version_is_lost_and_a_pure_one_runs_again() {
    let desk = desk();
    let gone = ToolJob { tool: "gone".into(), ..desk.job("") };
    assert!(matches!(desk.recover_ended(&gone).await, RawOutcome::Unknown { reason: UnknownReason::Lost, .. }));
    let pure = ToolJob { tool: "read_file".into(), machine: MachineId([9; 16]), ..desk.job("") };
    assert_eq!(desk.recover_ended(&pure).await, unknown(UnknownReason::Died, ""));
}
