//! Anthropic Messages: what a line thinks comes with a signature, and must come back first in its turn.

use crate::dialect::{Dialect, Event, Kind, Refusal, pieces, sse, words};
use crate::script::{Fault, Line, Script};
use serde_json::{Value, json};

pub const DIALECT: Dialect = Dialect { media_type: "text/event-stream; charset=utf-8", replies, refusal, events, error, error_event };

fn messages(request: &Value) -> impl Iterator<Item = &Value> {
    request["messages"].as_array().into_iter().flatten()
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message["content"].as_array().into_iter().flatten()
}

fn replies(request: &Value) -> usize {
    messages(request).filter(|message| message["role"] == "assistant").count()
}

fn thinking(number: usize, line: &Line) -> Value {
    json!({"type": "thinking", "thinking": line.thinking, "signature": format!("signature-{number}")})
}

fn refusal(request: &Value, script: &Script) -> Option<String> {
    if !request["max_tokens"].is_u64() {
        return Some("max_tokens: Field required".to_owned());
    }
    let mut open: Vec<&Value> = Vec::new();
    let mut number = 0;
    for (place, message) in messages(request).enumerate() {
        let results = || blocks(message).filter(|block| block["type"] == "tool_result");
        let first = blocks(message).take_while(|block| block["type"] == "tool_result").count();
        if message["role"] == "user" {
            if first != results().count() {
                return Some(format!("messages.{place}: `tool_result` blocks must come first"));
            }
            for result in results() {
                let Some(known) = open.iter().position(|id| **id == result["tool_use_id"]) else {
                    return Some(format!("messages.{place}: unexpected `tool_use_id` found in `tool_result` blocks"));
                };
                open.remove(known);
            }
        }
        if !open.is_empty() {
            return Some(format!("messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after"));
        }
        if message["role"] == "assistant" {
            open.extend(blocks(message).filter(|block| block["type"] == "tool_use").map(|block| &block["id"]));
            let wanted = script.reply(number).filter(|line| !line.thinking.is_empty()).map(|line| thinking(number, line));
            if let Some(wanted) = wanted.filter(|_| !open.is_empty())
                && message["content"][0] != wanted
            {
                return Some(format!("messages.{place}.content.0: `thinking` blocks cannot be modified and must come first in the turn"));
            }
            number += 1;
        }
    }
    (!open.is_empty() || messages(request).next().is_none()).then(|| "messages: the last turn is not the user's".to_owned())
}

fn events(request: &Value, number: usize, line: &Line) -> Vec<Event> {
    let named = |kind, name: &str, mut data: Value| {
        data["type"] = json!(name);
        sse(kind, Some(name), &data)
    };
    let usage = json!({
        "input_tokens": line.usage.input,
        "cache_creation_input_tokens": line.usage.cache_write,
        "cache_read_input_tokens": line.usage.cache_read,
        "output_tokens": 1,
    });
    let message = json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": request["model"], "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    let mut events = vec![named(Kind::Frame, "message_start", json!({"message": message}))];
    events.push(named(Kind::Frame, "ping", json!({})));
    let mut index = 0;
    let mut block = |begin: Value, deltas: Vec<(Kind, Value)>| {
        events.push(named(Kind::Frame, "content_block_start", json!({"index": index, "content_block": begin})));
        for (kind, delta) in deltas {
            events.push(named(kind, "content_block_delta", json!({"index": index, "delta": delta})));
        }
        events.push(named(Kind::Frame, "content_block_stop", json!({"index": index})));
        index += 1;
    };
    if !line.thinking.is_empty() {
        let mut deltas: Vec<(Kind, Value)> =
            words(&line.thinking).map(|word| (Kind::Frame, json!({"type": "thinking_delta", "thinking": word}))).collect();
        deltas.push((Kind::Frame, json!({"type": "signature_delta", "signature": format!("signature-{number}")})));
        block(json!({"type": "thinking", "thinking": "", "signature": ""}), deltas);
    }
    if !line.text.is_empty() {
        let deltas = words(&line.text).map(|word| (Kind::Text, json!({"type": "text_delta", "text": word})));
        block(json!({"type": "text", "text": ""}), deltas.collect());
    }
    for (place, call) in line.calls.iter().enumerate() {
        // A call without arguments has no pieces either.
        let args = if call.args == json!({}) { String::new() } else { call.args.to_string() };
        let deltas = pieces(&args).into_iter().map(|piece| (Kind::Arguments, json!({"type": "input_json_delta", "partial_json": piece})));
        let begin = json!({"type": "tool_use", "id": format!("toolu_{number}_{place}"), "name": call.tool, "input": {}});
        block(begin, deltas.collect());
    }
    let stop_reason = match line.fault {
        Some(Fault::OutputLimit) => "max_tokens",
        Some(Fault::Refused) => "refusal",
        _ if line.pauses => "pause_turn",
        _ if !line.calls.is_empty() => "tool_use",
        _ => "end_turn",
    };
    let delta = json!({"delta": {"stop_reason": stop_reason, "stop_sequence": null}, "usage": {"output_tokens": line.usage.output}});
    events.push(named(Kind::Frame, "message_delta", delta));
    events.push(named(Kind::Frame, "message_stop", json!({})));
    events
}

fn error(refusal: &Refusal) -> Value {
    json!({"type": "error", "error": {"type": refusal.kind, "message": refusal.message}, "request_id": "req_scripted"})
}

fn error_event(refusal: &Refusal) -> Vec<u8> {
    sse(Kind::Frame, Some("error"), &error(refusal)).bytes
}
