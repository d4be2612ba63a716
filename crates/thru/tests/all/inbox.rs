//! What became of each message, and taking back what no model has seen.

use crate::desk::{Desk, Spawned, desk};
use crate::prefix::requests;
use crate::script::{answers, held_back, say, shell};
use serde_json::{Value, json};

/// A run whose command is held back, with one queued message; gives the version of that message too.
fn with_queued(text: &str) -> (Desk, Spawned, String, String) {
    let desk = desk();
    let (run, session) =
        desk.driven(&[shell(&held_back(0)), say("first"), answers("summar", "summary"), answers("list", "listed"), say("no more")], &[]);
    let version = queue(&desk, &session, text);
    (desk, run, session, version)
}

fn queue(desk: &Desk, session: &str, text: &str) -> String {
    let sent = desk.thru(&["send", session, "--queue", text, "--json"]);
    serde_json::from_str::<Value>(&sent.stdout).unwrap()["version"].to_string()
}

/// Text and fate of every message.
fn fates(desk: &Desk, session: &str) -> Vec<(String, Value)> {
    let messages = desk.status(session)["messages"].as_array().unwrap().clone();
    messages.iter().map(|message| (message["text"].as_str().unwrap().to_owned(), message["fate"].clone())).collect()
}

fn fate_of(desk: &Desk, session: &str, text: &str) -> Value {
    let found: Vec<Value> = fates(desk, session).into_iter().filter(|(said, _)| said == text).map(|(_, fate)| fate).collect();
    assert_eq!(found.len(), 1, "{text}");
    found[0].clone()
}

/// Whether any request of the session shows this text.
fn was_shown(desk: &Desk, session: &str, text: &str) -> bool {
    requests(session, &desk.events(session)).iter().any(|request| String::from_utf8_lossy(request).contains(text))
}

#[test]
fn a_message_waits_is_delivered_and_is_seen() {
    let desk = desk();
    let (run, session) =
        desk.driven(&[shell(&held_back(0)), say("first"), json!({ "when": "summar", "text": "summary", "delay_ms": 600_000 })], &[]);
    queue(&desk, &session, "then summarise");
    assert_eq!(fate_of(&desk, &session, "then summarise"), "waiting");
    assert!(fate_of(&desk, &session, "Do it")["seen"]["at"].is_u64());
    assert!(desk.thru(&["status", &session]).stdout.contains("not seen yet: then summarise"));
    desk.go();
    // Its model takes so long that it is never answered.
    let events = desk.until_count(&session, "model.requested", 3);
    let at = events.values.iter().rfind(|event| event["type"] == "model.requested").unwrap()["version"].clone();
    assert_eq!(fate_of(&desk, &session, "then summarise"), json!({ "delivered": { "at": at } }));
    run.kill();
    desk.script(&[shell(&held_back(0)), say("first"), answers("summar", "summary")]);
    desk.resumed(&session, 0, "summary\n");
    let seen = fate_of(&desk, &session, "then summarise");
    assert!(seen["seen"]["by"].as_str().unwrap().ends_with("job.jsonl"), "{seen}");
    desk.assert_verified();
}

#[test]
fn a_message_that_was_taken_back_is_never_shown() {
    let (desk, run, session, version) = with_queued("then summarise");
    assert_eq!(desk.thru(&["send", &session, "--withdraw", &version]).code, Some(0));
    assert!(fate_of(&desk, &session, "then summarise")["withdrawn"]["at"].is_u64());
    desk.assert_refused(&["send", &session, "--withdraw", &version], 9, &["no message waits", "nothing was changed"]);
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("message.withdrawn"), events.count("run.started")), (1, 1));
    assert!(!was_shown(&desk, &session, "summarise"));
    desk.assert_verified();
}

#[test]
fn a_message_that_was_said_anew_replaces_the_old_one_and_stays_queued() {
    let (desk, run, session, version) = with_queued("then summarise");
    assert_eq!(desk.thru(&["send", &session, "--edit", &version, "then list them"]).code, Some(0));
    let modes: Vec<Value> = desk.status(&session)["messages"].as_array().unwrap().iter().map(|message| message["mode"].clone()).collect();
    assert_eq!(modes, ["steer", "queue", "queue"], "whoever queued it meant it for later");
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    assert_eq!((events.said(), events.count("run.started")), (vec!["first", "listed"], 2));
    assert!(was_shown(&desk, &session, "list them") && !was_shown(&desk, &session, "summarise"));
    desk.assert_verified();
}

#[test]
fn a_message_that_was_said_anew_may_be_meant_otherwise() {
    let (desk, run, session, version) = with_queued("then summarise");
    assert_eq!(desk.thru(&["send", &session, "--edit", &version, "--steer", "list them now"]).code, Some(0));
    desk.until_said(&session, "listed");
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    assert_eq!((events.said(), events.count("run.started")), (vec!["listed", "first"], 1));
    desk.assert_verified();
}

