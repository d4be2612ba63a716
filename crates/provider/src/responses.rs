//! OpenAI Responses without a store: reasoning comes encrypted where it is asked for, and must come back with its calls.

use crate::dialect::{Dialect, Event, Kind, Refusal, pieces, sse, words};
use crate::script::{Fault, Line, Script};
use serde_json::{Value, json};

pub const DIALECT: Dialect = Dialect { media_type: "text/event-stream; charset=utf-8", replies, refusal, events, error, error_event };

fn input(request: &Value) -> impl Iterator<Item = &Value> {
    request["input"].as_array().into_iter().flatten()
}

fn is_of_reply(item: &Value) -> bool {
    item["role"] == "assistant" || item["type"] == "function_call" || item["type"] == "reasoning"
}

/// A reply is as many items as follow each other.
fn turns(request: &Value) -> Vec<Vec<&Value>> {
    let mut turns: Vec<Vec<&Value>> = Vec::new();
    let mut inside = false;
    for item in input(request) {
        let of_reply = is_of_reply(item);
        match turns.last_mut() {
            Some(turn) if of_reply && inside => turn.push(item),
            Some(_) | None if of_reply => turns.push(vec![item]),
            Some(_) | None => {}
        }
        inside = of_reply;
    }
    turns
}

fn replies(request: &Value) -> usize {
    turns(request).len()
}

fn encrypts(request: &Value) -> bool {
    request["include"].as_array().into_iter().flatten().any(|word| word == "reasoning.encrypted_content")
}

fn refusal(request: &Value, script: &Script) -> Option<String> {
    let of_type = |kind: &'static str| input(request).filter(move |item| item["type"] == kind).map(|item| &item["call_id"]);
    let calls: Vec<&Value> = of_type("function_call").collect();
    let outputs: Vec<&Value> = of_type("function_call_output").collect();
    if let Some(open) = calls.iter().find(|call| !outputs.contains(call)) {
        return Some(format!("No tool output found for function call {open}."));
    }
    if let Some(lost) = outputs.iter().find(|output| !calls.contains(output)) {
        return Some(format!("No tool call found for function call output with call_id {lost}."));
    }
    for (number, turn) in turns(request).iter().enumerate() {
        let thinks = script.reply(number).is_some_and(|line| !line.thinking.is_empty());
        let has_calls = turn.iter().any(|item| item["type"] == "function_call");
        let has_reasoning = turn.iter().any(|item| item["encrypted_content"] == format!("encrypted-{number}"));
        if encrypts(request) && thinks && has_calls && !has_reasoning {
            return Some("Item of type 'function_call' was provided without its required 'reasoning' item.".to_owned());
        }
    }
    input(request).next().is_none().then(|| "Missing required parameter: 'input'.".to_owned())
}

/// The events of one answer, numbered, with what they add up to.
struct Output {
    events: Vec<Event>,
    items: Vec<Value>,
}

impl Output {
    fn event(&mut self, kind: Kind, name: &str, mut data: Value) {
        data["type"] = json!(name);
        data["sequence_number"] = json!(self.events.len());
        self.events.push(sse(kind, Some(name), &data));
    }

    /// One item: it begins empty, comes in pieces and ends whole.
    fn item(&mut self, begun: Value, whole: Value, pieces: Vec<(Kind, &str, Value)>) {
        let output_index = self.items.len();
        self.event(Kind::Frame, "response.output_item.added", json!({"output_index": output_index, "item": begun}));
        for (kind, name, mut data) in pieces {
            data["output_index"] = json!(output_index);
            data["item_id"] = whole["id"].clone();
            self.event(kind, name, data);
        }
        self.event(Kind::Frame, "response.output_item.done", json!({"output_index": output_index, "item": whole}));
        self.items.push(whole);
    }
}

