//! Commands that do not hold their run, and the tools that look after them.

use crate::desk::{Desk, desk};
use crate::events::Events;
use crate::prefix::requests;
use crate::script::{call, held_back, held_by, say, shell};
use serde_json::{Value, json};

fn in_background(command: &str) -> Value {
    call("shell", json!({ "command": command, "background": true }))
}

/// A run that ended while its command goes on.
fn left_running(then: &[Value]) -> (Desk, String) {
    let desk = desk();
    desk.script(&[&[in_background(&held_back(7)), say("started")], then].concat());
    let run = desk.spawn_run(&[]);
    let session = run.session();
    let said = run.wait();
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let closed = said.closed();
    assert_eq!((&closed["outcome"], &closed["still_running"]), (&json!("completed"), &json!([{ "call": "call_0_0", "tool": "shell" }])));
    // Whoever is told that it keeps running can rely on it, however soon the process left.
    desk.until_effect("began\n");
    (desk, session)
}

/// How the command in the background ended, as often as the log says so.
fn ends(events: &Events) -> Vec<(&Value, &Value)> {
    let action = &events.one("tool.backgrounded")["action"];
    let finished = events.of("tool.finished").into_iter().filter(|finished| finished["action"] == *action);
    finished.map(|finished| (&finished["exit"], &finished["output"]["inline"])).collect()
}

#[track_caller]
fn last_request(desk: &Desk, session: &str) -> String {
    String::from_utf8_lossy(&requests(session, &desk.events(session)).pop().unwrap()).into_owned()
}

#[test]
fn a_run_ends_while_its_background_command_goes_on() {
    let (desk, session) = left_running(&[]);
    let status = desk.status(&session);
    assert_eq!((&status["standing"], &status["running"][0]["background"]), (&json!("at_rest"), &json!(true)));
    let shown = desk.thru(&["status", &session]).stdout;
    assert!(shown.contains("in the background"), "{shown}");
    assert!(desk.living().len() >= 2, "{:?}", desk.living());
    let events = desk.events(&session);
    assert_eq!((events.one("run.finished")["outcome"].as_str(), ends(&events)), (Some("completed"), vec![]));
    desk.go();
    desk.until_quiet();
    assert_eq!(desk.read("effect"), "began\nended\n");
    desk.assert_verified();
}

#[test]
fn the_end_of_a_background_command_is_told_by_the_next_run() {
    let (desk, session) = left_running(&[shell(&held_by("seen")), say("looked")]);
    desk.go();
    desk.until_quiet();
    let run = desk.spawn(&["run", "--session", &session, "how is it"]);
    desk.until_log(&session, "its end", |events| ends(events).len() == 1);
    desk.release("seen");
    let said = run.wait();
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "looked\n"), "{}", said.stderr);
    let events = desk.events(&session);
    assert_eq!(ends(&events), [(&json!(7), &json!("began\nended\n"))]);
    assert_eq!((events.count("tool.started"), events.count("run.started")), (2, 2));
    assert!(last_request(&desk, &session).contains("began\\nended"), "the model was told how it ended");
    assert_eq!(desk.spooled(), Vec::<String>::new());
    desk.assert_verified();
}

