//! Ending and holding work: what was begun ends or goes on as asked, nothing else begins, and it is told.

use crate::desk::{Desk, Spawned, desk};
use crate::events::Events;
use crate::script::{call, held_back, say, shell};
use rustix::process::Signal;
use serde_json::{Value, json};

/// Ignores the polite end, and so do its children: one in its group, one in a session of its own.
fn stubborn() -> String {
    let child = "while :; do sleep 0.1; done";
    format!("trap '' TERM; ({child}) & setsid sh -c '{child}' & {}", held_back(0))
}

fn driven(lines: &[Value]) -> (Desk, Spawned, String) {
    let desk = desk();
    let (run, session) = desk.driven(lines, &[]);
    (desk, run, session)
}

/// The run ended as cancelled, its only command was started once and is gone.
#[track_caller]
fn assert_stopped(desk: &Desk, session: &str) -> Events {
    let events = desk.events(session);
    let finished = events.one("run.finished");
    assert_eq!((&finished["outcome"], &finished["reason"]), (&json!("cancelled"), &json!("stopped")));
    assert_eq!((events.count("run.cancel_requested"), events.count("tool.cancel_requested")), (1, 1));
    assert_eq!((events.count("tool.started"), events.count("model.requested")), (1, 1), "nothing new was begun");
    assert_eq!((desk.living(), desk.spooled()), (vec![], vec![]), "nothing is left behind");
    assert_eq!(desk.read("effect"), "began\n");
    desk.assert_verified();
    events
}

#[test]
fn a_stop_ends_a_whole_tree_that_ignores_it() {
    let (desk, run, session) = driven(&[shell(&stubborn()), say("never said")]);
    let stopped = desk.thru(&["stop", &session]);
    assert_eq!(stopped.code, Some(0), "{}", stopped.stderr);
    for told in ["drives the session and will act on it", "stopping shell (call_0_0)", "killed by signal 9", "cancelled: you stopped it"] {
        assert!(stopped.stdout.contains(told), "{told} in {}", stopped.stdout);
    }
    assert_eq!(run.wait().code, Some(130));
    let events = assert_stopped(&desk, &session);
    assert_eq!(events.one("tool.finished")["signal"], 9);
}

#[test]
fn an_interruption_ends_a_whole_tree_that_ignores_it_and_the_run_goes_on() {
    let (desk, run, session) = driven(&[shell(&stubborn()), say("I go on")]);
    assert_eq!(desk.thru(&["send", &session, "--interrupt", "stop that"]).code, Some(0));
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((&events.one("tool.finished")["signal"], events.said()), (&json!(9), vec!["I go on"]));
    assert_eq!((desk.living(), desk.spooled()), (vec![], vec![]));
    desk.assert_verified();
}

#[test]
fn a_stop_that_nobody_carries_out_is_carried_out_by_the_next() {
    let (desk, run, session) = driven(&[shell(&held_back(0)), say("never said")]);
    run.kill();
    let stopped = desk.thru(&["stop", &session]);
    assert_eq!(stopped.code, Some(0), "{}", stopped.stderr);
    assert!(stopped.stdout.contains(&format!("nobody drives the session: thru resume {session}")), "{}", stopped.stdout);
    assert!(!desk.living().is_empty(), "nobody is there to end it");
    assert_eq!(desk.status(&session)["standing"], "stopping");
    desk.assert_refused(&["pause", &session], 9, &["is being stopped", "nothing was changed"]);
    assert_eq!(desk.thru(&["stop", &session, "--json"]).closed()["stopping"], true);
    desk.resumed(&session, 130, "");
    let events = assert_stopped(&desk, &session);
    assert_eq!(events.one("tool.finished")["signal"], 15);
}

#[test]
fn an_interruption_that_nobody_carries_out_is_carried_out_by_the_next() {
    let (desk, run, session) = driven(&[shell(&held_back(0)), say("I go on")]);
    run.kill();
    let sent = desk.thru(&["send", &session, "--interrupt", "stop that"]);
    assert!(sent.stdout.contains(&format!("nobody drives the session: thru resume {session}")), "{}", sent.stdout);
    desk.resumed(&session, 0, "I go on\n");
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("tool.started"), &events.one("tool.finished")["signal"]), (1, &json!(15)));
    assert_eq!((desk.living(), desk.read("effect").as_str()), (vec![], "began\n"));
    desk.assert_verified();
}

/// What had ended by itself before the stop was carried out keeps its true end.
#[test]
fn a_command_that_ended_before_the_stop_was_carried_out_keeps_its_end() {
    let (desk, run, session) = driven(&[shell(&held_back(7)), say("never said")]);
    run.kill();
    desk.go();
    desk.until_quiet();
    assert_eq!(desk.thru(&["stop", &session]).code, Some(0));
    desk.resumed(&session, 130, "");
    let events = desk.events(&session);
    assert_eq!((&events.one("tool.finished")["exit"], &events.one("run.finished")["outcome"]), (&json!(7), &json!("cancelled")));
    assert_eq!((events.count("model.requested"), desk.read("effect").as_str()), (1, "began\nended\n"));
    desk.assert_verified();
}

