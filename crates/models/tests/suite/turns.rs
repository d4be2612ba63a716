//! Whose turn it is: the main sequence, lines out of turn, failing lines, other purposes, restarts.

use crate::conversation::{Conversation, calls, place, text};
use contract::body::{FailureClass, Purpose};
use contract::port::ModelFailure;
use contract::request::{Item, Part};
use contract::text::Text;
use std::sync::Arc;

const TWO: &str = "# comment\n{\"text\":\"one\"}\n\n{\"text\":\"two\"}\n";

#[tokio::test]
async fn lines_answer_in_order_and_then_the_script_has_ended() {
    let mut conversation = Conversation::with(TWO).say("go");
    assert_eq!(conversation.texts(4).await, ["one", "two", "script ended", "script ended"]);
    assert_eq!(Conversation::with("").say("go").texts(2).await, ["script ended", "script ended"]);
}

#[tokio::test]
async fn an_attempt_that_is_asked_again_gives_the_same_answer() {
    let mut conversation = Conversation::with(TWO).say("go");
    conversation.turn().await;
    assert_eq!(conversation.attempt(1).await, conversation.attempt(5).await);
}

#[tokio::test]
async fn the_place_of_another_protocol_or_model_does_not_count() {
    let mut conversation = Conversation::with(TWO).say("go");
    let foreign = |protocol: &str, model: &str| Part::Opaque {
        protocol: protocol.into(),
        model: model.into(),
        bytes: Text::from(r#"{"line":4,"i":1}"#),
    };
    let parts = vec![foreign("anthropic", "script:test"), foreign("script", "script:other")];
    conversation.items.push(Arc::new(Item::Assistant(parts)));
    assert_eq!(text(&conversation.attempt(1).await.unwrap()), "one");
}

#[tokio::test]
async fn a_place_that_cannot_be_read_fails_for_good() {
    let mut conversation = Conversation::with(TWO).say("go");
    let part = Part::Opaque { protocol: "script".into(), model: "script:test".into(), bytes: Text::from("junk") };
    conversation.items.push(Arc::new(Item::Assistant(vec![part])));
    let failure = conversation.attempt(1).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Permanent);
    assert!(failure.message.contains("test.jsonl") && failure.message.contains("junk"), "{failure:?}");
}

const WITH_STATUS: &str = r#"{"text":"one"}
{"when":"(?i)status","text":"still here","calls":[{"tool":"now"}]}
{"text":"two"}
{"text":"three"}"#;

#[tokio::test]
async fn a_matching_message_is_answered_once_out_of_turn() {
    let mut conversation = Conversation::with(WITH_STATUS).say("go");
    assert_eq!(conversation.texts(1).await, ["one"]);
    conversation = conversation.say("older").say("Status, please");
    let (_, answer) = conversation.turn().await;
    assert_eq!((text(&answer), place(&answer)), ("still here".into(), r#"{"line":1,"i":1}"#.into()));
    assert_eq!(conversation.texts(1).await, ["two"], "the result of its call is not a message, so the main sequence goes on");
    conversation = conversation.say("status again");
    let (_, again) = conversation.turn().await;
    assert_eq!(text(&again), "still here");
    assert_ne!(calls(&answer), calls(&again), "two calls never share a name");
    assert_eq!(conversation.texts(2).await, ["three", "script ended"]);
}

#[tokio::test]
async fn only_the_newest_message_is_matched_and_the_first_line_that_matches_answers() {
    let script = r#"{"when":"a","text":"A"}
{"when":"a|b","text":"B"}
{"text":"main"}"#;
    for (messages, expected) in [(["a", "b"], "B"), (["b", "a"], "A"), (["a", "c"], "main")] {
        let mut conversation = Conversation::with(script).say(messages[0]).say(messages[1]);
        assert_eq!(conversation.texts(1).await, [expected]);
    }
    let mut first = Conversation::with(script).say("a");
    let (_, answer) = first.turn().await;
    assert_eq!(place(&answer), r#"{"line":0,"i":0}"#, "the main sequence has not begun");
    assert_eq!(first.texts(1).await, ["main"]);
}

#[tokio::test]
async fn a_failing_line_fails_its_attempts_and_then_the_next_line_answers() {
    let script = r#"{"text":"one"}
{"fail":{"class":"rate_limited","retry_after_ms":250,"times":2}}
{"fail":{"class":"overloaded"}}
{"text":"two"}
{"text":"three"}"#;
    let mut conversation = Conversation::with(script).say("go");
    assert_eq!(conversation.texts(1).await, ["one"]);
    let failure = |class: FailureClass, retry_after_ms: Option<u64>, line: u32| {
        Err(ModelFailure { class, message: format!("script test.jsonl, line {line} fails on purpose"), retry_after_ms })
    };
    assert_eq!(conversation.attempt(1).await, failure(FailureClass::RateLimited, Some(250), 2));
    assert_eq!(conversation.attempt(2).await, failure(FailureClass::RateLimited, Some(250), 2));
    assert_eq!(conversation.attempt(3).await, failure(FailureClass::Overloaded, None, 3));
    let (attempt, reply) = conversation.turn().await;
    assert_eq!((attempt, text(&reply), place(&reply)), (4, "two".into(), r#"{"line":4,"i":1}"#.into()));
    assert_eq!(conversation.attempt(5).await.map(|reply| text(&reply)), Ok("three".into()), "a later attempt skips no line");
}

#[tokio::test]
async fn a_failing_last_line_does_not_fail_again_after_the_script_has_ended() {
    let mut conversation = Conversation::with(r#"{"fail":{"class":"transient","times":2},"repeat":2}"#).say("go");
    let (attempt, reply) = conversation.turn().await;
    assert_eq!((attempt, text(&reply)), (5, "script ended".into()));
    assert_eq!(conversation.turn().await.0, 1);
}

#[tokio::test]
async fn a_failure_out_of_turn_leaves_the_answer_to_the_main_sequence() {
    let script = r#"{"when":"now","fail":{"class":"auth"}}
{"text":"one"}"#;
    let mut conversation = Conversation::with(script).say("now");
    assert_eq!(conversation.attempt(1).await.unwrap_err().class, FailureClass::Auth);
    let (attempt, reply) = conversation.turn().await;
    assert_eq!((attempt, text(&reply)), (2, "one".into()));
}

#[tokio::test]
async fn lines_for_other_purposes_and_for_children_are_passed_over() {
    let script = r#"{"purpose":"compact","text":"short"}
{"purpose":"plan","text":"plan"}
{"purpose":"title","text":"title"}
{"child":true,"text":"child"}
{"child":true,"when":".","text":"child out of turn"}
{"purpose":"reply","child":false,"text":"one"}"#;
    let mut conversation = Conversation::with(script).say("go");
    let last = conversation.ask(1, Purpose::LastReply).await.unwrap();
    assert_eq!(text(&last), "one");
    assert_eq!(conversation.texts(2).await, ["one", "script ended"]);
}

#[tokio::test]
async fn repetitions_are_played_one_after_the_other() {
    let script = r#"{"text":"r{i}","repeat":3}
{"text":"end"}"#;
    assert_eq!(Conversation::with(script).say("go").texts(5).await, ["r1", "r2", "r3", "end", "script ended"]);
}
