//! Answers as servers damage them: a whole reply comes out or a fault, and what comes out was really said.

use crate::failure::for_people;
use crate::protocol::listed;
use crate::rehearsal::{PROTOCOLS, read, told};
use contract::config::Protocol;
use damage::{damaged, reshaped};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A whole answer, event by event.
fn answer(protocol: Protocol) -> Vec<Value> {
    match protocol {
        Protocol::OpenaiChat => vec![
            json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": null, "reasoning_content": "hm"}}]}),
            json!({"choices": [{"index": 0, "delta": {"content": "one two"}}]}),
            json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "shell", "arguments": ""}}]}}]}),
            json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{\"a\":1}"}}]}}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}),
        ],
        Protocol::OpenaiResponses => vec![
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs"}}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"}}),
            json!({"type": "response.output_text.delta", "delta": "one two"}),
            json!({"type": "response.output_item.done", "output_index": 1, "item": {"type": "message", "content": [{"type": "output_text", "text": "one two"}]}}),
            json!({"type": "response.output_item.done", "output_index": 2, "item": {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{\"a\":1}"}}),
            json!({"type": "response.completed", "response": {"status": "completed", "usage": {"input_tokens": 5, "output_tokens": 3}}}),
        ],
        Protocol::Anthropic => vec![
            json!({"type": "message_start", "message": {"usage": {"input_tokens": 5, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "one two"}}),
            json!({"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "c", "name": "shell", "input": {}}}),
            json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{\"a\":1}"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}}),
            json!({"type": "message_stop"}),
        ],
        Protocol::Ollama => vec![
            json!({"message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": false}),
            json!({"message": {"role": "assistant", "content": "one two"}, "done": false}),
            json!({"message": {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "shell", "arguments": {"a": 1}}}]}, "done": false}),
            json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 5, "eval_count": 3}),
        ],
    }
}

fn written(protocol: Protocol, events: &[Value]) -> Vec<u8> {
    let line = |event: &Value| match protocol {
        Protocol::OpenaiChat | Protocol::OpenaiResponses | Protocol::Anthropic => format!("data: {event}\n\n"),
        Protocol::Ollama => format!("{event}\n"),
    };
    events.iter().map(line).collect::<String>().into_bytes()
}

/// A list of models, with a name that is none.
fn list(protocol: Protocol) -> Value {
    match protocol {
        Protocol::OpenaiChat | Protocol::OpenaiResponses => {
            json!({"object": "list", "data": [{"id": "a/b:1", "supported_parameters": ["tools"]}, {"id": "no\nname"}]})
        }
        Protocol::Anthropic => json!({"data": [{"type": "model", "id": "a/b:1"}, {"type": "model", "id": "no\nname"}], "has_more": false}),
        Protocol::Ollama => json!({"models": [{"name": "a/b:1", "size": 1}, {"name": "no\nname", "size": 1}]}),
    }
}

fn protocol() -> impl Strategy<Value = Protocol> {
    prop::sample::select(PROTOCOLS.to_vec())
}

#[test]
fn each_answer_is_whole_to_begin_with() {
    for protocol in PROTOCOLS {
        let whole = read(protocol, &written(protocol, &answer(protocol))).unwrap();
        let told = told(&whole);
        assert_eq!(told[1..], ["text one two", "call c shell {\"a\":1}"], "{protocol:?}");
        assert!(told[0].starts_with("opaque {"), "{protocol:?}: {told:?}");
        assert_eq!((whole.usage.input, whole.usage.output), (5, 3), "{protocol:?}");
    }
}

#[test]
fn a_list_has_only_names_that_can_be_shown_and_sent() {
    for protocol in PROTOCOLS {
        let offered = listed(protocol, list(protocol).to_string().as_bytes()).unwrap();
        assert_eq!(offered.iter().map(|one| one.model.as_str()).collect::<Vec<_>>(), ["a/b:1"], "{protocol:?}");
    }
}

proptest! {
    #[test]
    fn what_ends_early_is_never_whole(protocol in protocol(), upto in any::<prop::sample::Index>()) {
        let events = answer(protocol);
        let bytes = written(protocol, &events);
        // Where the last event that says so begins; the events after it are not needed.
        let end_event = if protocol == Protocol::Anthropic { events.len() - 2 } else { events.len() - 1 };
        let end = written(protocol, &events[..end_event]).len();
        let upto = upto.index(end);
        prop_assert!(read(protocol, &bytes[..upto]).is_err());
    }

    #[test]
    fn damaged_bytes_are_a_reply_or_a_fault(
        (protocol, bytes) in protocol().prop_flat_map(|protocol| (Just(protocol), damaged(Just(written(protocol, &answer(protocol)))))),
    ) {
        if let Err(fault) = read(protocol, &bytes) {
            prop_assert!(!fault.to_string().is_empty());
            prop_assert!(!for_people(fault.failure(), None).message.chars().any(char::is_control));
        }
    }

    #[test]
    fn reshaped_events_are_a_reply_or_a_fault(
        (protocol, events) in protocol().prop_flat_map(|protocol| (Just(protocol), reshaped(Just(Value::Array(answer(protocol)))))),
    ) {
        let events = events.as_array().cloned().unwrap_or_default();
        if let Ok(whole) = read(protocol, &written(protocol, &events)) {
            prop_assert!(!whole.parts.is_empty());
        }
    }

    #[test]
    fn a_damaged_list_is_a_list_or_none(
        (protocol, bytes) in protocol().prop_flat_map(|protocol| (Just(protocol), damaged(Just(list(protocol).to_string().into_bytes())))),
    ) {
        for one in listed(protocol, &bytes).unwrap_or_default() {
            prop_assert!(!one.model.is_empty() && !one.model.contains(|c: char| c.is_control() || c.is_whitespace()), "{:?}", one);
        }
    }

    #[test]
    fn a_reshaped_list_is_a_list_or_none(
        (protocol, list) in protocol().prop_flat_map(|protocol| (Just(protocol), reshaped(Just(list(protocol))))),
    ) {
        for one in listed(protocol, list.to_string().as_bytes()).unwrap_or_default() {
            prop_assert!(!one.model.is_empty() && one.model.len() <= 200, "{:?}", one);
        }
    }
}