fn events(request: &Value, number: usize, line: &Line) -> Vec<Event> {
    let response = |status: &str, output: &[Value], more: Value| {
        let mut response = json!({
            "id": format!("resp_{number}"), "object": "response", "created_at": 0, "model": request["model"], "status": status,
            "output": output, "parallel_tool_calls": true, "tool_choice": "auto", "tools": [], "error": null, "incomplete_details": null,
        });
        more.as_object().into_iter().flatten().for_each(|(field, value)| response[field.as_str()] = value.clone());
        json!({"response": response})
    };
    let mut output = Output { events: Vec::new(), items: Vec::new() };
    output.event(Kind::Frame, "response.created", response("in_progress", &[], json!({})));
    add_items(&mut output, encrypts(request), number, line);
    let usage = json!({"usage": usage(line)});
    let items = output.items.clone();
    match line.fault {
        Some(fault @ (Fault::OutputLimit | Fault::Refused)) => {
            let reason = if fault == Fault::OutputLimit { "max_output_tokens" } else { "content_filter" };
            let more = json!({"incomplete_details": {"reason": reason}});
            output.event(Kind::Frame, "response.incomplete", response("incomplete", &items, more));
        }
        _ => output.event(Kind::Frame, "response.completed", response("completed", &items, usage)),
    }
    output.events
}

fn add_items(output: &mut Output, encrypts: bool, number: usize, line: &Line) {
    if !line.thinking.is_empty() {
        let item = |summary: Value| {
            let mut item = json!({"id": format!("rs_{number}"), "type": "reasoning", "summary": summary, "status": null});
            if encrypts {
                item["encrypted_content"] = json!(format!("encrypted-{number}"));
            }
            item
        };
        let deltas = words(&line.thinking)
            .map(|word| (Kind::Frame, "response.reasoning_summary_text.delta", json!({"summary_index": 0, "delta": word})));
        let whole = item(json!([{"type": "summary_text", "text": line.thinking}]));
        output.item(item(json!([])), whole, deltas.collect());
    }
    if !line.text.is_empty() {
        let item = |status: &str, content: Value| json!({"id": format!("msg_{number}"), "type": "message", "role": "assistant", "status": status, "content": content});
        let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
        let mut deltas = vec![(Kind::Frame, "response.content_part.added", json!({"content_index": 0, "part": part("")}))];
        deltas.extend(
            words(&line.text)
                .map(|word| (Kind::Text, "response.output_text.delta", json!({"content_index": 0, "delta": word, "logprobs": []}))),
        );
        deltas.push((Kind::Frame, "response.output_text.done", json!({"content_index": 0, "text": line.text, "logprobs": []})));
        deltas.push((Kind::Frame, "response.content_part.done", json!({"content_index": 0, "part": part(&line.text)})));
        output.item(item("in_progress", json!([])), item("completed", json!([part(&line.text)])), deltas);
    }
    for (place, call) in line.calls.iter().enumerate() {
        let item = |status: &str, arguments: &str| {
            let (id, call_id) = (format!("fc_{number}_{place}"), format!("call_{number}_{place}"));
            json!({"id": id, "type": "function_call", "call_id": call_id, "name": call.tool, "arguments": arguments, "status": status})
        };
        let arguments = call.args.to_string();
        let mut deltas: Vec<(Kind, &str, Value)> = pieces(&arguments)
            .into_iter()
            .map(|piece| (Kind::Arguments, "response.function_call_arguments.delta", json!({"delta": piece})))
            .collect();
        deltas.push((Kind::Frame, "response.function_call_arguments.done", json!({"arguments": arguments, "name": call.tool})));
        output.item(item("in_progress", ""), item("completed", &arguments), deltas);
    }
}

fn usage(line: &Line) -> Value {
    let said = line.usage;
    let input = said.input + said.cache_read + said.cache_write;
    json!({
        "input_tokens": input,
        "input_tokens_details": {"cached_tokens": said.cache_read},
        "output_tokens": said.output,
        "output_tokens_details": {"reasoning_tokens": said.reasoning},
        "total_tokens": input + said.output,
    })
}

fn error(refusal: &Refusal) -> Value {
    json!({"error": {"message": refusal.message, "type": refusal.kind, "param": null, "code": refusal.code}})
}

fn error_event(refusal: &Refusal) -> Vec<u8> {
    let data = json!({"type": "error", "code": refusal.kind, "message": refusal.message, "param": null, "sequence_number": 9});
    sse(Kind::Frame, Some("error"), &data).bytes
}
