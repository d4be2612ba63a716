//! Ollama's chat: lines of JSON, calls whole and without ids, errors that are a sentence.

use crate::dialect::{Dialect, Event, Kind, Refusal, words};
use crate::script::{Fault, Line, Script};
use serde_json::{Value, json};

pub const DIALECT: Dialect = Dialect { media_type: "application/x-ndjson", replies, refusal, events, error, error_event };

fn messages(request: &Value) -> impl Iterator<Item = &Value> {
    request["messages"].as_array().into_iter().flatten()
}

fn replies(request: &Value) -> usize {
    messages(request).filter(|message| message["role"] == "assistant").count()
}

/// It takes almost everything; what it decodes must have the right type.
fn refusal(request: &Value, _script: &Script) -> Option<String> {
    let calls = messages(request).flat_map(|message| message["tool_calls"].as_array().into_iter().flatten());
    let mut arguments = calls.map(|call| &call["function"]["arguments"]);
    if arguments.any(|arguments| !arguments.is_object()) {
        return Some("json: cannot unmarshal string into Go struct field of type api.ToolCallFunctionArguments".to_owned());
    }
    (!request["model"].is_string()).then(|| "model is required".to_owned())
}

fn events(request: &Value, _number: usize, line: &Line) -> Vec<Event> {
    let row = |kind, message: Value, more: Value| {
        let mut row = json!({"model": request["model"], "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false});
        more.as_object().into_iter().flatten().for_each(|(field, value)| row[field.as_str()] = value.clone());
        Event { kind, bytes: format!("{row}\n").into_bytes() }
    };
    let said = |field: &str, word: &str| {
        let mut message = json!({"role": "assistant", "content": ""});
        message[field] = json!(word);
        message
    };
    let mut events: Vec<Event> = words(&line.thinking).map(|word| row(Kind::Frame, said("thinking", word), json!({}))).collect();
    events.extend(words(&line.text).map(|word| row(Kind::Text, said("content", word), json!({}))));
    if !line.calls.is_empty() {
        let calls: Vec<Value> = line.calls.iter().map(|call| json!({"function": {"name": call.tool, "arguments": call.args}})).collect();
        events.push(row(Kind::Arguments, json!({"role": "assistant", "content": "", "tool_calls": calls}), json!({})));
    }
    let end = json!({
        "done": true,
        "done_reason": if line.fault == Some(Fault::OutputLimit) { "length" } else { "stop" },
        "total_duration": 2, "load_duration": 1, "prompt_eval_duration": 1, "eval_duration": 1,
        "prompt_eval_count": line.usage.input + line.usage.cache_read + line.usage.cache_write,
        "eval_count": line.usage.output,
    });
    events.push(row(Kind::Frame, json!({"role": "assistant", "content": ""}), end));
    events
}

fn error(refusal: &Refusal) -> Value {
    json!({"error": refusal.message})
}

fn error_event(refusal: &Refusal) -> Vec<u8> {
    format!("{}\n", error(refusal)).into_bytes()
}
