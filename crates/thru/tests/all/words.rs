//! What a text does while something is asked: a bare word answers, a question takes any text, all else overtakes.

use crate::asking::ASK;
use crate::desk::{Desk, desk};
use crate::events::Events;
use crate::prefix::requests;
use crate::script::{call, say, shell, shells};
use serde_json::{Value, json};

const ASKED: &str = "echo ran >> effect";

/// What the text did with the only thing asked, told by the log after the session went on.
fn told(desk: &Desk, session: &str, text: &str) -> &'static str {
    let sent = desk.thru(&["send", session, text]);
    assert_eq!(sent.code, Some(0), "{text}: {}", sent.stderr);
    let resumed = desk.thru(&["resume", session]);
    let events = desk.events(session);
    desk.assert_verified();
    let ran = (events.count("tool.started"), desk.read("effect").lines().count());
    let reason = events.of("action.withdrawn").first().map(|withdrawn| withdrawn["reason"].as_str().unwrap().to_owned());
    let asked = events.count("model.requested");
    match (resumed.code, ran, reason.as_deref(), asked, events.count("message.received")) {
        (Some(0), (1, 1), None, 2, 1) => "approved",
        (Some(5), (0, 0), Some("denied"), 2, 1) => "denied",
        (Some(0), (0, 0), Some("newer_message"), 2, 2) if events.one("ask.superseded")["reason"] == "newer_message" => "overtaken",
        other => panic!("{text}: {other:?} {events:?}"),
    }
}

#[test]
fn a_bare_word_answers_and_anything_else_overtakes() {
    for (text, expected) in [
        ("ok", "approved"),
        ("确认", "approved"),
        ("Yes.", "approved"),
        (" ＯＫ！ ", "approved"),
        ("no", "denied"),
        ("取消", "denied"),
        ("do NOT run that", "overtaken"),
        ("yes but in staging", "overtaken"),
        ("ok?", "overtaken"),
        ("no, wait", "overtaken"),
    ] {
        let desk = desk();
        desk.script(&[shell(ASKED), say("told")]);
        let (session, _) = desk.parked(ASK);
        assert_eq!(told(&desk, &session, text), expected, "{text}");
    }
}

/// The same while a process waits in front of the ask.
#[test]
fn a_run_that_waits_goes_on_by_a_word_and_decides_anew_by_a_text() {
    for (text, code, effect) in [("yes", 0, "ran\n"), ("no", 5, ""), ("use staging", 0, "")] {
        let desk = desk();
        desk.script(&[shell(ASKED), say("told")]);
        let run = desk.spawn_run(&[ASK, &["--on-ask", "wait"]].concat());
        run.until_event("ask.opened");
        let session = run.session();
        assert_eq!(desk.thru(&["send", &session, text]).code, Some(0));
        let said = run.wait();
        assert_eq!((said.code, desk.read("effect").as_str()), (Some(code), effect), "{text}: {}", said.stderr);
        desk.events(&session).assert_completed();
        desk.assert_verified();
    }
}

/// The model that decides anew may ask for the same again, and is asked about it again.
#[test]
fn an_overtaken_call_that_comes_again_is_asked_about_again() {
    let desk = desk();
    desk.script(&[shell(ASKED), shell(ASKED), say("told")]);
    let (session, first) = desk.parked(ASK);
    assert_eq!(desk.thru(&["send", &session, "are you sure about that"]).code, Some(0));
    desk.assert_refused(&["approve", &first], 9, &["a message came since"]);
    assert_eq!(desk.thru(&["resume", &session]).code, Some(4));
    let second = desk.asked(&session);
    assert_ne!(first, second);
    desk.assert_refused(&["approve", &first], 9, &["a message came since"]);
    assert_eq!(desk.thru(&["send", &session, "y"]).code, Some(0));
    desk.resumed(&session, 0, "told\n");
    let events = desk.events(&session);
    assert_eq!((events.count("ask.opened"), events.count("tool.started"), desk.read("effect").as_str()), (2, 1, "ran\n"));
    desk.assert_verified();
}

