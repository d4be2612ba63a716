//! Watching a session that another process drives, and taking part from there.

use crate::asking::ASK;
use crate::desk::{Desk, Spawned, desk};
use crate::script::{answers, held_back, say, shell};
use rustix::process::Signal;
use serde_json::json;

const HOW: &str = "anything else is said to the agent, which then decides anew";

fn attached(desk: &Desk, session: &str) -> crate::pty::Terminal {
    let terminal = desk.terminal(&["attach", session]);
    terminal.until("Ctrl-C leaves and stops nothing");
    terminal
}

/// A process that drives a command which is held back, and its session.
fn driven() -> (Desk, Spawned, String) {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), answers("plan", "heard"), say("told")], &[]);
    (desk, run, session)
}

#[test]
fn whoever_attaches_sees_what_happened_and_is_heard() {
    let (desk, run, session) = driven();
    let mut terminal = attached(&desk, &session);
    terminal.until("shell starts");
    terminal.type_line("?");
    terminal.until("running for");
    terminal.type_line("change of plan");
    terminal.until("heard");
    desk.go();
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(0), "{screen}");
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    let driver = events.one("owner.taken")["host"].as_str().unwrap();
    assert!(screen.contains(&format!("{driver} drives the session")), "whoever drives it is named: {screen}");
    events.assert_completed();
    assert_eq!((events.count("owner.taken"), desk.read("effect").as_str()), (1, "began\nended\n"));
    desk.assert_verified();
}

#[test]
fn what_is_asked_is_answered_from_there() {
    let desk = desk();
    desk.script(&[shell("echo ran >> effect"), say("told")]);
    let run = desk.spawn_run(&[ASK, &["--on-ask", "wait"]].concat());
    run.until_event("ask.opened");
    let session = run.session();
    let mut terminal = attached(&desk, &session);
    terminal.until(HOW);
    terminal.type_line("yes");
    let (code, screen) = terminal.wait();
    assert!(code == Some(0) && screen.contains("local said yes"), "{screen}");
    assert_eq!((run.wait().code, desk.read("effect").as_str()), (Some(0), "ran\n"));
    desk.assert_verified();
}

#[test]
fn leaving_stops_nothing_and_a_stop_from_there_stops() {
    let (desk, run, session) = driven();
    let mut terminal = attached(&desk, &session);
    terminal.press(b"\x03");
    let (code, screen) = terminal.wait();
    assert!(code == Some(130) && screen.contains("detached; the work goes on"), "{screen}");
    assert_eq!(desk.events(&session).count("run.cancel_requested"), 0);
    let mut terminal = attached(&desk, &session);
    terminal.type_line("/stop");
    let (code, screen) = terminal.wait();
    assert_eq!(code, Some(130), "{screen}");
    assert_eq!(run.wait().code, Some(130));
    assert_eq!(desk.events(&session).one("run.finished")["reason"], "stopped");
    desk.until_quiet();
}

/// The text so far first, then the rest as it comes; not what is in the log already.
#[test]
fn what_the_model_is_saying_right_now_is_shown() {
    let desk = desk();
    let slow = json!({ "text": "first\nand last", "chunk_ms": 3_000 });
    desk.script(&[slow]);
    let run = desk.spawn_run(&[]);
    run.until_event("model.requested");
    let terminal = attached(&desk, &run.session());
    terminal.until("~ first");
    let (code, screen) = terminal.wait();
    assert_eq!((code, run.wait().code), (Some(0), Some(0)), "{screen}");
}

/// A process that dies leaves its work to whoever watches it.
#[test]
fn whoever_watches_goes_on_when_the_driver_dies() {
    let (desk, run, session) = driven();
    let terminal = attached(&desk, &session);
    terminal.until("shell starts");
    run.kill();
    terminal.until("shell is still running and was adopted");
    desk.go();
    let (code, screen) = terminal.wait();
    assert!(code == Some(0) && screen.contains("told"), "{screen}");
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("tool.started"), desk.read("effect").as_str()), (1, "began\nended\n"));
    desk.assert_verified();
}

/// One of them goes on with it, and the others watch that one.
#[test]
fn all_who_watch_see_the_end_when_the_driver_dies() {
    let (desk, run, session) = driven();
    let watchers: Vec<Spawned> = (0..4).map(|_| desk.spawn(&["attach", &session, "--json"])).collect();
    watchers.iter().for_each(|watcher| watcher.until_event("tool.started"));
    run.kill();
    desk.until_count(&session, "tool.adopted", 1);
    desk.go();
    for watcher in watchers {
        let said = watcher.wait();
        assert_eq!((said.code, &said.closed()["outcome"]), (Some(0), &json!("completed")), "{said:?}");
    }
    assert_eq!(desk.read("effect"), "began\nended\n");
    desk.assert_verified();
}

/// Whoever came to watch stops nothing, also when this process has come to drive the work.
#[test]
fn leaving_stops_nothing_after_a_takeover_and_where_nobody_drove() {
    let (desk, run, session) = driven();
    let watching = attached(&desk, &session);
    run.kill();
    let left = |mut terminal: crate::pty::Terminal| {
        terminal.until("shell is still running and was adopted");
        terminal.press(b"\x03");
        let (code, screen) = terminal.wait();
        assert!(code == Some(130) && screen.contains(&format!("thru resume {session}")), "{screen}");
    };
    left(watching);
    left(desk.terminal(&["attach", &session]));
    desk.go();
    desk.resumed(&session, 0, "told\n");
    assert_eq!(desk.events(&session).count("run.cancel_requested"), 0);
}

#[test]
fn one_that_nobody_drives_is_gone_on_with_and_one_at_rest_is_only_shown() {
    let (desk, run, session) = driven();
    run.kill();
    let attached = desk.spawn(&["attach", &session, "--json"]);
    attached.until_event("tool.adopted");
    desk.go();
    let said = attached.wait();
    assert_eq!((said.code, &said.closed()["outcome"]), (Some(0), &json!("completed")));
    let again = desk.thru(&["attach", &session]);
    assert_eq!(again.code, Some(0), "{again:?}");
    desk.assert_refused(&["attach", "ses_00000000000000000000000000"], 8, &["there is no session"]);
}

#[test]
fn a_watcher_that_is_told_to_end_leaves_the_work_alone() {
    let (desk, run, session) = driven();
    let watcher = desk.spawn(&["attach", &session, "--json"]);
    watcher.until_event("tool.started");
    watcher.signal(Signal::TERM);
    let said = watcher.wait();
    assert_eq!((said.code, &said.closed()["outcome"]), (Some(143), &json!("detached")));
    desk.go();
    assert_eq!(run.wait().code, Some(0));
}
