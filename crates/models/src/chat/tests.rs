//! The liberties that servers take, each as some server takes it.

use crate::rehearsal::{read, told};
use crate::reply::Fault;
use contract::config::Protocol;
use serde_json::{Value, json};

fn stream(chunks: &[Value]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"delta": delta}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn of(chunks: &[Value]) -> Vec<String> {
    told(&read(Protocol::OpenaiChat, stream(chunks).as_bytes()).unwrap())
}

#[test]
fn text_without_a_role_an_index_or_an_end_mark_is_text() {
    assert_eq!(
        of(&[delta(json!({"content": "a"})), delta(json!({"content": null})), delta(json!({"content": "b"})), finish("stop")]),
        ["text ab"]
    );
    assert_eq!(of(&[delta(json!({"content": [{"type": "text", "text": "parts"}]})), finish("eos")]), ["text parts"]);
    let with_comments = format!(
        ": keep-alive\r\n\r\n{}data: [DONE]\r\n\r\nwhatever",
        stream(&[delta(json!({"content": "a"})), finish("stop")]).replace('\n', "\r\n")
    );
    assert_eq!(told(&read(Protocol::OpenaiChat, with_comments.as_bytes()).unwrap()), ["text a"]);
}

#[test]
fn calls_are_told_apart_by_index_by_id_or_by_order() {
    let piece = |index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: Value| {
        let mut call = json!({"function": {"arguments": arguments}});
        if let Some(index) = index {
            call["index"] = json!(index);
        }
        if let Some(id) = id {
            call["id"] = json!(id);
        }
        if let Some(name) = name {
            call["function"]["name"] = json!(name);
        }
        call
    };
    let call = |pieces: Vec<Value>| delta(json!({"tool_calls": pieces}));
    let expected = ["call x read {\"a\":1}", "call y write {\"b\":2}"];

    let by_index = [
        call(vec![piece(Some(0), Some("x"), Some("read"), json!("{\"a\""))]),
        call(vec![piece(Some(1), Some("y"), Some("write"), json!(""))]),
        call(vec![piece(Some(0), None, None, json!(":1}")), piece(Some(1), Some(""), Some(""), json!("{\"b\":2}"))]),
        finish("tool_calls"),
    ];
    assert_eq!(of(&by_index), expected);

    let by_id = [
        call(vec![piece(None, Some("x"), Some("read"), json!("{\"a\""))]),
        call(vec![piece(None, None, None, json!(":1}"))]),
        call(vec![piece(None, Some("y"), Some("write"), json!("{\"b\"")), piece(None, Some("y"), None, json!(":2}"))]),
        finish("stop"),
    ];
    assert_eq!(of(&by_id), expected);

    let one_index_for_all = [
        call(vec![piece(Some(0), Some("x"), Some("read"), json!({"a": 1}))]),
        call(vec![piece(Some(0), Some("y"), Some("write"), json!({"b": 2}))]),
        finish("stop"),
    ];
    assert_eq!(of(&one_index_for_all), expected);

    let one_id_for_all = [
        call(vec![piece(Some(0), Some("x"), Some("read"), json!("{}")), piece(Some(1), Some("x"), Some("write"), json!("{}"))]),
        finish("stop"),
    ];
    let told = of(&one_id_for_all);
    assert!(told[0] == "call x read {}" && told[1].ends_with("-1 write {}"), "{told:?}");

    let nameless =
        [call(vec![piece(None, None, Some("read"), json!(null)), piece(None, None, Some("write"), json!("{}"))]), finish("stop")];
    let told = of(&nameless);
    assert!(told[0].ends_with("-0 read {}") && told[1].ends_with("-1 write {}"), "{told:?}");
}

