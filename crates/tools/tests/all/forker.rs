//! The process that supervisors are forked from: one for all of them, started again when it died, gone with its owner.

use crate::desk::{ACTION, ATTEMPT, Desk, desk, finished, lives, until};
use contract::port::{RawOutcome, Tools};
use rustix::process::{Pid, Signal, kill_process};

/// The parent of the supervisor of an attempt that runs.
fn forker(desk: &Desk) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", desk.supervisor_pid())).unwrap();
    stat.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Runs a command that waits at the gate, and gives the parent of its supervisor.
async fn forker_of_a_command(desk: &Desk) -> i32 {
    let gate = desk.make_gate();
    let running = desk.start(desk.job("echo > ready; read x < gate; echo $x"));
    desk.until_file("ready").await;
    let forker = forker(desk);
    desk.open_gate(&gate).await;
    assert_eq!(running.await.unwrap(), finished(0, "go\n"));
    desk.tools.forget(ACTION, ATTEMPT).await;
    std::fs::remove_file(gate).unwrap();
    std::fs::remove_file(desk.folder.join("ready")).unwrap();
    forker
}

#[tokio::test]
async fn all_supervisors_of_an_owner_come_from_one_process() {
    let desk = desk();
    let first = forker_of_a_command(&desk).await;
    assert_ne!(first, i32::try_from(std::process::id()).unwrap());
    assert_eq!(forker_of_a_command(&desk).await, first);
}

#[tokio::test]
async fn one_that_died_is_started_again() {
    let desk = desk();
    let first = forker_of_a_command(&desk).await;
    kill_process(Pid::from_raw(first).unwrap(), Signal::KILL).unwrap();
    until("it is dead", || (!lives(first)).then_some(())).await;
    assert_ne!(forker_of_a_command(&desk).await, first);
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