#[test]
fn a_stop_with_nothing_running_says_so() {
    let desk = desk();
    desk.script(&[say("done")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let before = desk.events(&session);
    for scope in ["turn", "all"] {
        let stopped = desk.thru(&["stop", &session, "--scope", scope]);
        assert_eq!(stopped.code, Some(0), "{}", stopped.stderr);
        assert!(stopped.stdout.contains("nothing runs"), "{}", stopped.stdout);
        let told = desk.thru(&["stop", &session, "--scope", scope, "--json"]).closed();
        assert_eq!((&told["session"], &told["version"], &told["stopping"]), (&json!(session), &json!(null), &json!(false)));
    }
    assert_eq!(desk.events(&session), before);
    let nobody = "ses_00000000000000000000000000";
    desk.assert_refused(&["stop", nobody], 8, &[nobody]);
    desk.assert_refused(&["stop", &session, "--scope", "none"], 2, &["--scope"]);
}

/// One command in the background, then one in the foreground that is held back.
fn both() -> (Desk, Spawned, String) {
    let behind = call("shell", json!({ "command": "echo behind > behind; while [ ! -e end ]; do sleep 0.02; done", "background": true }));
    let (desk, run, session) = driven(&[behind, shell(&held_back(0)), say("never said")]);
    testkit::until::until("the background command", || (desk.read("behind") == "behind\n").then_some(()));
    (desk, run, session)
}

#[test]
fn stopping_the_turn_leaves_the_background_running_and_says_so() {
    let (desk, run, session) = both();
    let stopped = desk.thru(&["stop", &session]);
    for told in ["stopping shell (call_1_0)", "shell (call_0_0) keeps running"] {
        assert!(stopped.stdout.contains(told), "{told} in {}", stopped.stdout);
    }
    assert!(!stopped.stdout.contains("stopping shell (call_0_0)"), "{}", stopped.stdout);
    let said = run.wait();
    let closed = said.closed();
    assert_eq!((said.code, &closed["still_running"][0]["call"]), (Some(130), &json!("call_0_0")), "{closed}");
    assert_eq!((desk.events(&session).count("tool.finished"), desk.living().is_empty()), (1, false));

    let all = desk.thru(&["stop", &session, "--scope", "all"]);
    assert!(all.stdout.contains(&format!("thru resume {session}")), "nobody drives it: {}", all.stdout);
    assert_eq!(desk.thru(&["resume", &session]).code, Some(130));
    let events = desk.events(&session);
    assert_eq!((events.count("tool.finished"), events.count("run.finished"), desk.living()), (2, 1, vec![]));
    desk.assert_verified();
}

#[test]
fn stopping_everything_ends_the_background_too() {
    let (desk, run, session) = both();
    let stopped = desk.thru(&["stop", &session, "--scope", "all"]);
    for told in ["stopping shell (call_0_0)", "stopping shell (call_1_0)", "cancelled: you stopped it"] {
        assert!(stopped.stdout.contains(told), "{told} in {}", stopped.stdout);
    }
    assert_eq!(run.wait().code, Some(130));
    desk.until_quiet();
    let events = desk.events(&session);
    assert_eq!(events.one("run.finished")["outcome"], "cancelled");
    assert!(events.of("tool.finished").iter().all(|finished| finished["signal"] == 15));
    desk.assert_verified();
}

/// What is asked is settled by the stop: nobody can say yes to it any more.
#[test]
fn a_stop_settles_what_is_asked() {
    let desk = desk();
    desk.script(&[shell("echo ran >> effect"), say("never said")]);
    let (session, ask) = desk.parked(crate::asking::ASK);
    assert_eq!(desk.thru(&["stop", &session]).code, Some(0));
    desk.resumed(&session, 130, "");
    desk.assert_refused(&["approve", &ask], 9, &["the work was stopped since"]);
    let events = desk.events(&session);
    assert_eq!((&events.one("ask.superseded")["reason"], events.count("tool.started")), (&json!("stopped"), 0));
    assert_eq!(desk.read("effect"), "");
    desk.assert_verified();
}

/// What only kept a message from beginning anything needs nobody to do it.
#[test]
fn a_stop_at_rest_does_not_ask_for_a_resume() {
    let desk = desk();
    desk.script(&[say("one"), say("two")]);
    assert_eq!(desk.run(&[]).code, Some(0));
    let session = desk.only_session();
    assert_eq!(desk.thru(&["send", &session, "more"]).code, Some(0));
    let stopped = desk.thru(&["stop", &session]);
    assert!(stopped.code == Some(0) && stopped.stdout.contains("nothing runs"), "{stopped:?}");
    assert!(!stopped.stdout.contains("resume"), "{stopped:?}");
}

#[test]
fn a_paused_run_lets_its_command_end_and_begins_nothing_until_it_is_resumed() {
    let (desk, run, session) = driven(&[shell(&held_back(7)), shell("echo next >> effect"), say("told")]);
    let paused = desk.thru(&["pause", &session]);
    assert_eq!(paused.code, Some(0), "{}", paused.stderr);
    assert!(paused.stdout.ends_with(&format!("; it stays paused until: thru resume {session}\n")), "{}", paused.stdout);
    desk.assert_refused(&["pause", &session], 9, &["is paused already", "nothing was changed", &format!("thru resume {session}")]);
    desk.go();
    let said = run.wait();
    assert_eq!(said.code, Some(4), "{}", said.stderr);
    let events = desk.events(&session);
    assert_eq!((events.count("model.requested"), events.count("run.finished"), events.count("run.paused")), (1, 0, 1));
    assert!(desk.thru(&["status", &session]).stdout.contains("paused"));
    desk.resumed(&session, 0, "told\n");
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("tool.started"), &events.of("tool.finished")[0]["exit"]), (2, &json!(7)));
    assert_eq!(desk.read("effect"), "began\nended\nnext\n", "each ran once");
    desk.assert_refused(&["pause", &session], 9, &["no run is going"]);
    desk.assert_verified();
}

