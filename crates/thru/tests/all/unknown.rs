//! Commands that nobody saw end, and commands that never began: the first are never run again, the second run once.

use crate::desk::{Desk, desk};
use crate::rewind::rewind;
use crate::script::{held_back, say, shell};
use serde_json::json;

/// Plays one held back command and gives the session once that command has begun.
fn begun(desk: &Desk, command: &str) -> (crate::desk::Spawned, String) {
    let (run, session) = desk.driven(&[shell(command), say("I was told that nobody knows.")], &[]);
    desk.until_spooled("began\n");
    (run, session)
}

/// The outcome is honestly unknown, the command ran once, and the model heard of it.
#[track_caller]
fn assert_unknown(desk: &Desk, session: &str) {
    let events = desk.events(session);
    events.assert_completed();
    let unknown = events.one("tool.unknown");
    assert_eq!((&unknown["reason"], &unknown["output"]["inline"]), (&json!("died"), &json!("began\n")));
    events.one("tool.reconciled");
    assert_eq!((events.count("tool.started"), events.count("tool.finished")), (1, 0), "not run again");
    assert_eq!(events.names().iter().rposition(|name| *name == "model.requested").unwrap(), events.place("tool.reconciled") + 1);
    assert_eq!(desk.read("effect"), "began\n");
    assert_eq!((desk.living(), desk.spooled()), (vec![], vec![]), "nothing is left behind");
    desk.assert_verified();
}

#[test]
fn with_the_supervisor_killed_too_the_outcome_is_unknown_with_the_output_so_far() {
    let desk = desk();
    let (run, session) = begun(&desk, &held_back(7));
    run.kill();
    desk.kill_supervisors();
    let said = desk.thru(&["resume", "--last"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "I was told that nobody knows.\n"), "{}", said.stderr);
    assert!(said.stderr.contains("unknown") && said.stderr.contains("began"), "{}", said.stderr);
    assert_unknown(&desk, &session);
}

/// The supervisor's death ends the command itself; what that started in the background is for recovery to end.
#[test]
fn what_a_dead_command_left_in_the_background_is_ended() {
    let desk = desk();
    let (run, session) = begun(&desk, &format!("sleep 1000 & {}", held_back(7)));
    run.kill();
    desk.kill_supervisors();
    assert_eq!(desk.thru(&["resume", &session]).code, Some(0));
    assert_unknown(&desk, &session);
}

#[test]
fn a_supervisor_that_dies_under_a_living_program_is_unknown_at_once() {
    let desk = desk();
    let (run, session) = begun(&desk, &held_back(7));
    desk.kill_supervisors();
    assert_eq!(run.wait().code, Some(0));
    assert_unknown(&desk, &session);
}

/// The log says that the command was started, but no supervisor ever claimed it: killed before the command began.
#[test]
fn a_command_that_was_started_in_the_log_but_never_claimed_runs_once() {
    let desk = desk();
    desk.go();
    desk.script(&[shell(&held_back(7)), say("told")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    rewind(&desk, &session, desk.events(&session).place("tool.started") + 1);
    std::fs::remove_file(desk.path("effect")).unwrap();

    let said = desk.thru(&["resume", &session]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "told\n"), "{}", said.stderr);
    let events = desk.events(&session);
    events.assert_completed();
    let cancelled = events.one("tool.cancelled");
    assert_eq!((&cancelled["reason"], &cancelled["attempt"]), (&json!("never_started"), &json!(1)));
    let started: Vec<_> = events.of("tool.started").iter().map(|started| started["attempt"].as_u64()).collect();
    assert_eq!(started, [Some(1), Some(2)]);
    let finished = events.one("tool.finished");
    assert_eq!((&finished["exit"], &finished["attempt"]), (&json!(7), &json!(2)));
    assert_eq!(desk.read("effect"), "began\nended\n", "it ran once");
    assert_eq!(desk.spooled(), Vec::<String>::new());
    desk.assert_verified();
}

/// Decided and not yet started: nothing stands in the log that would need recovery.
#[test]
fn a_command_that_was_only_decided_runs_once() {
    let desk = desk();
    desk.go();
    desk.script(&[shell(&held_back(7)), say("told")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    rewind(&desk, &session, desk.events(&session).place("action.decided") + 1);
    std::fs::remove_file(desk.path("effect")).unwrap();
    assert_eq!(desk.thru(&["resume", &session]).code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("tool.started"), events.count("tool.cancelled")), (1, 0));
    assert_eq!(desk.read("effect"), "began\nended\n");
}
