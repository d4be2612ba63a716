//! Leaving politely, and readers that go away: the work stays whole and nobody sees a panic.

use crate::desk::desk;
use crate::script::{held_back, say, shell};
use rustix::process::Signal;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use testkit::until::until;

#[test]
fn a_signal_leaves_with_its_code_and_the_command_goes_on() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let desk = desk();
        desk.script(&[shell(&held_back(7)), say("told")]);
        let run = desk.spawn(&desk.run_args(&[]));
        desk.until_effect("began\n");
        run.signal(signal);
        let said = run.wait();
        assert_eq!((said.code, said.stdout.as_str()), (Some(code), ""), "{}", said.stderr);
        for told in ["left on SIG", "shell keeps running", "go on with: thru resume ses_"] {
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
    }
}

#[test]
fn a_signal_ends_json_with_a_closing_line() {
    let desk = desk();
    desk.script(&[shell(&held_back(0)), say("told")]);
    let run = desk.spawn_run(&[]);
    desk.until_effect("began\n");
    run.signal(Signal::TERM);
    let said = run.wait();
    let closed: serde_json::Value = serde_json::from_str(said.stdout.lines().last().unwrap()).unwrap();
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
