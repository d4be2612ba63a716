//! Scripts as people write and spoil them, and conversations that carry any place.

use crate::conversation::{Conversation, MODEL, place};
use contract::body::FailureClass;
use contract::port::RawPart;
use contract::request::{Item, Part};
use contract::text::Text;
use damage::{damaged, damaged_text, reshaped};
use models::{ScriptError, ScriptedModel};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

/// Lines that each use other fields.
fn line() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({"text": "Reading {i}.", "thinking": "hm", "calls": [{"tool": "read_file", "args": {"path": "a b"}}, {"tool": "now"}]}),
        json!({"text": "x", "usage": {"input": 7, "output": 3, "cache_read": 2}, "cost": 0.0123, "delay_ms": 1, "chunk_ms": 1}),
        json!({"text": "step {i}", "calls": [{"tool": "t_{i}", "args": {"{i}": ["n {i}", {"deep": "{i}"}, 3]}}], "repeat": 3}),
        json!({"text": "beside", "when": "^help|a+", "purpose": "reply", "child": false}),
        json!({"fail": {"class": "rate_limited", "retry_after_ms": 5, "times": 2}}),
        json!({"text": "broken öff", "fail": {"class": "transient", "after_bytes": 8}}),
    ])
}

fn script() -> impl Strategy<Value = String> {
    let line = prop_oneof![6 => line().prop_map(|line| line.to_string()), 1 => Just("# why".to_owned()), 1 => Just(String::new())];
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.join("\n"))
}

/// What a refusal must say: the file, the first line that cannot be played, and why.
fn assert_names_the_line(text: &str, error: &ScriptError) -> Result<(), TestCaseError> {
    let ScriptError::Line { file, line, reason } = error else { return Err(TestCaseError::fail(error.to_string())) };
    let said = error.to_string();
    prop_assert!(file == "job.jsonl" && said.starts_with(&format!("script job.jsonl, line {line}: ")), "{said}");
    prop_assert!(!reason.to_string().trim().is_empty(), "{said}");
    let lines: Vec<&str> = text.lines().collect();
    let number = *line as usize;
    prop_assert!(ScriptedModel::parse("before", &lines[..number - 1].join("\n")).is_ok(), "an earlier line is wrong: {said}");
    prop_assert!(ScriptedModel::parse("alone", lines[number - 1]).is_err(), "the line is fine: {said}");
    Ok(())
}

/// Asks until something is said. Time only passes while the model pauses, so pauses of any length are over at once.
fn first_reply(script: &str, message: &str) -> Result<contract::port::RawReply, TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let conversation = Conversation::with(script).say(message);
    for attempt in 1..100 {
        match runtime.block_on(conversation.attempt(attempt)) {
            Ok(reply) => return Ok(reply),
            Err(failure) => prop_assert!(failure.message.contains("fails on purpose"), "{}", failure.message),
        }
    }
    Err(TestCaseError::reject("a script that only fails"))
}

proptest! {
    #[test]
    fn a_spoilt_script_is_read_or_its_first_bad_line_named(text in prop_oneof![damaged_text(script()), ".{0,60}"]) {
        if let Err(error) = ScriptedModel::parse("job.jsonl", &text) {
            assert_names_the_line(&text, &error)?;
        }
    }

    #[test]
    fn a_reshaped_line_is_read_or_named(line in reshaped(line())) {
        let text = format!("# first\n\n{line}\n{}", json!({"text": "after"}));
        if let Err(error) = ScriptedModel::parse("job.jsonl", &text) {
            prop_assert!(error.to_string().starts_with("script job.jsonl, line 3: "), "{error}");
            assert_names_the_line(&text, &error)?;
        }
    }

    #[test]
    fn any_bytes_of_a_file_are_a_script_or_refused_by_its_name(bytes in damaged(script().prop_map(String::into_bytes))) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job.jsonl");
        std::fs::write(&path, &bytes).unwrap();
        match (ScriptedModel::load(&path), std::str::from_utf8(&bytes)) {
            (Ok(_), text) => prop_assert!(text.is_ok(), "what is no text is no script"),
            (Err(error), _) => prop_assert!(error.to_string().contains("job.jsonl"), "{error}"),
        }
    }

    /// Comments, empty lines and white space around lines change only the numbers of lines.
    #[test]
    fn what_is_said_does_not_depend_on_the_layout(lines in prop::collection::vec(line(), 1..4)) {
        let plain = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let airy: String = lines.iter().map(|line| format!("\n# next\r\n\t {line} \r\n")).collect();
        let parts = |script: &str| first_reply(script, "help").map(|reply| (spoken(&reply.parts), reply.usage, reply.cost_micros));
        prop_assert_eq!(parts(&plain)?, parts(&airy)?);
    }

    /// Whatever can be loaded can be played: arguments are JSON, and the place is one that the next call goes on from.
    #[test]
    fn what_is_read_can_be_played(lines in prop::collection::vec(prop_oneof![line(), reshaped(line())], 1..4), message in "help|aa|.{0,6}") {
        let script: String = lines.iter().map(|line| format!("{line}\n")).collect();
        prop_assume!(ScriptedModel::parse("job.jsonl", &script).is_ok());
        let reply = first_reply(&script, &message)?;
        for part in &reply.parts {
            match part {
                RawPart::Text(text) => prop_assert!(!text.is_empty()),
                RawPart::Call(call) => prop_assert!(serde_json::from_str::<Value>(&call.args).is_ok(), "{}", call.args),
                RawPart::Opaque { .. } => {}
            }
        }
        let (line, i) = carried(&place(&reply));
        prop_assert!(line <= lines.len() as u64 && (line == 0 || i >= 1), "{line} {i}");
    }

    /// The place comes back from the log; one that no version wrote ends the call and says so.
    #[test]
    fn any_place_is_gone_on_from_or_named(bytes in prop_oneof![
        damaged_text(Just(r#"{"line":1,"i":1}"#.to_owned())),
        reshaped(Just(json!({"line": 1, "i": 2}))).prop_map(|value| value.to_string()),
    ]) {
        let mut conversation = Conversation::with("{\"text\":\"one\",\"repeat\":3}\n{\"text\":\"two\"}").say("go");
        let part = Part::Opaque { protocol: "script".into(), model: MODEL.into(), bytes: Text::from(bytes.as_str()) };
        conversation.items.push(Arc::new(Item::Assistant(vec![part])));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        match runtime.block_on(conversation.attempt(1)) {
            Ok(reply) => {
                let before = carried(&bytes);
                prop_assert!(carried(&place(&reply)) >= before, "it never goes back: {bytes}");
            }
            Err(failure) => {
                prop_assert_eq!(failure.class, FailureClass::Permanent);
                prop_assert!(failure.message.contains(&bytes) && failure.message.contains("test.jsonl"), "{}", failure.message);
            }
        }
    }
}

/// What is said, without where in the script it stood.
fn spoken(parts: &[RawPart]) -> Vec<String> {
    let said = parts.iter().filter_map(|part| match part {
        RawPart::Text(text) => Some(text.clone()),
        RawPart::Call(call) => Some(format!("{} {}", call.tool, call.args)),
        RawPart::Opaque { .. } => None,
    });
    said.collect()
}

fn carried(place: &str) -> (u64, u64) {
    let value: Value = serde_json::from_str(place).unwrap();
    (value["line"].as_u64().unwrap(), value["i"].as_u64().unwrap())
}
