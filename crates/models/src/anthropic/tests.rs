//! What only this protocol does: blocks of several kinds, counts that grow, reasons to stop.

use crate::rehearsal::{read, told};
use crate::reply::{Fault, Whole};
use contract::body::Usage;
use contract::config::Protocol;
use serde_json::{Value, json};

fn of(events: &[Value]) -> Result<Whole, Fault> {
    let stream: String = events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect();
    read(Protocol::Anthropic, stream.as_bytes())
}

fn begin(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}})
}

#[test]
fn blocks_keep_their_order_and_what_is_unknown_is_passed_over() {
    let whole = of(&[
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 5, "cache_read_input_tokens": 3, "output_tokens": 1}}}),
        json!({"type": "ping"}),
        json!({"type": "something_new", "index": 0}),
        begin(0, json!({"type": "redacted_thinking", "data": "xyz"})),
        begin(1, json!({"type": "thinking", "thinking": "h", "signature": ""})),
        delta(1, json!({"type": "thinking_delta", "thinking": "m"})),
        delta(1, json!({"type": "signature_delta", "signature": "si"})),
        delta(1, json!({"type": "signature_delta", "signature": "gn"})),
        begin(2, json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{}"})),
        begin(3, json!({"type": "text", "text": "a"})),
        delta(3, json!({"type": "citations_delta", "citation": {}})),
        delta(3, json!({"type": "text_delta", "text": "b"})),
        begin(4, json!({"type": "tool_use", "id": "t1", "name": "now", "input": {}})),
        delta(4, json!({"type": "input_json_delta", "partial_json": ""})),
        begin(5, json!({"type": "tool_use", "id": "t2", "name": "at_once", "input": {"a": 1}})),
        stop("tool_use"),
        json!({"type": "message_stop"}),
    ])
    .unwrap();
    let expected = [
        r#"opaque {"type":"redacted_thinking","data":"xyz"}"#,
        r#"opaque {"type":"thinking","thinking":"hm","signature":"sign"}"#,
        "text ab",
        "call t1 now {}",
        r#"call t2 at_once {"a":1}"#,
    ];
    assert_eq!(told(&whole), expected);
    assert_eq!(whole.usage, Usage { input: 5, output: 9, cache_read: 3, ..Usage::default() });
    assert!(!whole.paused);
}

#[test]
fn a_reason_to_stop_is_not_an_answer() {
    let stopped = |reason: &str| of(&[begin(0, json!({"type": "text", "text": "half"})), stop(reason)]);
    assert!(stopped("end_turn").is_ok() && stopped("stop_sequence").is_ok() && stopped("a_new_one").is_ok());
    assert!(stopped("pause_turn").unwrap().paused);
    assert!(matches!(stopped("max_tokens"), Err(Fault::OutputLimit)));
    assert!(matches!(stopped("model_context_window_exceeded"), Err(Fault::ContextLimit)));
    assert!(matches!(stopped("refusal"), Err(Fault::Refused(_))));
}

#[test]
fn blocks_that_do_not_fit_together_are_refused() {
    let text = begin(0, json!({"type": "text", "text": ""}));
    assert!(matches!(of(&[delta(0, json!({"type": "text_delta", "text": "a"}))]), Err(Fault::Malformed(_))));
    assert!(matches!(of(&[text, delta(0, json!({"type": "input_json_delta", "partial_json": "a"}))]), Err(Fault::Malformed(_))));
}
