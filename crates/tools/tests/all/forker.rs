//! Supervisors, which serve one command after another, and the process that they are forked from: one for all of them,
//! started again when it died. Both are gone with their owner.

use crate::desk::{ACTION, ATTEMPT, Desk, desk, finished, lives, until};
use contract::port::{RawOutcome, Tools};
use rustix::process::{Pid, Signal, kill_process};
use tools::supervise::survey::abandoned_drafts;

/// The parent of the supervisor of an attempt that runs.
fn forker(desk: &Desk) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", desk.supervisor_pid())).unwrap();
    stat.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Runs a command that waits at the gate, and gives its supervisor and the parent of that.
async fn supervisor_of_a_command(desk: &Desk) -> (i32, i32) {
    let gate = desk.make_gate();
    let running = desk.start(desk.job("echo > ready; read x < gate; echo $x"));
    desk.until_file("ready").await;
    let found = (desk.supervisor_pid(), forker(desk));
    desk.open_gate(&gate).await;
    assert_eq!(running.await.unwrap(), finished(0, "go\n"));
    desk.tools.forget(ACTION, ATTEMPT).await;
    std::fs::remove_file(gate).unwrap();
    std::fs::remove_file(desk.folder.join("ready")).unwrap();
    found
}

async fn kill(pid: i32) {
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    until("it is dead", || (!lives(pid)).then_some(())).await;
}

#[tokio::test]
async fn a_supervisor_serves_one_command_after_another() {
    let desk = desk();
    let first = supervisor_of_a_command(&desk).await;
    assert_eq!(supervisor_of_a_command(&desk).await, first);
}

#[tokio::test]
async fn one_that_died_without_a_command_is_replaced_from_the_same_process() {
    let desk = desk();
    let (supervisor, forker) = supervisor_of_a_command(&desk).await;
    assert_ne!(forker, i32::try_from(std::process::id()).unwrap());
    kill(supervisor).await;
    let (other, same) = supervisor_of_a_command(&desk).await;
    assert_ne!(other, supervisor);
    assert_eq!(same, forker);
}

#[tokio::test]
async fn a_forker_that_died_is_started_again() {
    let desk = desk();
    let (supervisor, forker) = supervisor_of_a_command(&desk).await;
    kill(forker).await;
    kill(supervisor).await;
    assert_ne!(supervisor_of_a_command(&desk).await.1, forker);
}

#[tokio::test]
async fn whoever_waits_for_work_goes_with_its_owner_and_leaves_nothing() {
    let desk = desk();
    let (supervisor, forker) = supervisor_of_a_command(&desk).await;
    let desk = desk.hand_over();
    until("both are gone", || (!lives(supervisor) && !lives(forker)).then_some(())).await;
    assert_eq!(std::fs::read_dir(desk.spool.join("drafts")).unwrap().count(), 0);
}

#[tokio::test]
async fn what_one_that_was_killed_kept_ready_is_found_by_whoever_looks_after_the_spool() {
    let desk = desk();
    let (supervisor, _) = supervisor_of_a_command(&desk).await;
    let drafts = || std::fs::read_dir(desk.spool.join("drafts")).unwrap().count();
    until("the next attempt is prepared", || (drafts() == 1).then_some(())).await;
    assert_eq!(abandoned_drafts(&desk.spool), []);
    kill(supervisor).await;
    let found = until("its lock is free", || Some(abandoned_drafts(&desk.spool)).filter(|found| !found.is_empty())).await;
    assert!(found.iter().all(|draft| draft.remove().is_ok()));
    assert_eq!(drafts(), 0);
}

#[tokio::test]
async fn nothing_of_a_command_reaches_the_next_one() {
    let desk = desk();
    assert_eq!(desk.run("export x=1; cd /; umask 0; exec 7>/dev/null; sleep 1000 & echo before").await, finished(0, "before\n"));
    desk.tools.forget(ACTION, ATTEMPT).await;
    assert_eq!(desk.run("pwd; echo ${x-unset}; jobs").await, finished(0, &format!("{}\nunset\n", desk.folder.display())));
}

#[tokio::test]
async fn a_command_goes_on_without_it_and_it_goes_with_its_owner() {
    let desk = desk();
    let gate = desk.make_gate();
    let job = desk.start_and_leave("echo > ready; read x < gate; echo $x").await;
    let (forker, supervisor) = (forker(&desk), desk.supervisor_pid());
    // Another owner on the same folders.
    let desk = desk.hand_over();
    until("it is gone", || (!lives(forker)).then_some(())).await;
    assert!(lives(supervisor));
    let contract::port::Recovery::Running(running) = desk.recover(&job).await else { panic!("it runs") };
    desk.open_gate(&gate).await;
    assert_eq!(running.await, finished(0, "go\n"));
}

#[tokio::test]
async fn a_command_that_ends_at_once_is_seen_to_end_as_often_as_it_is_run() {
    let desk = desk();
    for number in 0..50 {
        let expected: RawOutcome = finished(0, &format!("{number}\n"));
        assert_eq!(desk.run(&format!("echo {number}")).await, expected);
        desk.tools.forget(ACTION, ATTEMPT).await;
    }
}
