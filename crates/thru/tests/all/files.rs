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

/// Plays a call that changes `note.txt`, then takes the log back to the moment when the call had started.
/// `target` is what the tool records right before it touches the file; without it the file was not touched.
fn cut_off(change: Value, target: bool, found: &str) -> (Desk, String) {
    let desk = desk();
    fs::write(desk.path("note.txt"), BEFORE).unwrap();
    desk.script(&[change, say("told")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    assert_eq!(desk.read("note.txt"), AFTER);
    let events = desk.events(&session);
    let action = events.one("tool.started")["action"].as_str().unwrap();
    if target {
        let spool = desk.home.join("spool").join(format!("{action}-1"));
        fs::create_dir_all(&spool).unwrap();
        let record = json!({ "sha256": Sha256::of(AFTER.as_bytes()).to_string(), "text": "as recorded" });
        fs::write(spool.join("target"), record.to_string()).unwrap();
    }
    rewind(&desk, &session, events.place("tool.started") + 1);
    fs::write(desk.path("note.txt"), found).unwrap();
    (desk, session)
}

fn changes() -> [Value; 2] {
    [
        call("write_file", json!({ "path": "note.txt", "content": AFTER })),
        call("edit_file", json!({ "path": "note.txt", "old": "two", "new": "three" })),
    ]
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
        let finished = events.one("tool.finished");
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
        let finished = events.one("tool.finished");
        assert_eq!((&finished["attempt"], &finished["ok"]), (&json!(1), &json!(true)), "{change}");
        assert_eq!((finished["output"]["inline"].as_str(), events.count("tool.started")), (Some("as recorded"), 1), "{change}");
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
        assert_eq!((events.count("tool.started"), events.count("tool.finished")), (1, 0), "{change}");
        assert_eq!(desk.read("note.txt"), "mine\n", "{change}");
    }
}
