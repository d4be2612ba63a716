//! One process that looks after every session of a folder.

use crate::asking::ASK;
use crate::desk::{Desk, Spawned, desk};
use crate::script::{call, held_back, say, shell};
use rustix::process::Signal;
use serde_json::json;
use std::process::{Command, Stdio};

fn daemon(desk: &Desk) -> Spawned {
    let daemon = desk.spawn(&["daemon", "--json"]);
    daemon.until_event("ready");
    daemon
}

fn ended(daemon: Spawned) {
    daemon.signal(Signal::TERM);
    assert_eq!(daemon.wait().code, Some(0));
}

#[test]
fn what_was_left_busy_is_gone_on_with_at_its_start() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(7)), say("told")], &[]);
    run.kill();
    let daemon = daemon(&desk);
    desk.until_count(&session, "tool.adopted", 1);
    desk.go();
    desk.until_count(&session, "run.finished", 1);
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((&events.one("tool.finished")["exit"], events.count("tool.started")), (&json!(7), 1));
    ended(daemon);
    desk.assert_verified();
}

/// A session at rest is no concern of anybody until somebody says something to it, or answers what it asked.
#[test]
fn what_is_said_to_a_session_at_rest_is_acted_on() {
    let desk = desk();
    desk.script(&[shell("echo ran >> effect"), say("told"), say("and more")]);
    let (session, ask) = desk.parked(ASK);
    let daemon = daemon(&desk);
    let approved = desk.thru(&["approve", &ask]);
    assert!(approved.code == Some(0) && approved.stdout.contains("will act on it"), "{approved:?}");
    desk.until_count(&session, "run.finished", 1);
    assert_eq!(desk.read("effect"), "ran\n");
    assert_eq!(desk.thru(&["send", &session, "and then?"]).code, Some(0));
    desk.until_count(&session, "run.finished", 2);
    ended(daemon);
    desk.assert_verified();
}

/// Whoever says something and stays sees it done, whichever process is faster to take the session.
#[test]
fn a_message_is_followed_to_its_end_whoever_takes_the_session() {
    let desk = desk();
    desk.script(&[say("one"), say("two"), say("three"), say("four")]);
    assert_eq!(desk.run(&[]).code, Some(0));
    let session = desk.only_session();
    let daemon = daemon(&desk);
    for answer in ["two\n", "three\n"] {
        let said = desk.thru(&["run", "--session", &session, "And now?"]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(0), answer), "{}", said.stderr);
    }
    for _ in 0..4 {
        let forked = desk.thru(&["fork", &session, "And here?"]);
        assert_eq!((forked.code, forked.stdout.as_str()), (Some(0), "four\n"), "{}", forked.stderr);
    }
    ended(daemon);
    desk.assert_verified();
}

#[test]
fn what_waits_for_a_time_goes_on_when_it_has_come() {
    let desk = desk();
    desk.script(&[call("wait_for", json!({ "seconds": 2 })), say("told")]);
    let run = desk.spawn_run(&[]);
    run.until_event("timer.set");
    let session = run.session();
    run.kill();
    let daemon = daemon(&desk);
    desk.until_count(&session, "run.finished", 1);
    desk.events(&session).assert_completed();
    ended(daemon);
}

/// Sessions of living processes are left to them; of one that dies, they are taken.
#[test]
fn a_session_is_taken_when_the_process_that_drove_it_dies() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), say("told")], &[]);
    let daemon = daemon(&desk);
    assert_eq!(desk.thru(&["send", &session, "?"]).code, Some(0));
    assert_eq!(desk.events(&session).count("owner.taken"), 1, "it is driven");
    run.kill();
    desk.until_count(&session, "tool.adopted", 1);
    desk.go();
    desk.until_count(&session, "run.finished", 1);
    assert_eq!(desk.read("effect"), "began\nended\n");
    ended(daemon);
    desk.assert_verified();
}

/// A process that can write nothing any more must not keep what it holds: it ends, and others go on.
#[test]
fn a_daemon_whose_disk_is_full_ends_and_frees_its_sessions() {
    let desk = desk();
    let steps = json!({ "calls": [{ "tool": "shell", "args": { "command": "echo {i} >> effect" } }], "repeat": 120 });
    let (run, session) = desk.driven(&[shell(&held_back(0)), steps, say("told")], &[]);
    run.kill();
    // Files may have 256 KiB: enough to take the session, and not for all of its steps.
    let limited = "trap '' XFSZ; ulimit -f 256; exec \"$@\"";
    let mut command = desk.standing_here(Command::new("bash"), &["-c", limited, "bash", env!("CARGO_BIN_EXE_thru"), "daemon"]);
    let daemon = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    desk.until_count(&session, "tool.adopted", 1);
    desk.go();
    let ended = daemon.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(told.contains("the log cannot be written any more"), "{told}");
    let resumed = desk.thru(&["resume", &session]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (Some(0), "told\n"), "{}", resumed.stderr);
    let effect: String = (1..=120).map(|step| format!("{step}\n")).collect();
    assert_eq!(desk.read("effect"), format!("began\nended\n{effect}"), "each step once and in order");
    desk.assert_verified();
}

