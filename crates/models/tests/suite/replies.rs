//! What one line becomes.

use crate::conversation::{Conversation, MODEL, calls, place, text};
use contract::body::Usage;
use contract::port::{RawCall, RawPart, RawReply};
use models::ScriptedModel;

#[tokio::test]
async fn a_whole_line_becomes_a_whole_reply() {
    let line = r#"{"text":"Reading.","thinking":"hm","calls":[{"tool":"read_file","args":{"path":"a b"}},{"tool":"now"}],
        "usage":{"input":7,"output":3,"cache_read":2,"cache_write":1,"reasoning":4},"cost":0.0123}"#
        .replace('\n', "");
    let reply = Conversation::with(&line).say("go").attempt(1).await.unwrap();
    let call = |index: usize, tool: &str, args: &str| {
        RawPart::Call(RawCall { provider_call: format!("script-1-1-{index}"), tool: tool.into(), args: args.into() })
    };
    let expected = RawReply {
        parts: vec![
            RawPart::Text("Reading.".into()),
            call(0, "read_file", r#"{"path":"a b"}"#),
            call(1, "now", "{}"),
            RawPart::Opaque { protocol: "script".into(), model: MODEL.into(), bytes: r#"{"line":1,"i":1}"#.into() },
        ],
        usage: Usage { input: 7, output: 3, cache_read: 2, cache_write: 1, reasoning: 4 },
        cost_micros: Some(12_300),
    };
    assert_eq!(reply, expected);
}

#[tokio::test]
async fn nothing_is_charged_unless_said() {
    let reply = Conversation::with(r#"{"text":"hi"}"#).say("go").attempt(1).await.unwrap();
    assert_eq!((reply.usage, reply.cost_micros), (Usage::default(), None));
}

#[tokio::test]
async fn an_empty_text_is_a_reply_without_text() {
    let reply = Conversation::with(r#"{"text":""}"#).say("go").attempt(1).await.unwrap();
    assert_eq!(reply.parts.len(), 1, "only the place is left: {reply:?}");
}

#[tokio::test]
async fn the_number_of_the_repetition_stands_in_every_string() {
    let line = r#"{"text":"step {i}","calls":[{"tool":"tool_{i}","args":{"{i}":["n {i}",{"deep":"{i}"},3]}}],"repeat":2}"#;
    let mut conversation = Conversation::with(line).say("go");
    let (_, first) = conversation.turn().await;
    let (_, second) = conversation.turn().await;
    assert_eq!((text(&first), text(&second)), ("step 1".into(), "step 2".into()));
    let expected =
        RawCall { provider_call: "script-1-2-0".into(), tool: "tool_2".into(), args: r#"{"{i}":["n 2",{"deep":"2"},3]}"#.into() };
    assert_eq!(calls(&second), [expected]);
    assert_eq!(place(&second), r#"{"line":1,"i":2}"#);
}

#[tokio::test]
async fn braces_are_left_alone_in_a_line_that_is_not_repeated() {
    let reply = Conversation::with(r#"{"text":"for {i}"}"#).say("go").attempt(1).await.unwrap();
    assert_eq!(text(&reply), "for {i}");
}

#[tokio::test]
async fn a_script_is_read_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("job.jsonl");
    std::fs::write(&file, "# a job\n\n{\"text\":\"one\"}\n").unwrap();
    let script = ScriptedModel::load(&file).unwrap();
    assert!(format!("{script:?}").contains("number: 3"), "lines are counted as an editor counts them: {script:?}");
}
