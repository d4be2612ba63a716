//! Stopping, signalling and feeding a command, also one that another owner started.

use crate::desk::{ACTION, ATTEMPT, Desk, SUPERVISOR, desk, finished, lives, unknown, within};
use contract::body::UnknownReason;
use contract::id::BootId;
use contract::port::{RawOutcome, Recovery, Stopping, Tools};
use std::time::Duration;
use tools::supervise::client::{self, Answer, Ended};
use tools::supervise::launch::Launcher;
use tools::supervise::{Command, Exit, Spec, Streams};

/// Starts a child that does nothing, and goes on once it does: between fork and exec a signal could get lost.
const SLEEPER: &str = "sleep 1000 & until read name < /proc/$!/comm && [ $name = sleep ]; do :; done";

async fn stop(desk: &Desk, grace: Duration) -> Stopping {
    within(desk.tools.stop(ACTION, ATTEMPT, grace)).await
}

async fn send(desk: &Desk, command: Command) -> Answer {
    within(client::send(&desk.attempt(), &command)).await.unwrap()
}

fn refused(reason: &str) -> Answer {
    Answer::Refused(reason.into())
}

/// A command that reads what it is sent.
fn reader(desk: &Desk, argv: &[&str]) -> Spec {
    Spec {
        argv: argv.iter().map(Into::into).collect(),
        env: std::env::vars_os().collect(),
        folder: desk.folder.clone().into(),
        spool: desk.attempt().path().into(),
        boot: BootId("this boot".into()),
        streams: Streams::Both,
        timeout_ms: None,
        grace_ms: 100,
        output_bytes_max: 1024,
        room: None,
    }
}

#[tokio::test]
async fn a_polite_end_is_enough_for_a_polite_command() {
    let desk = desk();
    let started = desk.start(desk.job(&format!("trap 'echo bye; exit 3' TERM; {SLEEPER}; echo > ready; wait")));
    desk.until_file("ready").await;
    assert_eq!(stop(&desk, Duration::from_secs(60)).await, Stopping::Told);
    assert_eq!(within(started).await.unwrap(), finished(3, "bye\n"));
}

#[tokio::test]
async fn a_child_that_is_made_while_the_others_are_asked_is_asked_too() {
    let desk = desk();
    // The command ends after the one below it, which leaves a child behind that it made when it was asked.
    let below = format!("trap '{SLEEPER}; exit' TERM; echo > ready; while :; do :; done");
    std::fs::write(desk.folder.join("below"), below).unwrap();
    let started = desk.start(desk.job("bash below & trap 'wait; exit 3' TERM; until [ -s ready ]; do :; done; echo > both; wait"));
    desk.until_file("both").await;
    // Far beyond the deadline of any wait here.
    assert_eq!(stop(&desk, Duration::from_secs(3_600)).await, Stopping::Told);
    assert_eq!(within(started).await.unwrap(), finished(3, ""));
}

#[tokio::test]
async fn a_stubborn_tree_is_ended_after_the_grace() {
    let desk = desk();
    // Each process ignores SIGTERM; one has a session of its own, one has also lost its parent, and one is stopped.
    std::fs::write(desk.folder.join("stubborn"), "trap '' TERM; echo $$ > $1; while :; do sleep 1000; done").unwrap();
    let started = desk.start(desk.job("trap '' TERM; bash stubborn one & setsid bash stubborn two & (setsid bash stubborn three &); bash stubborn four & bash stubborn five; true"));
    let mut pids = Vec::new();
    for name in ["one", "two", "three", "four", "five"] {
        pids.push(desk.until_pid(name).await);
    }
    let stopped = rustix::process::Pid::from_raw(pids[3]).unwrap();
    rustix::process::kill_process(stopped, rustix::process::Signal::STOP).unwrap();
    assert!(pids.iter().copied().all(lives));
    assert_eq!(stop(&desk, Duration::from_millis(50)).await, Stopping::Told);
    let outcome = within(started).await.unwrap();
    assert_eq!(outcome, RawOutcome::Finished { ok: false, output: String::new(), exit: None, signal: Some(9) });
    assert!(!pids.into_iter().any(lives));
}

#[tokio::test]
async fn a_tree_that_forks_while_it_dies_is_ended() {
    let desk = desk();
    let fork =
        "trap 'sh -c \"trap : TERM; sleep 1000; sleep 1000\" & sh -c \"sleep 1000\" &' TERM; echo > ready; while :; do sleep 1000; done";
    let started = desk.start(desk.job(fork));
    desk.until_file("ready").await;
    let supervisor = desk.supervisor_pid();
    assert_eq!(stop(&desk, Duration::from_millis(100)).await, Stopping::Told);
    let RawOutcome::Finished { ok: false, signal: Some(9), .. } = within(started).await.unwrap() else { panic!("it was killed") };
    let left = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let session = |stat: &str| stat.rsplit(')').next()?.split_whitespace().nth(3)?.parse::<i32>().ok();
    let below = |stat: &String| session(stat) == Some(supervisor) && !stat.contains("(supervise)");
    assert_eq!(left.filter(below).collect::<Vec<_>>(), Vec::<String>::new());
}