/// Whoever resumes while the command still runs adopts it.
#[test]
fn a_paused_run_may_be_left_and_resumed_while_its_command_runs() {
    let (desk, run, session) = driven(&[shell(&held_back(7)), say("told")]);
    assert_eq!(desk.thru(&["pause", &session]).code, Some(0));
    run.kill();
    let resume = desk.spawn(&["resume", &session, "--json"]);
    resume.until_event("tool.adopted");
    desk.go();
    assert_eq!(resume.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("tool.started"), &events.one("tool.finished")["exit"]), (1, &json!(7)));
    assert_eq!(desk.read("effect"), "began\nended\n");
    desk.assert_verified();
}

/// Whoever drives it waits for a person: the word of one elsewhere is enough.
#[test]
fn a_paused_run_that_is_driven_elsewhere_goes_on_there() {
    for (show, where_told) in [(&[][..], "stderr"), (&["--json"], "stdout")] {
        let desk = desk();
        let (run, session) = desk.driven(&[shell(&held_back(7)), say("told")], &["--on-ask", "wait"]);
        desk.assert_refused(&["resume", &session], 9, &["driven by another"]);
        assert_eq!(desk.thru(&["pause", &session]).code, Some(0));
        desk.go();
        desk.until_count(&session, "tool.finished", 1);
        let resumed = desk.thru(&[&["resume", &session], show].concat());
        assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
        if where_told == "stderr" {
            assert!(resumed.stderr.contains("drives the session and will act on it"), "{}", resumed.stderr);
        } else {
            let closed = resumed.closed();
            assert_eq!(
                (&closed["type"], &closed["outcome"], &closed["exit_code"]),
                (&json!("stream.closed"), &json!("resumed"), &json!(0))
            );
        }
        assert_eq!(run.wait().code, Some(0));
        let events = desk.events(&session);
        events.assert_completed();
        assert_eq!((events.count("owner.taken"), events.count("run.resumed")), (1, 1));
        desk.assert_verified();
    }
}

#[test]
fn a_paused_run_is_left_with_a_word_however_quiet_it_is() {
    let desk = desk();
    desk.script(&[shell(&held_back(0)), say("never said")]);
    let run = desk.spawn(&desk.run_args(&["--quiet"]));
    desk.until_effect("began\n");
    let session = desk.only_session();
    assert_eq!(desk.thru(&["pause", &session]).code, Some(0));
    desk.go();
    let said = run.wait();
    assert_eq!((said.code, said.stdout.as_str()), (Some(4), ""));
    assert_eq!(said.stderr, format!("go on with: thru resume {session}\n"));
}

/// A process that drives the session and does nothing about it.
#[test]
fn a_stop_that_takes_too_long_is_said_to_go_on() {
    let (desk, run, session) = driven(&[shell(&held_back(0)), say("never said")]);
    run.signal(Signal::STOP);
    let stopped = desk.thru(&["stop", &session]);
    assert_eq!(stopped.code, Some(0), "{}", stopped.stderr);
    assert!(stopped.stdout.contains(&format!("{session} is still stopping")), "{}", stopped.stdout);
    run.signal(Signal::CONT);
    assert_eq!(run.wait().code, Some(130));
    assert_stopped(&desk, &session);
}
