//! `kill -9` of the program while a command runs: the command goes on, and whoever resumes learns its true end.

use crate::desk::{Desk, desk};
use crate::events::Events;
use crate::script::{call, held_back, held_by, say, shell};
use serde_json::json;
use testkit::until::until;

/// A session whose process was killed while its command waits for the file `go`.
fn killed_while_running(more: &[&str]) -> (Desk, String) {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(7)), say("told")], more);
    run.kill();
    assert!(desk.living().len() >= 2, "supervisor and command live on: {:?}", desk.living());
    (desk, session)
}

/// The command ran once and its end is known exactly.
#[track_caller]
fn assert_exact(desk: &Desk, events: &Events, adoptions: usize) {
    events.assert_completed();
    let finished = events.one("tool.finished");
    assert_eq!((&finished["exit"], &finished["ok"], &finished["attempt"]), (&json!(7), &json!(false), &json!(1)));
    assert_eq!(finished["output"]["inline"], "began\nended\n", "output from before and after the kill");
    assert_eq!((events.count("tool.started"), events.count("tool.adopted"), events.count("tool.unknown")), (1, adoptions, 0));
    assert_eq!(desk.read("effect"), "began\nended\n");
    assert_eq!((desk.spooled(), desk.living()), (vec![], vec![]), "nothing is left behind");
    desk.assert_verified();
}

#[test]
fn a_running_command_is_adopted_and_its_exit_code_is_exact() {
    let (desk, session) = killed_while_running(&[]);
    let resume = desk.spawn(&["resume", "--last", "--json"]);
    // The command is held back, so adoption cannot have waited for its end.
    resume.until_event("tool.adopted");
    desk.go();
    assert_eq!(resume.wait().code, Some(0));
    assert_exact(&desk, &desk.events(&session), 1);
}

#[test]
fn a_command_that_ended_while_nobody_looked_is_reported_without_adoption() {
    let (desk, session) = killed_while_running(&[]);
    desk.go();
    desk.until_quiet();
    let said = desk.thru(&["resume", &session]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "told\n"), "{}", said.stderr);
    assert!(said.stderr.contains("shell: exit 7"), "{}", said.stderr);
    assert_exact(&desk, &desk.events(&session), 0);
}

#[test]
fn a_command_survives_every_one_of_several_kills() {
    let (desk, session) = killed_while_running(&[]);
    for _ in 0..2 {
        let resume = desk.spawn(&["resume", &session, "--json"]);
        resume.until_event("tool.adopted");
        resume.kill();
    }
    let resume = desk.spawn(&["resume", &session, "--json"]);
    resume.until_event("tool.adopted");
    desk.go();
    assert_eq!(resume.wait().code, Some(0));
    assert_exact(&desk, &desk.events(&session), 3);
}

