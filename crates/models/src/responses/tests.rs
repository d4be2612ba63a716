//! What only this protocol does: items that come whole, an end with a status.

use crate::rehearsal::{read, told};
use crate::reply::{Fault, Whole};
use contract::body::{FailureClass, Usage};
use contract::config::Protocol;
use serde_json::{Value, json};

fn of(events: &[Value]) -> Result<Whole, Fault> {
    let stream: String = events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect();
    read(Protocol::OpenaiResponses, stream.as_bytes())
}

fn end(kind: &str, response: Value) -> Value {
    json!({"type": format!("response.{kind}"), "response": response})
}

fn text() -> Value {
    json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a", "annotations": []}]})
}

#[test]
fn items_are_taken_in_their_order_and_reasoning_only_with_its_content() {
    let done = |index: u64, item: Value| json!({"type": "response.output_item.done", "output_index": index, "item": item});
    let usage = json!({"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 2}});
    let whole = of(&[
        json!({"type": "response.created", "response": {}}),
        done(3, json!({"type": "function_call", "id": "fc", "call_id": "c", "name": "now", "arguments": ""})),
        done(0, json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x", "status": null})),
        done(1, json!({"type": "reasoning", "id": "rs2", "summary": []})),
        done(2, text()),
        done(4, json!({"type": "web_search_call", "id": "ws"})),
        end("completed", json!({"status": "completed", "output": [], "usage": usage})),
    ])
    .unwrap();
    assert_eq!(told(&whole), [r#"opaque {"encrypted_content":"x","id":"rs","summary":[],"type":"reasoning"}"#, "text a", "call c now {}"]);
    assert_eq!(whole.usage, Usage { input: 5, output: 7, cache_read: 4, reasoning: 2, ..Usage::default() });
}

#[test]
fn servers_that_only_send_the_whole_response_are_understood() {
    assert_eq!(told(&of(&[end("completed", json!({"status": "completed", "output": [text()]}))]).unwrap()), ["text a"]);
}

#[test]
fn usage_without_counts_counts_nothing() {
    let told = |usage: Value| {
        let whole = of(&[end("completed", json!({"status": "completed", "output": [text()], "usage": usage}))]);
        whole.unwrap().is_uncounted
    };
    for nothing in [json!(null), json!({}), json!({"input_tokens": null, "output_tokens": null})] {
        assert!(told(nothing.clone()), "{nothing}");
    }
    assert!(!told(json!({"input_tokens": 0, "output_tokens": 0})) && !told(json!({"output_tokens": 1})));
}

#[test]
fn an_end_that_is_none_is_a_fault() {
    let incomplete = |reason: &str| {
        of(&[end("incomplete", json!({"status": "incomplete", "output": [text()], "incomplete_details": {"reason": reason}}))])
    };
    assert!(matches!(incomplete("max_output_tokens"), Err(Fault::OutputLimit)));
    assert!(matches!(incomplete("content_filter"), Err(Fault::Refused(_))));
    let class = |events: &[Value]| of(events).unwrap_err().failure().class;
    let failed = |code: &str| class(&[end("failed", json!({"status": "failed", "error": {"code": code, "message": "no"}}))]);
    assert_eq!(failed("server_error"), FailureClass::Transient);
    assert_eq!(failed("rate_limit_exceeded"), FailureClass::RateLimited);
    assert_eq!(failed("context_length_exceeded"), FailureClass::ContextTooLong);
    assert_eq!(class(&[json!({"type": "error", "code": "invalid_api_key", "message": "no"})]), FailureClass::Auth);
    assert_eq!(class(&[json!({"type": "error", "error": {"type": "overloaded_error", "message": "no"}})]), FailureClass::Overloaded);
    let refusal = json!({"type": "message", "content": [{"type": "refusal", "refusal": "I will not."}]});
    assert!(matches!(of(&[end("completed", json!({"output": [refusal]}))]), Err(Fault::Refused(_))));
    assert!(matches!(of(&[json!({"type": "response.output_text.delta", "delta": "half"})]), Err(Fault::Cut)));
}
