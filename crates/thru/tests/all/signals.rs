//! Leaving politely, and readers that go away: the work stays whole and nobody sees a panic.

use crate::desk::desk;
use crate::script::{held_back, say, shell};
use rustix::process::Signal;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use testkit::until::until;

#[test]
fn sigterm_leaves_with_its_code_and_the_command_goes_on() {
    let desk = desk();
    desk.script(&[shell(&held_back(7)), say("told")]);
    let run = desk.spawn(&desk.run_args(&[]));
    desk.until_effect("began\n");
    run.signal(Signal::TERM);
    let said = run.wait();
    assert_eq!((said.code, said.stdout.as_str()), (Some(143), ""), "{}", said.stderr);
    for told in ["left on SIGTERM", "shell (call_0_0) keeps running", "go on with: thru resume ses_"] {
        assert!(said.stderr.contains(told), "{told} in {}", said.stderr);
    }
    assert!(desk.living().len() >= 2, "the command goes on: {:?}", desk.living());
    let session = said.stderr.rsplit("thru resume ").next().unwrap().trim().to_owned();
    let resume = desk.spawn(&["resume", &session, "--json"]);
    resume.until_event("tool.adopted");
    desk.go();
    assert_eq!(resume.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((&events.one("tool.finished")["exit"], events.count("tool.started")), (&7.into(), 1));
    assert_eq!(desk.read("effect"), "began\nended\n");
    desk.assert_verified();
}

/// The first one is a wish to stop the work, not to leave it: what runs is ended, and nothing is left to resume.
#[test]
fn sigint_stops_the_turn_and_ends_the_command() {
    let desk = desk();
    desk.script(&[shell(&held_back(7)), say("told")]);
    let run = desk.spawn(&desk.run_args(&[]));
    desk.until_effect("began\n");
    run.signal(Signal::INT);
    let said = run.wait();
    assert_eq!((said.code, said.stdout.as_str()), (Some(130), ""), "{}", said.stderr);
    for told in ["stopping; press Ctrl-C again", "local stops the work", "stopping shell (call_0_0)", "cancelled: you stopped it"] {
        assert!(said.stderr.contains(told), "{told} in {}", said.stderr);
    }
    assert_eq!((desk.living(), desk.spooled()), (vec![], vec![]), "the command was ended");
    let session = said.stderr.trim().rsplit(' ').next().unwrap().to_owned();
    let events = desk.events(&session);
    let finished = events.one("run.finished");
    assert_eq!((&finished["outcome"], &finished["reason"]), (&"cancelled".into(), &"stopped".into()));
    assert_eq!((events.count("tool.started"), &events.one("tool.finished")["ok"]), (1, &false.into()));
    assert_eq!(events.one("run.cancel_requested")["scope"], "turn");
    let again = desk.thru(&["resume", &session]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(130), ""), "{}", again.stderr);
    assert!(again.stderr.contains("nothing to resume"), "{}", again.stderr);
    assert_eq!((desk.events(&session), desk.read("effect").as_str()), (events, "began\n"));
    desk.assert_verified();
}

#[test]
fn sigint_gives_up_a_model_call() {
    let desk = desk();
    desk.script(&[serde_json::json!({ "text": "never said", "delay_ms": 600_000 })]);
    let run = desk.spawn_run(&[]);
    run.until_event("model.requested");
    let session = run.session();
    run.signal(Signal::INT);
    assert_eq!(run.wait().code, Some(130));
    let events = desk.events(&session);
    assert_eq!((&events.one("model.aborted")["reason"], &events.one("run.finished")["outcome"]), (&"stopped".into(), &"cancelled".into()));
    desk.assert_verified();
}

/// The grace of a command that does not end is not waited for: the wish is durable, and whoever comes next carries it out.
#[test]
fn a_second_sigint_leaves_at_once_and_the_stop_is_carried_out_by_the_next() {
    let desk = desk();
    desk.script(&[shell(&format!("trap '' TERM; {}", held_back(7))), say("told")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    desk.until_effect("began\n");
    run.signal(Signal::INT);
    run.until_event("tool.cancel_requested");
    run.signal(Signal::INT);
    let said = run.wait();
    let closed = said.closed();
    assert_eq!((said.code, &closed["outcome"], &closed["exit_code"]), (Some(130), &"left".into(), &130.into()), "{closed}");
    assert_eq!(desk.events(&session).count("run.finished"), 0, "it left before the end");
    let resumed = desk.thru(&["resume", &session]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (Some(130), ""), "{}", resumed.stderr);
    let events = desk.events(&session);
    assert_eq!((events.count("tool.started"), &events.one("tool.finished")["signal"]), (1, &9.into()));
    assert_eq!(events.one("run.finished")["outcome"], "cancelled");
    assert_eq!((desk.living(), desk.read("effect").as_str()), (vec![], "began\n"));
    desk.assert_verified();
}

#[test]
fn a_signal_ends_json_with_a_closing_line() {
    let desk = desk();
    desk.script(&[shell(&held_back(0)), say("told")]);
    let run = desk.spawn_run(&[]);
    desk.until_effect("began\n");
    run.signal(Signal::TERM);
    let said = run.wait();
    let closed = said.closed();
    assert_eq!((said.code, &closed["type"], &closed["exit_code"]), (Some(143), &"stream.closed".into(), &143.into()));
}

/// Like `thru run … | head -1`.
#[test]
fn a_reader_that_goes_away_does_not_stop_the_work() {
    let desk = desk();
    desk.script(&[shell(&held_back(0)), say("told")]);
    let mut child = desk.command(&desk.run_args(&["--json"])).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut first).unwrap();
    let opened: serde_json::Value = serde_json::from_str(&first).unwrap();
    drop(reader);
    drop(child.stderr.take());
    desk.until_effect("began\n");
    desk.go();
    let status = until("the program ends", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
    desk.events(opened["session"].as_str().unwrap()).assert_completed();
}

/// The program ignores the signal of a closed pipe; its commands must not inherit that.
#[test]
fn commands_have_the_signals_of_an_ordinary_shell() {
    let desk = desk();
    desk.script(&[shell("yes | head -1; echo ${PIPESTATUS[0]}"), say("told")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let ended_by_the_signal = 128 + Signal::PIPE.as_raw();
    assert_eq!(desk.events(&session).one("tool.finished")["output"]["inline"], format!("y\n{ended_by_the_signal}\n"));
}