#[tokio::test]
async fn a_command_whose_supervisor_stands_still_is_ended_with_it_when_its_time_is_over() {
    let desk = desk();
    let started = desk.start(desk.job("echo $$ > main; sleep 1000"));
    let main = desk.until_pid("main").await;
    let supervisor = rustix::process::Pid::from_raw(desk.supervisor_pid()).unwrap();
    rustix::process::kill_process(supervisor, rustix::process::Signal::STOP).unwrap();
    assert_eq!(stop(&desk, Duration::from_millis(1)).await, Stopping::NotReached, "it has time left");
    assert!(lives(main));
    assert_eq!(stop(&desk, Duration::ZERO).await, Stopping::Told);
    assert_eq!(within(started).await.unwrap(), unknown(UnknownReason::Died, ""));
    assert!(!lives(main));
}

#[tokio::test]
async fn a_signal_reaches_the_command_after_adoption() {
    let desk = desk();
    let job = desk.start_and_leave("trap 'exit 5' USR1; echo > ready; while :; do sleep 1000 & wait; done").await;
    let Recovery::Running(running) = desk.recover(&job).await else { panic!("it runs") };
    assert_eq!(send(&desk, Command::Signal(999)).await, refused("there is no signal 999"));
    assert_eq!(send(&desk, Command::Signal(10)).await, Answer::Done);
    assert_eq!(within(running).await, finished(5, ""));
}

#[tokio::test]
async fn whoever_does_not_listen_is_not_reached() {
    let desk = desk();
    assert_eq!(stop(&desk, Duration::ZERO).await, Stopping::NotReached, "it was never started");
    desk.run("true").await;
    assert_eq!(stop(&desk, Duration::ZERO).await, Stopping::NotReached, "it has ended");
    desk.tools.forget(ACTION, ATTEMPT).await;
    assert_eq!(stop(&desk, Duration::ZERO).await, Stopping::NotReached, "it is forgotten");
}

#[tokio::test]
async fn a_command_that_takes_no_input_says_so() {
    let desk = desk();
    let gate = desk.make_gate();
    let started = desk.start(desk.job("echo > ready; read x < gate"));
    desk.until_file("ready").await;
    assert_eq!(send(&desk, Command::Input("x".into())).await, refused("the command takes no input"));
    desk.open_gate(&gate).await;
    assert_eq!(within(started).await.unwrap(), finished(0, ""));
}

#[tokio::test]
async fn a_command_that_closed_its_input_takes_no_more() {
    let desk = desk();
    let spec = reader(&desk, &["sh", "-c", "exec 0<&-; echo > ready; exec sleep 1000"]);
    let running = within(client::start(&Launcher::new(SUPERVISOR.into()), &desk.attempt(), &spec)).await.unwrap();
    desk.until_file("ready").await;
    assert_eq!(send(&desk, Command::Input("x".into())).await, refused("the command takes no input"));
    assert_eq!(stop(&desk, Duration::from_secs(60)).await, Stopping::Told);
    let exit = Exit { signal: Some(15), ..Exit::default() };
    assert_eq!(within(running.wait(|_, _| {})).await, Ended::Exited { exit, output: String::new() });
}

#[tokio::test]
async fn input_is_read_until_it_is_closed() {
    let desk = desk();
    let folder = desk.attempt();
    let running = within(client::start(&Launcher::new(SUPERVISOR.into()), &folder, &reader(&desk, &["sh", "-c", "echo > ready; cat"])))
        .await
        .unwrap();
    desk.until_file("ready").await;
    for piece in ["one ", "two\n"] {
        assert_eq!(send(&desk, Command::Input(piece.into())).await, Answer::Done);
    }
    assert_eq!(send(&desk, Command::CloseInput(true)).await, Answer::Done);
    let exit = Exit { code: Some(0), bytes: 8, ..Exit::default() };
    assert_eq!(within(running.wait(|_, _| {})).await, Ended::Exited { exit, output: "one two\n".into() });
}

#[tokio::test]
async fn input_that_nobody_reads_is_refused_when_it_is_too_much() {
    let desk = desk();
    let folder = desk.attempt();
    let spec = reader(&desk, &["sh", "-c", "echo > ready; sleep 1000"]);
    let running = within(client::start(&Launcher::new(SUPERVISOR.into()), &folder, &spec)).await.unwrap();
    desk.until_file("ready").await;
    let much = Command::Input("x".repeat(700 * 1024));
    assert_eq!(send(&desk, much.clone()).await, Answer::Done);
    assert_eq!(send(&desk, much).await, refused("the command has not read its earlier input"));
    assert_eq!(send(&desk, Command::Stop { grace_ms: 1_000 }).await, Answer::Done);
    let exit = Exit { signal: Some(15), ..Exit::default() };
    assert_eq!(within(running.wait(|_, _| {})).await, Ended::Exited { exit, output: String::new() });
}

#[tokio::test]
async fn what_is_not_a_command_is_refused_and_the_connection_goes_on() {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let desk = desk();
    let started = desk.start(desk.job("echo > ready; sleep 1000"));
    desk.until_file("ready").await;
    let stream = tokio::net::UnixStream::connect(desk.in_spool("control")).await.unwrap();
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    write.write_all(b"nonsense\n\n{\"stop\":{\"grace_ms\":5000}}\n").await.unwrap();
    assert!(within(lines.next_line()).await.unwrap().unwrap().starts_with("{\"refused\":"));
    assert_eq!(within(lines.next_line()).await.unwrap().unwrap(), "{\"done\":true}");
    within(started).await.unwrap();
    assert_eq!(within(lines.next_line()).await.unwrap(), None, "the connection ends with the command");
}