/// An outcome is no message: nobody begins to work because of it, and whoever works next records it.
#[test]
fn the_end_of_a_background_command_starts_no_run() {
    let (desk, session) = left_running(&[say("looked")]);
    desk.go();
    desk.until_quiet();
    desk.resumed(&session, 0, "started\n");
    let events = desk.events(&session);
    assert_eq!((events.count("run.started"), events.count("model.requested")), (1, 2));
    let said = desk.thru(&["run", "--session", &session, "how is it"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let events = desk.events(&session);
    assert_eq!((events.count("run.started"), ends(&events).len()), (2, 1));
    desk.assert_verified();
}

/// A background command that is still running when its session is driven again is adopted and goes on.
#[test]
fn a_background_command_survives_further_runs() {
    let (desk, session) = left_running(&[]);
    for _ in 0..2 {
        assert_eq!(desk.thru(&["run", "--session", &session, "how is it"]).code, Some(0));
    }
    assert_eq!(desk.events(&session).count("tool.adopted"), 2);
    desk.go();
    desk.until_quiet();
    assert_eq!(desk.thru(&["run", "--session", &session, "and now"]).code, Some(0));
    let events = desk.events(&session);
    assert_eq!((events.count("tool.started"), ends(&events)), (1, vec![(&json!(7), &json!("began\nended\n"))]));
    assert_eq!(desk.read("effect"), "began\nended\n");
    desk.assert_verified();
}

#[test]
fn input_reaches_a_command_that_reads_a_line() {
    let desk = desk();
    desk.script(&[
        in_background("echo ready; read line; echo got $line | tee -a effect; exit 3"),
        shell(&held_by("up")),
        call("process_input", json!({ "call": "call_0_0", "text": "hello\n" })),
        shell(&held_by("ended")),
        say("done"),
    ]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    desk.until_spooled("ready\n");
    desk.release("up");
    desk.until_log(&session, "the end of the reader", |events| events.of("tool.finished").iter().any(|finished| finished["exit"] == 3));
    desk.release("ended");
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!(desk.read("effect"), "up\ngot hello\nended\n");
    assert!(events.of("tool.finished").iter().all(|finished| finished["ok"] == true || finished["exit"] == 3));
    assert!(last_request(&desk, &session).contains("got hello"), "the end was told with its output");
    assert_eq!((desk.living(), desk.spooled()), (vec![], vec![]));
    desk.assert_verified();
}

#[test]
fn a_signal_ends_a_background_command() {
    let desk = desk();
    desk.script(&[
        in_background(&held_back(0)),
        shell(&held_by("up")),
        call("process_signal", json!({ "call": "call_0_0", "signal": "TERM" })),
        shell(&held_by("over")),
        say("done"),
    ]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    desk.until_spooled("began\n");
    desk.release("up");
    desk.until_log(&session, "its end", |events| events.of("tool.finished").iter().any(|finished| finished["signal"] == 15));
    desk.release("over");
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("tool.finished"), events.count("tool.cancel_requested")), (4, 0));
    assert_eq!((desk.living(), desk.read("effect").as_str()), (vec![], "began\nup\nover\n"));
    desk.assert_verified();
}

#[test]
fn a_wait_for_a_call_ends_when_the_call_ends() {
    let desk = desk();
    let wait = call("wait_for", json!({ "call": "call_0_0", "seconds": 600_000 }));
    desk.script(&[in_background(&held_back(7)), wait, say("done")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    run.until_event("timer.set");
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("timer.set"), events.count("timer.cancelled"), events.count("timer.fired")), (1, 1, 0));
    assert!(events.place("tool.finished") < events.place("timer.cancelled"));
    assert!(last_request(&desk, &session).contains("call_0_0 has ended"));
    desk.assert_verified();
}

#[test]
fn the_status_of_a_background_command_tells_its_output() {
    let desk = desk();
    let server = format!("echo listening; {}", held_by("end"));
    desk.script(&[
        in_background(&server),
        shell(&held_by("seen")),
        call("process_status", json!({ "call": "call_0_0" })),
        call("process_status", json!({ "call": "call_9_9" })),
        say("it is up"),
    ]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    desk.until_spooled("listening\n");
    desk.release("seen");
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    let told = events.of("tool.finished")[1]["output"]["inline"].as_str().unwrap();
    assert!(told.starts_with("call_0_0 (shell) has been running for") && told.ends_with("listening\n"), "{told}");
    assert_eq!(events.one("action.withdrawn")["reason"], "invalid", "nobody runs as call_9_9");
    desk.release("end");
    desk.until_quiet();
    desk.assert_verified();
}

/// The time is in the log, so the wait goes on without anybody and ends once.
#[test]
fn a_wait_survives_a_kill_and_ends_once() {
    let desk = desk();
    desk.script(&[call("wait_for", json!({ "seconds": 2 })), say("waited")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    run.until_event("timer.set");
    run.kill();
    assert!(desk.status(&session)["standing"]["waiting"]["at"].is_u64());
    desk.resumed(&session, 0, "waited\n");
    let events = desk.events(&session);
    events.assert_completed();
    let at = events.one("timer.set")["at"].as_u64().unwrap();
    let fired = events.values.iter().find(|event| event["type"] == "timer.fired").unwrap();
    assert!(fired["time"].as_u64().unwrap() >= at, "not before its time");
    assert_eq!((events.count("timer.fired"), events.count("timer.cancelled")), (1, 0));
    desk.assert_verified();
}

/// The limit of time comes first, but that is not what the call waits for.
#[test]
fn a_wait_is_shown_with_its_own_time() {
    let desk = desk();
    desk.script(&[call("wait_for", json!({ "seconds": 600 })), say("never said")]);
    let run = desk.spawn_run(&["--timeout", "5m"]);
    let session = run.session();
    run.until_event("timer.set");
    assert_eq!(desk.status(&session)["standing"]["waiting"]["at"], desk.events(&session).one("timer.set")["at"]);
    run.kill();
}

/// A command that takes longer than anybody wants to wait goes on in the background by itself.
#[test]
fn patience_that_ran_out_does_not_end_the_command() {
    let desk = desk();
    desk.script(&[call("shell", json!({ "command": held_back(0), "patience_s": 1 })), say("it goes on")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("tool.backgrounded"), events.count("tool.finished"), events.said()), (1, 0, vec!["it goes on"]));
    desk.go();
    desk.until_effect("began\nended\n");
    desk.until_quiet();
    desk.assert_verified();
}

/// The command prints its line only after it was sent one, and the model is asked again only after that.
#[test]
fn a_model_may_wait_for_a_line_that_a_command_prints() {
    let desk = desk();
    let server = "echo starting; read x; echo listening on $x; read x; exit 7";
    desk.script(&[
        in_background(server),
        call("process_input", json!({ "call": "call_0_0", "text": "8080\n" })),
        call("wait_for", json!({ "call": "call_0_0", "seconds": 60, "until": "^listening" })),
        call("process_input", json!({ "call": "call_0_0", "text": "\n" })),
        call("wait_for", json!({ "call": "call_0_0", "seconds": 60 })),
        say("told"),
    ]);
    let run = desk.spawn_run(&["--mode", "full"]);
    let session = run.session();
    let said = run.wait();
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let events = desk.events(&session);
    events.assert_completed();
    let results: Vec<&str> = events.of("tool.finished").into_iter().filter_map(|finished| finished["output"]["inline"].as_str()).collect();
    assert!(results.contains(&"call_0_0 has printed: listening on 8080"), "{results:?}");
    assert_eq!(ends(&events), [(&json!(7), &json!("starting\nlistening on 8080\n"))]);
    desk.assert_verified();
}
