//! `kill -9` at every event of a job of five commands, and again while it is resumed: no line is lost or doubled.

use crate::desk::{Desk, desk};
use crate::events::Events;
use crate::process;
use crate::script::say;
use serde_json::json;
use testkit::dice::Dice;

/// More than the job has events, so the last moments are those after its end.
const MOMENTS: usize = 40;
const STEPS: usize = 5;

/// Kills the job at the given event, then each resume at a random one, until one of them comes to its end.
fn finished_despite_kills(moment: usize, and_supervisors: bool) -> (Desk, Events) {
    let desk = desk();
    let step = json!({ "tool": "shell", "args": { "command": "sleep 0.01; echo line {i} >> effect" } });
    desk.script(&[json!({ "calls": [step], "repeat": STEPS }), say("all done")]);
    let start = desk.run_args(&["--json"]);
    // The first line only opens the stream.
    let mut ended = desk.killed_at_line(&start, 1 + moment);
    let mut dice = Dice::new(moment as u64, 0);
    loop {
        if and_supervisors {
            process::kill_all(&desk.root);
        }
        match ended {
            Some(status) => break assert_eq!(status.code(), Some(0), "moment {moment}"),
            None => ended = desk.killed_at_line(&["resume", "--last", "--json"], dice.below(16) as usize + 1),
        }
    }
    let told = desk.thru(&["resume", "--last", "--json"]);
    let session = Events::parse(&told.stdout).values[0]["session"].as_str().unwrap().to_owned();
    let events = desk.events(&session);
    events.assert_completed();
    desk.assert_verified();
    assert_eq!(desk.living(), [], "moment {moment}: no process is left behind");
    (desk, events)
}

/// A supervisor outlives its owner, so every outcome is known and every line is there once, in order.
fn killed_at_every(moments: impl Iterator<Item = usize>) {
    for moment in moments {
        let (desk, events) = finished_despite_kills(moment, false);
        let all: String = (1..=STEPS).map(|step| format!("line {step}\n")).collect();
        assert_eq!(desk.read("effect"), all, "moment {moment}: {:?}", events.names());
        assert_eq!((events.count("tool.finished"), events.count("tool.unknown")), (STEPS, 0), "moment {moment}");
    }
}

/// With the supervisors dead too, a line may be missing, but then the log says that nobody knows.
fn killed_with_supervisors_at_every(moments: impl Iterator<Item = usize>) {
    for moment in moments {
        let (desk, events) = finished_despite_kills(moment, true);
        let effect = desk.read("effect");
        let lines: Vec<&str> = effect.lines().collect();
        assert!(lines.is_sorted_by(|one, next| one < next), "moment {moment}: doubled or out of order: {lines:?}");
        let (known, unknown) = (events.count("tool.finished"), events.count("tool.unknown"));
        assert_eq!(known + unknown, STEPS, "moment {moment}: each step ended once: {:?}", events.names());
        // A command that was killed before its supervisor is known to have failed.
        let done = events.of("tool.finished").into_iter().filter(|finished| finished["ok"] == true).count();
        assert!((done..=STEPS).contains(&lines.len()), "moment {moment}: {done} done, {unknown} unknown, {lines:?}");
        assert_eq!(events.count("tool.reconciled"), unknown, "moment {moment}: the model was told of each");
    }
}

// Shares of the same moments, so that they run beside each other.

#[test]
fn killed_at_every_second_event_no_line_is_lost_or_doubled() {
    killed_at_every((1..=MOMENTS).step_by(2));
}

#[test]
fn killed_at_every_other_event_no_line_is_lost_or_doubled() {
    killed_at_every((2..=MOMENTS).step_by(2));
}

#[test]
fn killed_with_supervisors_at_every_second_event_no_line_is_doubled() {
    killed_with_supervisors_at_every((1..=MOMENTS).step_by(2));
}

#[test]
fn killed_with_supervisors_at_every_other_event_no_line_is_doubled() {
    killed_with_supervisors_at_every((2..=MOMENTS).step_by(2));
}
