//! Whole requests, field by field: one conversation with everything in it, and every setting.

use crate::protocol::asking;
use crate::rehearsal::{MODEL, config, endpoint};
use contract::call::{Class, Risk};
use contract::config::{Endpoint, Protocol, RunConfig, Sampling, ToolSpec};
use contract::id::CallId;
use contract::request::{CallResult, Item, Part};
use contract::text::Text;
use serde_json::{Value, json};
use std::sync::Arc;

fn with_tool() -> RunConfig {
    let schema = json!({"type": "object"});
    let tool = ToolSpec { name: "shell".into(), description: "Runs.".into(), schema, class: Class::Pure, risk: Risk::Low };
    RunConfig { tools: vec![tool], ..config() }
}

/// A person, a reply that thinks and calls twice, its results, one that comes late, and a notice.
fn items(protocol: Protocol, opaque: &str) -> Vec<Arc<Item>> {
    let call = |index| CallId { reply: 1, index };
    let part = |index: u16, id: &str, args: &str| Part::Call {
        call: call(index),
        provider_call: id.into(),
        tool: "shell".into(),
        args: Text::from(args),
    };
    let ok = CallResult::noted(call(0), "c-1".into(), true, None, Some(Text::from("fine")));
    let failed = CallResult { exit: Some(7), ..CallResult::noted(call(1), "c:2".into(), false, None, Some(Text::from("bad"))) };
    let late = CallResult { exit: Some(0), ..CallResult::noted(call(0), "c-1".into(), true, None, Some(Text::from("done"))) };
    let opaque = Part::Opaque { protocol: protocol.name().into(), model: MODEL.into(), bytes: Text::from(opaque) };
    let reply = vec![opaque, Part::Text(Text::from("Look.")), part(0, "c-1", "{\"b\": 1}"), part(1, "c:2", "{\"cut")];
    let items = [
        Item::Message(Text::from("go")),
        Item::Assistant(reply),
        Item::Result(ok),
        Item::Result(failed),
        Item::Late(late),
        Item::Notice(Text::from("note")),
    ];
    items.into_iter().map(Arc::new).collect()
}

fn body(config: &RunConfig, endpoint: &Endpoint, items: &[Arc<Item>]) -> Value {
    serde_json::from_slice(&asking(config, endpoint, items).unwrap().body).unwrap()
}

const LATE: &str = "late result of call: c-1\nok: true\nexit: 0\n\ndone";

#[test]
fn chat_completions() {
    let endpoint = endpoint(Protocol::OpenaiChat, "https://x.example/v1");
    let items = items(Protocol::OpenaiChat, r#"{"reasoning":"hm"}"#);
    let function = |name: &str, arguments: &str| json!({"name": name, "arguments": arguments});
    let expected = json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "Look.", "reasoning": "hm", "tool_calls": [
                {"id": "c-1", "type": "function", "function": function("shell", "{\"b\": 1}")},
                {"id": "c:2", "type": "function", "function": function("shell", "{\"arguments\":\"{\\\"cut\"}")},
            ]},
            {"role": "tool", "tool_call_id": "c-1", "content": "fine"},
            {"role": "tool", "tool_call_id": "c:2", "content": "exit: 7\n\nbad"},
            {"role": "user", "content": LATE},
            {"role": "user", "content": "note"},
        ],
        "tools": [{"type": "function", "function": {"name": "shell", "description": "Runs.", "parameters": {"type": "object"}}}],
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    assert_eq!(body(&with_tool(), &endpoint, &items), expected);
}

#[test]
fn responses() {
    let endpoint = endpoint(Protocol::OpenaiResponses, "https://x.example/v1");
    let items = items(Protocol::OpenaiResponses, r#"{"type":"reasoning","encrypted_content":"x"}"#);
    let user = |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let expected = json!({
        "model": "m",
        "instructions": "Be short.",
        "input": [
            user("go"),
            {"type": "reasoning", "encrypted_content": "x"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Look."}]},
            {"type": "function_call", "call_id": "c-1", "name": "shell", "arguments": "{\"b\": 1}"},
            {"type": "function_call", "call_id": "call_1_1", "name": "shell", "arguments": "{\"arguments\":\"{\\\"cut\"}"},
            {"type": "function_call_output", "call_id": "c-1", "output": "fine"},
            {"type": "function_call_output", "call_id": "call_1_1", "output": "exit: 7\n\nbad"},
            user(LATE),
            user("note"),
        ],
        "tools": [{"type": "function", "name": "shell", "description": "Runs.", "parameters": {"type": "object"}, "strict": false}],
        "stream": true,
        "store": false,
    });
    assert_eq!(body(&with_tool(), &endpoint, &items), expected);
}

#[test]
fn anthropic() {
    let endpoint = endpoint(Protocol::Anthropic, "https://x.example");
    let items = items(Protocol::Anthropic, r#"{"type":"thinking","thinking":"hm","signature":"s"}"#);
    let kept = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "m",
        "max_tokens": 8192,
        "system": [{"type": "text", "text": "Be short.", "cache_control": kept}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "go", "cache_control": kept}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "Look."},
                {"type": "tool_use", "id": "c-1", "name": "shell", "input": {"b": 1}},
                {"type": "tool_use", "id": "call_1_1", "name": "shell", "input": {"arguments": "{\"cut"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c-1", "content": "fine"},
                {"type": "tool_result", "tool_use_id": "call_1_1", "content": "exit: 7\n\nbad", "is_error": true},
            ]},
            {"role": "user", "content": [{"type": "text", "text": LATE}]},
            {"role": "user", "content": [{"type": "text", "text": "note", "cache_control": kept}]},
        ],
        "tools": [{"name": "shell", "description": "Runs.", "input_schema": {"type": "object"}}],
        "stream": true,
    });
    assert_eq!(body(&with_tool(), &endpoint, &items), expected);
}