/// However much else happens: a session that never rests must not keep the daemon from looking at the others.
#[test]
fn a_session_is_taken_from_a_dead_process_while_another_one_is_busy() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), say("told")], &[]);
    let daemon = daemon(&desk);
    let step = json!({ "calls": [{ "tool": "shell", "args": { "command": "echo {i}" } }], "delay_ms": 500, "repeat": 1_000 });
    std::fs::write(desk.root.join("busy.jsonl"), format!("{step}\n")).unwrap();
    let busy = desk.spawn(&["run", "--json", "--mode", "full", "--model", "script:busy.jsonl", "keep busy"]);
    busy.until_event("tool.finished");
    run.kill();
    desk.until_count(&session, "tool.adopted", 1);
    daemon.until_event("takes");
    busy.kill();
    ended(daemon);
}

#[test]
fn a_folder_has_one_and_what_it_drives_goes_on_when_it_is_told_to_end() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), say("told")], &[]);
    run.kill();
    let daemon = daemon(&desk);
    desk.until_count(&session, "tool.adopted", 1);
    desk.assert_refused(&["daemon"], 9, &["looks after this folder already"]);
    ended(daemon);
    assert!(!desk.living().is_empty(), "the command goes on");
    desk.go();
    desk.resumed(&session, 0, "told\n");
    desk.assert_verified();
}

/// A session that cannot go on here is named once and does not keep others from going on.
#[test]
fn one_that_cannot_go_on_is_named_and_the_others_go_on() {
    let desk = desk();
    let (first, broken) = desk.driven(&[shell(&held_back(0)), say("told")], &[]);
    first.kill();
    desk.go();
    desk.until_quiet();
    std::fs::remove_file(desk.root.join("job.jsonl")).unwrap();
    let daemon = desk.spawn(&["daemon", "--json"]);
    daemon.until_event("refuses");
    assert!(daemon.stdout().contains(&broken));
    let sent = desk.thru(&["send", &broken, "Go on"]).stdout;
    assert!(sent.contains("nobody drives the session"), "it refuses that too: {sent}");
    ended(daemon);
    assert_eq!(desk.events(&broken).count("owner.taken"), 1);
}

/// Three that died shortly after their start hold the next one back: it says so, takes nothing and promises nothing, until
/// a person lets it.
#[test]
fn after_three_deaths_it_takes_nothing_until_a_person_lets_it() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(7)), say("told")], &[]);
    run.kill();
    std::fs::rename(desk.root.join("job.jsonl"), desk.root.join("away.jsonl")).unwrap();
    for _ in 0..3 {
        ended(daemon(&desk));
        daemon(&desk).kill();
    }
    std::fs::rename(desk.root.join("away.jsonl"), desk.root.join("job.jsonl")).unwrap();
    let doctor = |args: &[&str]| desk.thru(&[&["doctor"], args].concat()).stdout;
    assert!(doctor(&[]).contains("warn daemon: 3 daemons died"), "without one that runs, the next is meant: {}", doctor(&[]));

    let daemon = desk.spawn(&["daemon", "--json"]);
    daemon.until_event("held_back");
    assert!(daemon.stdout().contains("\"busy\":1,\"died\":3"), "{}", daemon.stdout());
    let found = doctor(&[]);
    assert!(found.contains("warn daemon: 3 daemons died") && found.contains("thru doctor --fix"), "{found}");
    let sent = desk.thru(&["send", &session, "Are you there?"]).stdout;
    assert!(sent.contains(&format!("thru resume {session}")), "nobody will act on it: {sent}");
    assert_eq!(desk.events(&session).count("owner.taken"), 1, "it takes nothing");
    assert!(doctor(&["--fix"]).contains("ok   daemon: 3 daemons died"));
    desk.until_count(&session, "tool.adopted", 1);
    desk.go();
    desk.until_count(&session, "run.finished", 1);
    assert!(daemon.stdout().contains("\"type\":\"ready\""), "{}", daemon.stdout());
    assert!(doctor(&[]).contains("ok   daemon: a daemon looks after every session"));
    ended(daemon);
    desk.assert_verified();
}

#[test]
fn that_it_is_held_back_is_said_in_words() {
    let desk = desk();
    for _ in 0..3 {
        daemon(&desk).kill();
    }
    let held = desk.spawn(&["daemon"]);
    testkit::until::until("held back", || held.stdout().contains("held back: 3 daemons died within ten minutes").then_some(()));
    assert!(held.stdout().contains("thru doctor --fix"), "{}", held.stdout());
    ended(held);
}
