//! What a watcher sees, and when. The clock of these tests is tokio's own, which jumps instead of waiting.

use crate::conversation::Conversation;
use contract::body::FailureClass;
use contract::port::Frame;
use std::time::Duration;
use tokio::time::Instant;

/// Kind, offset and text of each frame.
fn frames(conversation: &Conversation) -> Vec<(&'static str, u64, String)> {
    let short = |frame: &Frame| match frame {
        Frame::ModelText { offset, text, attempt: 1, .. } => ("text", *offset, text.clone()),
        Frame::ModelThinking { offset, text, attempt: 1, .. } => ("thinking", *offset, text.clone()),
        other @ (Frame::ModelText { .. } | Frame::ModelThinking { .. } | Frame::ToolOutput { .. }) => panic!("not of this call: {other:?}"),
    };
    conversation.watcher.0.lock().unwrap().iter().map(short).collect()
}

async fn elapsed_and_frames(script: &str) -> (Duration, Vec<(&'static str, u64, String)>) {
    let conversation = Conversation::with(script).say("go");
    let start = Instant::now();
    conversation.attempt(1).await.unwrap();
    (start.elapsed(), frames(&conversation))
}

#[tokio::test(start_paused = true)]
async fn without_a_pace_the_whole_text_is_one_frame() {
    let (elapsed, frames) = elapsed_and_frames(r#"{"thinking":"let me see","text":"one two"}"#).await;
    assert_eq!(frames, [("thinking", 0, "let me see".into()), ("text", 0, "one two".into())]);
    assert_eq!(elapsed, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn with_a_pace_words_come_one_by_one_after_the_delay() {
    let (elapsed, frames) = elapsed_and_frames(r#"{"thinking":"hm","text":"één zwei\nthree","delay_ms":1000,"chunk_ms":10}"#).await;
    let expected = [("thinking", 0, "hm"), ("text", 0, "één "), ("text", 6, "zwei\n"), ("text", 11, "three")];
    assert_eq!(frames, expected.map(|(kind, offset, text)| (kind, offset, text.to_owned())));
    assert_eq!(elapsed, Duration::from_millis(1040));
}

#[tokio::test(start_paused = true)]
async fn a_reply_of_calls_alone_shows_nothing() {
    let (_, frames) = elapsed_and_frames(r#"{"calls":[{"tool":"now"}],"chunk_ms":5}"#).await;
    assert_eq!(frames, []);
}

#[tokio::test(start_paused = true)]
async fn a_failure_breaks_the_text_off_but_never_inside_a_character() {
    let script = r#"{"thinking":"hm","text":"one été three","delay_ms":5,"fail":{"class":"transient","after_bytes":8}}"#;
    let conversation = Conversation::with(script).say("go");
    let start = Instant::now();
    let failure = conversation.attempt(1).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Transient);
    assert_eq!(frames(&conversation), [("thinking", 0, "hm".into()), ("text", 0, "one ét".into())]);
    assert_eq!(start.elapsed(), Duration::from_millis(5));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_script_is_shown_too() {
    let (_, frames) = elapsed_and_frames("").await;
    assert_eq!(frames, [("text", 0, "script ended".into())]);
}