#[test]
fn all_commands_of_one_reply_are_adopted() {
    let desk = desk();
    let each = |name: &str, exit: u8| json!({ "tool": "shell", "args": { "command": format!("echo {name} >> effect; {}; exit {exit}", "while [ ! -e go ]; do sleep 0.02; done") } });
    desk.script(&[json!({ "calls": [each("x", 3), each("x", 4), each("x", 5)] }), say("told")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    desk.until_effect("x\nx\nx\n");
    run.kill();
    let resume = desk.spawn(&["resume", &session, "--json"]);
    testkit::until::until("three adoptions", || (resume.stdout().matches("tool.adopted").count() == 3).then_some(()));
    desk.go();
    assert_eq!(resume.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    let mut exits: Vec<i64> = events.of("tool.finished").iter().filter_map(|finished| finished["exit"].as_i64()).collect();
    exits.sort_unstable();
    assert_eq!((exits, events.count("tool.started")), (vec![3, 4, 5], 3));
    assert_eq!(desk.read("effect"), "x\nx\nx\n");
}

/// The terminal of a command belongs to its supervisor: what the next owner types is read, and nothing of it is lost.
#[test]
fn a_command_on_a_terminal_is_adopted_and_typed_on() {
    for sandbox in [&[][..], &["--unsafe-no-sandbox"]] {
        let desk = desk();
        let asks = "printf 'name? '; read name < /dev/tty; test -t 0 && test -t 1 && echo hello $name; cat; stty -echo; trap 'exit 7' INT; echo wait; read";
        let typed = |text: &str, close: bool| call("process_input", json!({ "call": "call_0_0", "text": text, "close": close }));
        desk.script(&[
            call("shell", json!({ "command": asks, "pty": true, "background": true })),
            shell(&held_by("up")),
            typed("you\n", false),
            call("wait_for", json!({ "call": "call_0_0", "seconds": 60, "until": "^hello" })),
            typed("more\n", true),
            call("wait_for", json!({ "call": "call_0_0", "seconds": 60, "until": "^wait$" })),
            typed("\u{3}", false),
            call("wait_for", json!({ "call": "call_0_0", "seconds": 60 })),
            say("told"),
        ]);
        let run = desk.spawn_run(sandbox);
        let session = run.session();
        desk.until_spooled("name? ");
        desk.until_count(&session, "tool.started", 2);
        run.kill();
        let resume = desk.spawn(&[&["resume", &session, "--json"], sandbox].concat());
        resume.until_event("tool.adopted");
        desk.release("up");
        let said = resume.wait();
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let events = desk.events(&session);
        events.assert_completed();
        let action = &events.of("tool.started")[0]["action"];
        assert!(events.of("tool.adopted").iter().any(|adopted| adopted["action"] == *action));
        let ended: Vec<_> = events.of("tool.finished").into_iter().filter(|finished| finished["action"] == *action).collect();
        let printed = "name? you\nhello you\nmore\nmore\nwait\n";
        assert_eq!(ended.len(), 1);
        assert_eq!((&ended[0]["exit"], &ended[0]["output"]["inline"]), (&json!(7), &json!(printed)));
        assert_eq!((desk.living(), desk.spooled()), (vec![], vec![]), "nothing is left behind");
        desk.assert_verified();
    }
}

/// A kill between the append of an outcome and the removal of its spool leaves the folder: the next owner clears it.
#[test]
fn what_a_kill_left_of_an_attempt_that_ended_is_removed() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell("echo first"), shell(&held_back(7)), say("told")], &[]);
    run.kill();
    let events = desk.events(&session);
    let left = format!("{}-1", events.one("tool.finished")["action"].as_str().unwrap());
    std::fs::create_dir(desk.home.join("spool").join(left)).unwrap();
    desk.go();
    assert_eq!(desk.thru(&["resume", &session]).code, Some(0));
    assert_eq!(desk.spooled(), Vec::<String>::new());
}

/// A person who resumes has decided already, so no policy may stop them.
#[test]
fn a_person_goes_on_whatever_the_resume_policy() {
    for policy in ["ask", "paused"] {
        let (desk, session) = killed_while_running(&["--on-resume", policy]);
        desk.go();
        let said = desk.thru(&["resume", "--last"]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(0), "told\n"), "{policy}: {}", said.stderr);
        let events = desk.events(&session);
        assert_eq!((events.count("ask.opened"), events.count("run.paused"), events.count("run.resumed")), (0, 0, 1), "{policy}");
        events.assert_completed();
        assert_eq!(desk.read("effect"), "began\nended\n", "{policy}");
    }
}

/// A script that was moved is a mistake that can be mended; it must not end the job.
#[test]
fn a_resume_without_its_script_loses_nothing() {
    let (desk, session) = killed_while_running(&[]);
    desk.go();
    desk.until_quiet();
    let (script, away) = (desk.root.join("job.jsonl"), desk.root.join("away.jsonl"));
    std::fs::rename(&script, &away).unwrap();
    let said = desk.thru(&["resume", &session]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(3), ""), "{}", said.stderr);
    assert_eq!(desk.events(&session).count("run.finished"), 0, "the run is still open");
    std::fs::rename(&away, &script).unwrap();
    let said = desk.thru(&["resume", &session]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "told\n"), "{}", said.stderr);
    assert_exact(&desk, &desk.events(&session), 0);
}

/// Whoever starts the same job again and again, as a scheduler would, must not loop for ever; a person may go on.
#[test]
fn a_job_that_keeps_dying_waits_for_a_person() {
    let desk = desk();
    desk.script(&[shell(&held_back(7)), say("told")]);
    let again = || desk.spawn_run(&["--key", "nightly"]);
    let first = again();
    let session = first.session();
    desk.until_effect("began\n");
    first.kill();
    for takeovers in 1..=2 {
        let next = again();
        until("the command to be adopted again", || (desk.events(&session).count("tool.adopted") == takeovers).then_some(()));
        next.kill();
    }
    let parked = again().wait();
    assert_eq!(parked.code, Some(6), "{}", parked.stderr);
    assert_eq!(desk.events(&session).one("ask.opened")["ask"]["subject"]["limit"]["limit"], "crash_loop");
    desk.go();
    let said = desk.thru(&["resume", &session]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "told\n"), "{}", said.stderr);
    assert_eq!(desk.read("effect"), "began\nended\n");
}