#[test]
fn reasoning_goes_back_under_its_name_and_with_calls_even_when_empty() {
    let call = delta(json!({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "t", "arguments": "{}"}}]}));
    let first = |reasoning: Value, with_call: bool| {
        let mut chunks = vec![delta(reasoning)];
        chunks.extend(with_call.then(|| call.clone()));
        chunks.extend([delta(json!({"content": "a"})), finish("stop")]);
        of(&chunks).into_iter().next().unwrap()
    };
    assert_eq!(first(json!({"reasoning_content": "hm"}), true), r#"opaque {"reasoning_content":"hm"}"#);
    assert_eq!(first(json!({"reasoning": "hm"}), true), r#"opaque {"reasoning":"hm"}"#);
    assert_eq!(first(json!({"reasoning_content": ""}), true), r#"opaque {"reasoning_content":""}"#);
    assert_eq!(first(json!({"reasoning_content": null}), true), r#"opaque {"reasoning_content":""}"#);
    assert_eq!(first(json!({"reasoning_content": ""}), false), "text a");
    assert_eq!(first(json!({"content": ""}), true), "text a");
    let details = [
        delta(json!({"reasoning": "h", "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "h"}]})),
        delta(json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "m", "signature": "s"}]})),
        delta(json!({"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "x"}]})),
        call,
        finish("tool_calls"),
    ];
    let expected = r#"opaque {"reasoning":"h","reasoning_details":[{"index":0,"signature":"s","text":"hm","type":"reasoning.text"},{"data":"x","index":1,"type":"reasoning.encrypted"}]}"#;
    assert_eq!(of(&details)[0], expected);
}

#[test]
fn usage_is_taken_from_wherever_it_stands() {
    let usage = |n: u64| json!({"prompt_tokens": 10 * n, "completion_tokens": n, "prompt_cache_hit_tokens": 4});
    let on_every_chunk = [
        json!({"choices": [{"delta": {"content": "a"}}], "usage": usage(1)}),
        json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage(2)}),
    ];
    let whole = read(Protocol::OpenaiChat, stream(&on_every_chunk).as_bytes()).unwrap();
    assert_eq!((whole.usage.input, whole.usage.cache_read, whole.usage.output), (16, 4, 2));
    let after = [delta(json!({"content": "a"})), finish("stop"), json!({"choices": [], "usage": usage(3)})];
    assert_eq!(read(Protocol::OpenaiChat, stream(&after).as_bytes()).unwrap().usage.output, 3);
    let strange = [json!({"choices": [{"delta": {"content": "a"}, "finish_reason": ""}], "usage": {"prompt_tokens": -1}}), finish("stop")];
    assert_eq!(read(Protocol::OpenaiChat, stream(&strange).as_bytes()).unwrap().usage.tokens(), 0);
    let null = [json!({"choices": [{"delta": {"content": "a"}}], "usage": null}), finish("stop")];
    assert_eq!(read(Protocol::OpenaiChat, stream(&null).as_bytes()).unwrap().usage.tokens(), 0);
}

#[test]
fn usage_without_counts_counts_nothing() {
    let told = |usage: Value| {
        let chunks = [delta(json!({"content": "a"})), finish("stop"), json!({"choices": [], "usage": usage})];
        read(Protocol::OpenaiChat, stream(&chunks).as_bytes()).unwrap().is_uncounted
    };
    for nothing in [json!(null), json!({}), json!({"prompt_tokens": null, "completion_tokens": null}), json!({"total_tokens": 3})] {
        assert!(told(nothing.clone()), "{nothing}");
    }
    assert!(!told(json!({"prompt_tokens": 0, "completion_tokens": 0})) && !told(json!({"completion_tokens": 1})));
}

#[test]
fn what_is_not_an_answer_is_a_fault() {
    let fault = |chunks: &[Value]| read(Protocol::OpenaiChat, stream(chunks).as_bytes()).unwrap_err();
    let half = delta(json!({"content": "half"}));
    assert!(matches!(fault(std::slice::from_ref(&half)), Fault::Cut));
    let empty_finish = json!({"choices": [{"delta": {"content": "half"}, "finish_reason": ""}]});
    assert!(matches!(fault(&[empty_finish]), Fault::Cut));
    assert!(matches!(read(Protocol::OpenaiChat, b"data: [DONE]\n\n").unwrap_err(), Fault::Cut));
    assert!(matches!(fault(&[half.clone(), finish("length")]), Fault::OutputLimit));
    assert!(matches!(fault(&[half.clone(), finish("content_filter")]), Fault::Refused(_)));
    assert!(matches!(fault(&[half, json!({"error": {"message": "no", "code": 502}})]), Fault::Said(_)));
    assert!(matches!(fault(&[delta(json!({"refusal": "I will not."})), finish("stop")]), Fault::Refused(_)));
    assert!(matches!(fault(&[finish("stop")]), Fault::Empty));
}
