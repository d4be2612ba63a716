//! OpenAI chat completions, in the way of DeepSeek where a line thinks: its reasoning must come back with its calls.

use crate::dialect::{Dialect, Event, Kind, Refusal, pieces, sse, words};
use crate::script::{Fault, Line, Script};
use serde_json::{Value, json};

pub const DIALECT: Dialect = Dialect { media_type: "text/event-stream; charset=utf-8", replies, refusal, events, error, error_event };

fn model_of(request: &Value) -> &str {
    request["model"].as_str().unwrap_or("scripted")
}

fn messages(request: &Value) -> impl Iterator<Item = &Value> {
    request["messages"].as_array().into_iter().flatten()
}

fn replies(request: &Value) -> usize {
    messages(request).filter(|message| message["role"] == "assistant").count()
}

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message["tool_calls"].as_array().into_iter().flatten()
}

fn refusal(request: &Value, script: &Script) -> Option<String> {
    let mut open: Vec<&Value> = Vec::new();
    let mut number = 0;
    for message in messages(request) {
        if message["role"] == "tool" {
            let Some(place) = open.iter().position(|id| **id == message["tool_call_id"]) else {
                return Some("messages with role 'tool' must be a response to a preceding message with 'tool_calls'".to_owned());
            };
            open.remove(place);
            continue;
        }
        if !open.is_empty() {
            return Some(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'".to_owned(),
            );
        }
        if message["role"] == "assistant" {
            open.extend(calls(message).map(|call| &call["id"]));
            let thought = script.reply(number).map_or("", |line| &line.thinking);
            if !open.is_empty() && !thought.is_empty() && message["reasoning_content"] != thought {
                return Some("The reasoning_content in the thinking mode must be passed back to the API.".to_owned());
            }
            number += 1;
        }
    }
    let last_is_open = (!open.is_empty()).then(|| "the last tool calls have no results".to_owned());
    last_is_open.or_else(|| (number == 0 && messages(request).next().is_none()).then(|| "messages is empty".to_owned()))
}

fn events(request: &Value, number: usize, line: &Line) -> Vec<Event> {
    let chunk = |kind, choices: Value, usage: Option<Value>| {
        let mut chunk = json!({"id": format!("chatcmpl-{number}"), "object": "chat.completion.chunk", "created": 0, "model": model_of(request), "choices": choices});
        if let Some(usage) = usage {
            chunk["usage"] = usage;
        }
        sse(kind, None, &chunk)
    };
    let delta = |kind, delta: Value| chunk(kind, json!([{"index": 0, "delta": delta, "finish_reason": null}]), None);
    let mut events = vec![delta(Kind::Frame, json!({"role": "assistant", "content": ""}))];
    events.extend(words(&line.thinking).map(|word| delta(Kind::Frame, json!({"reasoning_content": word}))));
    events.push(Event { kind: Kind::Frame, bytes: b": keep-alive\n\n".to_vec() });
    events.extend(words(&line.text).map(|word| delta(Kind::Text, json!({"content": word}))));
    for (index, call) in line.calls.iter().enumerate() {
        let function = json!({"name": call.tool, "arguments": ""});
        let begin = json!({"index": index, "id": format!("call_{number}_{index}"), "type": "function", "function": function});
        events.push(delta(Kind::Frame, json!({"tool_calls": [begin]})));
        for piece in pieces(&call.args.to_string()) {
            events.push(delta(Kind::Arguments, json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})));
        }
    }
    let finish = match line.fault {
        Some(Fault::OutputLimit) => "length",
        Some(Fault::Refused) => "content_filter",
        _ if !line.calls.is_empty() => "tool_calls",
        _ => "stop",
    };
    events.push(chunk(Kind::Frame, json!([{"index": 0, "delta": {}, "finish_reason": finish}]), None));
    if request["stream_options"]["include_usage"] == true && !line.uncounted {
        events.push(chunk(Kind::Frame, json!([]), Some(usage(line))));
    }
    events.push(Event { kind: Kind::Frame, bytes: b"data: [DONE]\n\n".to_vec() });
    events
}

fn usage(line: &Line) -> Value {
    let said = line.usage;
    let prompt = said.input + said.cache_read + said.cache_write;
    let mut usage = json!({
        "prompt_tokens": prompt,
        "completion_tokens": said.output,
        "total_tokens": prompt + said.output,
        "prompt_tokens_details": {"cached_tokens": said.cache_read, "cache_write_tokens": said.cache_write},
        "completion_tokens_details": {"reasoning_tokens": said.reasoning},
    });
    if let Some(cost) = line.cost {
        usage["cost"] = json!(cost);
    }
    usage
}

fn error(refusal: &Refusal) -> Value {
    json!({"error": {"message": refusal.message, "type": refusal.kind, "param": null, "code": refusal.code}})
}

fn error_event(refusal: &Refusal) -> Vec<u8> {
    sse(Kind::Frame, None, &error(refusal)).bytes
}
