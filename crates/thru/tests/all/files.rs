//! Tools that change files, cut off between the start and the outcome: the file itself is asked what happened.

use crate::desk::{Desk, desk};
use crate::events::Events;
use crate::rewind::rewind;
use crate::script::{call, say};
use contract::id::Sha256;
use serde_json::{Value, json};
use std::fs;

const BEFORE: &str = "one two\n";
const AFTER: &str = "one three\n";

/// Plays a call that reads `note.txt` and one that changes it, then takes the log back to the moment when the call had started.
/// `target` is what the tool records right before it touches the file; without it the file was not touched.
fn cut_off(change: Value, target: bool, found: &str) -> (Desk, String) {
    let desk = desk();
    fs::write(desk.path("note.txt"), BEFORE).unwrap();
    desk.script(&[call("read_file", json!({ "path": "note.txt" })), change, say("told")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    assert_eq!(desk.read("note.txt"), AFTER);
    let events = desk.events(&session);
    let action = events.of("tool.started")[1]["action"].as_str().unwrap();
    if target {
        let spool = desk.home.join("spool").join(format!("{action}-1"));
        fs::create_dir_all(&spool).unwrap();
        let record = json!({ "sha256": Sha256::of(AFTER.as_bytes()).to_string(), "text": "as recorded" });
        fs::write(spool.join("target"), record.to_string()).unwrap();
    }
    let started = events.names().iter().rposition(|name| *name == "tool.started").unwrap();
    rewind(&desk, &session, started + 1);
    fs::write(desk.path("note.txt"), found).unwrap();
    (desk, session)
}

fn changes() -> [Value; 2] {
    [
        call("write_file", json!({ "path": "note.txt", "content": AFTER })),
        call("edit_file", json!({ "path": "note.txt", "old": "two", "new": "three" })),
    ]
}

/// How the change ended, after the reading before it.
#[track_caller]
fn changed(events: &Events) -> &Value {
    let finished = events.of("tool.finished");
    assert_eq!(finished.len(), 2);
    finished[1]
}

/// What a session has seen of a file holds across a crash: it is in the log, and not in the memory of a process.
#[test]
fn a_file_that_changed_since_it_was_read_is_left_alone_after_a_crash_too() {
    for change in changes() {
        let desk = desk();
        fs::write(desk.path("note.txt"), BEFORE).unwrap();
        let again = [call("read_file", json!({ "path": "note.txt" })), change.clone()];
        desk.script(&[again[0].clone(), change.clone(), again[0].clone(), change.clone(), say("told")]);
        let run = desk.spawn_run(&[]);
        let session = run.session();
        assert_eq!(run.wait().code, Some(0));
        let events = desk.events(&session);
        // Back to where the model had read the file and not yet answered.
        rewind(&desk, &session, events.place("tool.finished") + 2);
        let mine = format!("{BEFORE}mine\n");
        fs::write(desk.path("note.txt"), &mine).unwrap();
        let events = resumed(&desk, &session);
        let withdrawn = events.one("action.withdrawn");
        assert_eq!(withdrawn["reason"], "invalid", "{change}");
        assert!(withdrawn["note"]["inline"].as_str().unwrap().contains("has changed since you last read"), "{withdrawn}");
        assert_eq!(events.of("tool.finished").len(), 3, "read, read again, and then changed");
        assert_ne!(desk.read("note.txt"), mine, "{change}: what was read again may be changed");
    }
}

#[test]
fn a_file_that_was_never_read_is_not_replaced() {
    let desk = desk();
    fs::write(desk.path("note.txt"), BEFORE).unwrap();
    desk.script(&[changes()[0].clone(), say("told")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let note = desk.events(&session).one("action.withdrawn")["note"]["inline"].clone();
    assert!(note.as_str().unwrap().contains("you have not read it"), "{note}");
    assert_eq!(desk.read("note.txt"), BEFORE);
}

fn resumed(desk: &Desk, session: &str) -> Events {
    let said = desk.thru(&["resume", session]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "told\n"), "{}", said.stderr);
    let events = desk.events(session);
    events.assert_completed();
    assert_eq!(desk.spooled(), Vec::<String>::new());
    desk.assert_verified();
    events
}

#[test]
fn a_file_that_was_not_touched_is_changed_once_by_a_new_attempt() {
    for (change, target) in changes().into_iter().flat_map(|change| [(change.clone(), false), (change, true)]) {
        let (desk, session) = cut_off(change.clone(), target, BEFORE);
        let events = resumed(&desk, &session);
        assert_eq!(events.one("tool.cancelled")["reason"], "no_effect", "{change}");
        let finished = changed(&events);
        assert_eq!((&finished["attempt"], &finished["ok"]), (&json!(2), &json!(true)), "{change}");
        assert_eq!(desk.read("note.txt"), AFTER, "{change}");
    }
}

#[test]
fn a_file_that_is_as_intended_was_changed_and_is_left_alone() {
    use std::os::unix::fs::MetadataExt;
    for change in changes() {
        let (desk, session) = cut_off(change.clone(), true, AFTER);
        let place = || fs::metadata(desk.path("note.txt")).unwrap().ino();
        let before = place();
        let events = resumed(&desk, &session);
        let finished = changed(&events);
        assert_eq!((&finished["attempt"], &finished["ok"]), (&json!(1), &json!(true)), "{change}");
        assert_eq!((finished["output"]["inline"].as_str(), events.count("tool.started")), (Some("as recorded"), 2), "{change}");
        assert_eq!(place(), before, "{change}: the same file, not written again");
    }
}

#[test]
fn a_file_that_somebody_else_changed_is_unknown_and_left_alone() {
    for change in changes() {
        let (desk, session) = cut_off(change.clone(), true, "mine\n");
        let events = resumed(&desk, &session);
        assert_eq!(events.one("tool.unknown")["reason"], "changed", "{change}");
        events.one("tool.reconciled");
        assert_eq!((events.count("tool.started"), events.count("tool.finished")), (2, 1), "{change}: only the reading ended well");
        assert_eq!(desk.read("note.txt"), "mine\n", "{change}");
    }
}