#[test]
fn what_a_model_has_seen_stays_said() {
    let (desk, run, session, _) = with_queued("then summarise");
    let before = desk.events(&session);
    let task = before.values.iter().find(|event| event["type"] == "message.received").unwrap()["version"].to_string();
    for args in [&["--withdraw", &task][..], &["--edit", &task, "other"], &["--withdraw", "1"], &["--withdraw", "999"]] {
        desk.assert_refused(&[&["send", &session], args].concat(), 9, &["no message waits", "nothing was changed"]);
    }
    for args in [&["--withdraw", "0"][..], &["--withdraw", "2", "text"], &["--edit", "2"], &["--withdraw", "2", "--queue"]] {
        assert_eq!(desk.thru(&[&["send", &session], args].concat()).code, Some(2), "{args:?}");
    }
    assert_eq!(desk.events(&session), before);
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    desk.assert_verified();
}

/// A steer message to a session that nobody drives waits until somebody does, and can be taken back until then.
#[test]
fn what_was_said_to_a_dead_session_can_be_taken_back() {
    let (desk, run, session, _) = with_queued("then summarise");
    run.kill();
    let sent = desk.thru(&["send", &session, "list them", "--json"]);
    let version = serde_json::from_str::<Value>(&sent.stdout).unwrap()["version"].to_string();
    assert_eq!(fate_of(&desk, &session, "list them"), "waiting");
    assert_eq!(desk.thru(&["send", &session, "--withdraw", &version]).code, Some(0));
    desk.go();
    desk.resumed(&session, 0, "summary\n");
    let events = desk.events(&session);
    assert_eq!((events.said(), events.count("tool.deferred")), (vec!["first", "summary"], 0), "the run was not interrupted");
    assert!(!was_shown(&desk, &session, "list them"));
    desk.assert_verified();
}

/// Work that waits at its limit before any model was asked: its message is not seen, but what it began for.
fn before_the_first_reply() -> (Desk, String, String) {
    let desk = desk();
    desk.script(&[say("one"), say("two")]);
    let run = desk.spawn_run(&["--max-tokens", "1"]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(6));
    let place = desk.events(&session).place("message.received") + 1;
    (desk, session, place.to_string())
}

#[test]
fn new_words_are_said_where_the_old_ones_cannot_be_taken_back() {
    let (desk, session, task) = before_the_first_reply();
    let before = desk.events(&session);
    desk.assert_refused(
        &["send", &session, "--withdraw", &task],
        9,
        &[&format!("no message waits as event {task}"), "nothing was changed"],
    );
    assert_eq!(desk.events(&session), before);
    let new = before.lines.len() + 1;
    let words = [format!("what you say now is event {new}"), format!("event {task} could not be taken back"), "hears both".to_owned()];
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for _ in 0..2 {
        desk.assert_refused(&["send", &session, "--edit", &task, "do that", "--key", "k"], 9, &words);
    }
    assert_eq!((desk.unseen(&session), desk.events(&session).lines.len()), (vec!["Do it".to_owned(), "do that".to_owned()], new));
}

#[test]
fn the_same_key_says_a_message_anew_once() {
    let (desk, run, session, version) = with_queued("then summarise");
    let edit = || desk.thru(&["send", &session, "--edit", &version, "then list them", "--key", "k", "--json"]);
    let (first, second) = (edit(), edit());
    assert_eq!((first.code, second.code, &first.stdout), (Some(0), Some(0), &second.stdout), "{}", second.stderr);
    desk.assert_refused(&["send", &session, "--edit", &version, "then list them", "--key", "other"], 9, &["no message waits"]);
    assert_eq!(desk.unseen(&session), ["then list them"]);
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    assert_eq!((events.count("message.received"), events.count("message.withdrawn")), (3, 1));
    desk.assert_verified();
}

/// A run that was refused before it showed its message has dealt with it; no later model sees it.
#[test]
fn a_message_that_no_model_will_see_is_called_dropped() {
    let (desk, session, _) = before_the_first_reply();
    assert_eq!(desk.thru(&["deny", &desk.asked(&session)]).code, Some(0));
    desk.resumed(&session, 6, "");
    let at = desk.events(&session).lines.len();
    assert_eq!(fate_of(&desk, &session, "Do it"), json!({ "dropped": { "at": at } }));
    assert_eq!(desk.thru(&["run", "--session", &session, "And now?"]).code, Some(6));
    assert_eq!(desk.thru(&["approve", &desk.asked(&session), "--amount", "1000000"]).code, Some(0));
    desk.resumed(&session, 0, "one\n");
    assert_eq!(fate_of(&desk, &session, "Do it"), json!({ "dropped": { "at": at } }));
    assert!(fate_of(&desk, &session, "And now?")["seen"]["at"].is_u64());
    assert!(desk.thru(&["status", &session]).stdout.contains(&format!("dropped unseen at event {at}: Do it")));
    assert!(!was_shown(&desk, &session, "Do it"));
}
