//! A message while tools run: the model sees it at once, what runs goes on, and every result comes once.

use crate::desk::{Desk, Spawned, desk};
use crate::events::Events;
use crate::prefix::requests;
use crate::script::{answers, held_back, held_by, say, shell, shells};
use serde_json::json;

/// Three commands beside each other, of which `a` has ended when this returns; the others are held back.
fn one_of_three_ended() -> (Desk, Spawned, String) {
    let desk = desk();
    desk.script(&[shells(&[&held_by("a"), &held_by("b"), &held_by("c")]), answers("hello", "heard"), say("one more"), say("all done")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    desk.until_count(&session, "tool.started", 3);
    desk.release("a");
    desk.until_count(&session, "tool.finished", 1);
    (desk, run, session)
}

/// The model was asked with one result and two notes, and heard of the other two later, each once.
#[track_caller]
fn assert_heard_of_all(desk: &Desk, session: &str, events: &Events) {
    events.assert_completed();
    let action = |name: &str| -> Vec<String> { events.of(name).iter().map(|data| data["action"].as_str().unwrap().to_owned()).collect() };
    let started = action("tool.started");
    assert_eq!((action("tool.deferred"), action("tool.finished").len()), (started[1..].to_vec(), 3), "two were told to be running");
    assert_eq!(events.said(), ["heard", "one more", "all done"]);
    let names = events.names();
    let second_request = names.iter().enumerate().filter(|(_, name)| **name == "model.requested").nth(1).unwrap().0;
    assert_eq!(names[second_request - 2..second_request], ["tool.deferred", "tool.deferred"], "right before the model was asked");
    let requests = requests(session, events);
    let texts: Vec<String> = requests.iter().map(|request| String::from_utf8_lossy(request).into_owned()).collect();
    assert_eq!(texts.len(), 4);
    assert!(texts[1].contains("hello") && texts[1].matches("Still running as").count() == 2, "{}", texts[1]);
    assert!(requests.windows(2).all(|pair| pair[1].starts_with(&pair[0])), "nothing that was shown is changed");
    assert_eq!(desk.read("effect"), "a\nb\nc\n");
    assert_eq!((desk.living(), desk.spooled()), (vec![], vec![]));
    desk.assert_verified();
}

#[test]
fn a_message_is_answered_at_once_and_late_results_come_later() {
    let (desk, run, session) = one_of_three_ended();
    assert_eq!(desk.thru(&["send", &session, "hello"]).code, Some(0));
    desk.until_said(&session, "heard");
    desk.release("b");
    let events = desk.until_said(&session, "one more");
    assert_eq!(events.count("run.finished"), 0, "a command of it is still running");
    desk.release("c");
    assert_eq!(run.wait().code, Some(0));
    assert_heard_of_all(&desk, &session, &desk.events(&session));
}

#[test]
fn the_same_across_kills_between() {
    let (desk, run, session) = one_of_three_ended();
    run.kill();
    assert_eq!(desk.thru(&["send", &session, "hello"]).code, Some(0));
    let second = desk.spawn(&["resume", &session, "--json"]);
    desk.until_said(&session, "heard");
    desk.until_count(&session, "tool.adopted", 2);
    second.kill();
    desk.release("b");
    let third = desk.spawn(&["resume", &session, "--json"]);
    let events = desk.until_said(&session, "one more");
    assert_eq!(events.count("run.finished"), 0);
    third.kill();
    desk.release("c");
    desk.resumed(&session, 0, "all done\n");
    assert_heard_of_all(&desk, &session, &desk.events(&session));
}

/// What a command had printed by then is in the note, so that the model can tell the person.
#[test]
fn the_note_says_what_a_running_command_has_printed() {
    let desk = desk();
    desk.script(&[shell(&format!("echo so-far; {}", held_by("go"))), answers("how", "heard"), say("all done")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    desk.until_spooled("so-far\n");
    assert_eq!(desk.thru(&["send", &session, "how is it"]).code, Some(0));
    let events = desk.until_said(&session, "heard");
    assert_eq!(events.one("tool.deferred")["output"]["inline"], "so-far\n");
    assert!(String::from_utf8_lossy(&requests(&session, &events)[1]).contains("so-far"));
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    desk.assert_verified();
}

#[test]
fn an_interruption_ends_what_runs_and_is_then_heard() {
    let desk = desk();
    let (run, session) =
        desk.driven(&[shells(&[&held_back(0), &held_by("b")]), answers("wrong folder", "I stop and look"), say("never said")], &[]);
    desk.until_count(&session, "tool.started", 2);
    assert_eq!(desk.thru(&["send", &session, "--interrupt", "wrong folder"]).code, Some(0));
    let said = run.wait();
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!(events.said(), ["I stop and look"], "the run went on, with the message");
    assert!(events.of("tool.finished").iter().all(|finished| finished["signal"] == 15 && finished["ok"] == false));
    assert_eq!((events.count("tool.finished"), events.count("tool.deferred"), events.count("run.cancel_requested")), (2, 0, 0));
    assert_eq!((desk.read("effect").as_str(), desk.living()), ("began\n", vec![]));
    desk.assert_verified();
}

/// A call that was made without knowledge of the message is not started, unless it changes nothing.
#[test]
fn a_reply_that_did_not_see_the_message_starts_only_what_is_pure() {
    let desk = desk();
    let calls = json!([{ "tool": "list_files" }, { "tool": "shell", "args": { "command": "echo late >> effect" } }]);
    // Nothing but its own delay holds back a scripted model; the message is there long before.
    desk.script(&[json!({ "calls": calls, "delay_ms": 5_000 }), answers("staging", "to staging"), say("told")]);
    let run = desk.spawn_run(&[]);
    run.until_event("model.requested");
    let session = run.session();
    assert_eq!(desk.thru(&["send", &session, "use staging"]).code, Some(0));
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert!(
        events.of("message.received").len() == 2
            && events.names().iter().rposition(|name| *name == "message.received")
                < events.names().iter().position(|name| *name == "model.completed")
    );
    assert_eq!(events.one("action.withdrawn")["reason"], "newer_message");
    assert_eq!((events.count("tool.started"), events.said(), desk.read("effect").as_str()), (1, vec!["to staging", "told"], ""));
    desk.assert_verified();
}

#[test]
fn several_messages_at_once_are_each_seen_once() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), json!({ "text": "noted", "repeat": 9 })], &[]);
    let words = ["alpha", "bravo", "charlie", "delta"];
    let sent = words.map(|word| desk.spawn(&["send", &session, word]));
    assert_eq!(sent.map(|one| one.wait().code), [Some(0); 4]);
    desk.until_log(&session, "all of them seen", |events| {
        let last = requests(&session, events).pop().unwrap_or_default();
        words.iter().all(|word| String::from_utf8_lossy(&last).contains(word))
    });
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    let last = requests(&session, &events).pop().unwrap();
    let last = String::from_utf8_lossy(&last);
    assert!(words.iter().all(|word| last.matches(word).count() == 1), "each is shown once: {last}");
    assert_eq!((events.count("message.received"), events.count("run.started"), events.count("tool.deferred")), (5, 1, 1));
    assert_eq!(desk.read("effect"), "began\nended\n");
    desk.assert_verified();
}