/// Whichever of them is first in the log, the call ran if and only if the log says so.
#[test]
fn a_yes_and_a_message_at_once_are_both_heard_or_one_is_refused() {
    for _ in 0..4 {
        let desk = desk();
        desk.script(&[shell(ASKED), say("told")]);
        let run = desk.spawn_run(&[ASK, &["--on-ask", "wait"]].concat());
        run.until_event("ask.opened");
        let session = run.session();
        let (yes, text) = (desk.spawn(&["approve", &desk.asked(&session)]), desk.spawn(&["send", &session, "wait a moment"]));
        let (yes, text) = (yes.wait(), text.wait());
        assert!(matches!(yes.code, Some(0 | 9)) && text.code == Some(0), "{yes:?} {text:?}");
        assert_eq!(run.wait().code, Some(0));
        // A message that came after the end, or while the process was leaving, waits for whoever is next.
        assert_eq!(desk.thru(&["resume", &session]).code, Some(0));
        let events = desk.events(&session);
        assert_eq!(events.names().last(), Some(&"run.finished"), "{events:?}");
        let (ran, withdrawn) = (events.count("tool.started"), events.count("action.withdrawn"));
        assert_eq!((ran + withdrawn, desk.read("effect").lines().count()), (1, ran), "{events:?}");
        assert!(yes.code == Some(0) || ran == 0, "refused, so not run");
        assert_eq!(desk.unseen(&session), [""; 0], "the message was seen");
        desk.assert_verified();
    }
}

/// Two calls that are both asked about.
fn two_asked() -> (Desk, String, Vec<String>) {
    let desk = desk();
    desk.script(&[shells(&["echo one >> effect", "echo two >> effect"]), say("told")]);
    let run = desk.spawn_run(ASK);
    let session = run.session();
    assert_eq!(run.wait().code, Some(4));
    let asks: Vec<String> = desk.asks(&session).iter().map(|view| view["ask"]["ask"].as_str().unwrap().to_owned()).collect();
    assert_eq!(asks.len(), 2);
    (desk, session, asks)
}

#[test]
fn a_word_while_two_things_are_asked_is_refused_and_names_both() {
    let (desk, session, asks) = two_asked();
    let before = desk.events(&session);
    for word in ["yes", "no"] {
        desk.assert_refused(&["send", &session, word], 9, &["several things are asked", &asks[0], &asks[1], "nothing was changed"]);
    }
    desk.assert_refused(&["run", "--session", &session, "yes"], 9, &["several things are asked", &asks[0], "nothing was changed"]);
    assert_eq!(desk.events(&session), before, "nor was the session taken over");
    assert_eq!(desk.thru(&["deny", &asks[0]]).code, Some(0));
    assert_eq!(desk.thru(&["send", &session, "yes"]).code, Some(0), "now it is the only one");
    desk.resumed(&session, 0, "told\n");
    assert_eq!(desk.read("effect"), "two\n");
    desk.assert_verified();
}

#[test]
fn a_text_overtakes_everything_that_is_asked_about_calls() {
    let (desk, session, asks) = two_asked();
    assert_eq!(desk.thru(&["send", &session, "neither of them"]).code, Some(0));
    assert_eq!(desk.thru(&["approvals"]).stdout, "nothing waits for you\n");
    for ask in &asks {
        desk.assert_refused(&["approve", ask], 9, &["a message came since"]);
    }
    desk.resumed(&session, 0, "told\n");
    let events = desk.events(&session);
    assert_eq!((events.count("ask.superseded"), events.count("tool.started"), events.count("model.requested")), (2, 0, 2));
    desk.assert_verified();
}