#[test]
fn ollama() {
    let endpoint = Endpoint { context_window: Some(32_768), ..endpoint(Protocol::Ollama, "http://x.example") };
    let items = items(Protocol::Ollama, r#"{"thinking":"hm"}"#);
    let call = |arguments: Value| json!({"function": {"name": "shell", "arguments": arguments}});
    let expected = json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "Look.", "thinking": "hm", "tool_calls": [call(json!({"b": 1})), call(json!({"arguments": "{\"cut"}))]},
            {"role": "tool", "tool_name": "shell", "content": "fine"},
            {"role": "tool", "tool_name": "shell", "content": "exit: 7\n\nbad"},
            {"role": "user", "content": LATE},
            {"role": "user", "content": "note"},
        ],
        "tools": [{"type": "function", "function": {"name": "shell", "description": "Runs.", "parameters": {"type": "object"}}}],
        "stream": true,
        "options": {"num_ctx": 32_768},
    });
    assert_eq!(body(&with_tool(), &endpoint, &items), expected);
}

/// Everything beside the conversation that a setting adds.
fn settings(protocol: Protocol, base_url: &str, sampling: Sampling) -> Value {
    let plain = body(&config(), &endpoint(protocol, base_url), &items(protocol, "{}")[..1]);
    let set = body(&config(), &Endpoint { sampling, ..endpoint(protocol, base_url) }, &items(protocol, "{}")[..1]);
    let differs = set.as_object().unwrap().iter().filter(|(field, value)| plain.get(field.as_str()) != Some(value));
    differs.map(|(field, value)| (field.clone(), value.clone())).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn settings_have_the_words_of_their_protocol_and_what_is_unset_is_not_sent() {
    let all = || Sampling {
        temperature: Some(0.5),
        top_p: Some(0.9),
        max_output_tokens: Some(100),
        stop: vec!["end".into()],
        reasoning: Some("high".into()),
    };
    let reasoning = |word: &str| Sampling { reasoning: Some(word.into()), ..Sampling::default() };
    let shared = json!({"temperature": 0.5, "top_p": 0.9});
    let and = |more: Value| {
        let mut all = shared.clone();
        more.as_object().unwrap().iter().for_each(|(field, value)| all[field] = value.clone());
        all
    };
    let chat = |url| settings(Protocol::OpenaiChat, url, all());
    assert_eq!(chat("https://x.example/v1"), and(json!({"max_tokens": 100, "stop": ["end"], "reasoning_effort": "high"})));
    assert_eq!(chat("https://api.openai.com/v1"), and(json!({"max_completion_tokens": 100, "stop": ["end"], "reasoning_effort": "high"})));
    assert_eq!(settings(Protocol::OpenaiChat, "https://x.example", reasoning("disabled")), json!({"thinking": {"type": "disabled"}}));
    let responses = Sampling { stop: vec![], ..all() };
    let include = json!(["reasoning.encrypted_content"]);
    let expected = and(json!({"max_output_tokens": 100, "include": include, "reasoning": {"effort": "high", "summary": "auto"}}));
    assert_eq!(settings(Protocol::OpenaiResponses, "https://x.example", responses), expected);
    let anthropic = |sampling| settings(Protocol::Anthropic, "https://x.example", sampling);
    let plain = Sampling { reasoning: None, ..all() };
    assert_eq!(anthropic(plain), and(json!({"max_tokens": 100, "stop_sequences": ["end"]})));
    assert_eq!(anthropic(reasoning("2048")), json!({"max_tokens": 8192 + 2048, "thinking": {"type": "enabled", "budget_tokens": 2048}}));
    assert_eq!(anthropic(reasoning("high")), json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}));
    let options = json!({"num_predict": 100, "temperature": 0.5, "top_p": 0.9, "stop": ["end"]});
    assert_eq!(settings(Protocol::Ollama, "http://x.example", all()), json!({"think": "high", "options": options}));
    assert_eq!(settings(Protocol::Ollama, "http://x.example", reasoning("false")), json!({"think": false}));
}

#[test]
fn who_wants_reasoning_with_every_call_gets_it_also_for_calls_of_others() {
    let foreign = items(Protocol::Ollama, "{}");
    let turn = |url: &str| body(&config(), &endpoint(Protocol::OpenaiChat, url), &foreign)["messages"][2].clone();
    assert_eq!(turn("https://api.deepseek.com/v1")["reasoning_content"], json!(""));
    assert_eq!(turn("https://ark.cn-beijing.volces.com/api/v3")["reasoning_content"], json!(""));
    assert_eq!(turn("https://x.example/v1").get("reasoning_content"), None);
}