/// A queued message is for later and a question about the state is for the log: neither touches what is asked.
#[test]
fn what_does_not_enter_the_run_leaves_the_ask_open() {
    let desk = desk();
    desk.script(&[shell(ASKED), say("told"), say("summary")]);
    let (session, ask) = desk.parked(ASK);
    assert_eq!(desk.thru(&["send", &session, "--queue", "yes"]).code, Some(0));
    let told = desk.thru(&["send", &session, "? how far is it"]);
    assert_eq!(told.code, Some(0));
    assert!(told.stdout.contains("waiting for you") && told.stdout.contains(&ask), "{}", told.stdout);
    assert_eq!((desk.asked(&session), desk.read("effect").as_str()), (ask.clone(), ""));
    assert_eq!(desk.thru(&["approve", &ask]).code, Some(0));
    desk.resumed(&session, 0, "summary\n");
    let events = desk.events(&session);
    assert_eq!((events.count("tool.started"), events.count("run.started"), desk.read("effect").as_str()), (1, 2, "ran\n"));
    for request in requests(&session, &events) {
        assert!(!String::from_utf8_lossy(&request).contains("how far"), "never part of a request");
    }
    desk.assert_verified();
}

#[test]
fn a_question_mark_changes_nothing_while_work_runs() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&crate::script::held_back(0)), say("told")], &[]);
    desk.until_spooled("began\n");
    let told = desk.thru(&["send", &session, "?"]);
    for word in ["tools are running, driven", "shell (call_0_0) running for", "last output: began"] {
        assert!(told.stdout.contains(word), "{word} in {}", told.stdout);
    }
    let json: Value = serde_json::from_str(&desk.thru(&["send", &session, "?", "--json"]).stdout).unwrap();
    assert_eq!(json["running"][0]["output"], "began\n");
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    assert_eq!((events.count("model.requested"), events.count("tool.deferred"), events.count("run.started")), (2, 0, 1));
    desk.assert_verified();
}

/// The result that the model was given for its question.
fn answer_seen(session: &str, events: &Events, text: &str) -> bool {
    requests(session, events).last().is_some_and(|request| String::from_utf8_lossy(request).contains(text))
}

#[test]
fn a_question_is_answered_by_any_text() {
    for text in ["blue, like the sky", "yes", "no", "ok?"] {
        let desk = desk();
        desk.script(&[call("request_user", json!({ "question": "Which colour?" })), say("told")]);
        let (session, ask) = desk.parked(ASK);
        let shown = desk.thru(&["approvals"]).stdout;
        assert!(shown.contains("The agent asks: Which colour?") && shown.contains(&format!("thru send {session} TEXT")), "{shown}");
        desk.assert_refused(&["approve", &ask], 9, &["no answer to a question", "thru send ID TEXT"]);
        let sent = desk.thru(&["send", &session, text]);
        assert!(sent.code == Some(0) && sent.stdout.starts_with("answered, recorded as event"), "{sent:?}");
        desk.resumed(&session, 0, "told\n");
        let events = desk.events(&session);
        events.assert_completed();
        assert_eq!(events.one("ask.answered")["answer"]["reply"]["inline"], text);
        assert_eq!((events.count("message.received"), events.count("action.withdrawn")), (1, 0), "{text}");
        assert!(answer_seen(&session, &events, text), "{text}");
        desk.assert_verified();
    }
}

#[test]
fn a_question_that_nobody_wants_to_answer_is_declined() {
    let desk = desk();
    desk.script(&[call("request_user", json!({ "question": "Which colour?" })), say("my own choice then")]);
    let (session, ask) = desk.parked(&["--mode", "full"]);
    assert_eq!(desk.thru(&["deny", &ask, "decide yourself"]).code, Some(0));
    desk.resumed(&session, 0, "my own choice then\n");
    let events = desk.events(&session);
    events.assert_completed();
    assert!(answer_seen(&session, &events, "decide yourself"));
    desk.assert_verified();
}
