//! One conversation with thinking, parallel calls, results and text, in every protocol.

use super::talk::{MODEL, Talk, said};
use contract::body::Usage;
use contract::config::{Prices, Protocol};
use contract::port::RawPart;
use contract::request::{Item, Part};
use contract::text::Text;
use serde_json::{Value, json};
use std::sync::Arc;

pub const PROTOCOLS: [Protocol; 4] = [Protocol::OpenaiChat, Protocol::OpenaiResponses, Protocol::Anthropic, Protocol::Ollama];

const SCRIPT: &str = r#"
{"thinking":"Zwei Befehle, würde ich sagen 🦀.","text":"Ich sehe nach: 中文 ✓ ","calls":[{"tool":"shell","args":{"command":"ls \"é\""}},{"tool":"shell","args":{}}],"usage":{"input":100,"output":50,"cache_read":30,"cache_write":20,"reasoning":10}}
{"calls":[{"tool":"shell","args":{"command":"pwd"}}],"thinking":"Noch einer."}
{"text":"Fertig: alles gut.","usage":{"input":7,"output":3}}
"#;

#[tokio::test]
async fn a_conversation_is_the_same_in_every_protocol() {
    for protocol in PROTOCOLS {
        let mut talk = Talk::with(protocol, SCRIPT).say("Sieh nach.");
        let first = talk.turn().await;
        let commands = vec![("shell".to_owned(), json!({"command": "ls \"é\""})), ("shell".to_owned(), json!({}))];
        assert_eq!(said(&first), ("Ich sehe nach: 中文 ✓ ".to_owned(), commands), "{protocol:?}");
        assert_eq!(talk.seen(), ("Ich sehe nach: 中文 ✓ ".to_owned(), "Zwei Befehle, würde ich sagen 🦀.".to_owned()), "{protocol:?}");
        assert_eq!(first.usage, usage(protocol), "{protocol:?}");
        assert_eq!(first.cost_micros, None);

        let second = talk.turn().await;
        assert_eq!(said(&second), (String::new(), vec![("shell".to_owned(), json!({"command": "pwd"}))]), "{protocol:?}");
        let third = talk.turn().await;
        assert_eq!(said(&third), ("Fertig: alles gut.".to_owned(), vec![]), "{protocol:?}");

        let ids: Vec<String> = [&first, &second].iter().flat_map(|reply| calls(&reply.parts)).collect();
        let different: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!((ids.len(), different.len()), (3, 3), "{protocol:?}: {ids:?}");
    }
}

fn calls(parts: &[RawPart]) -> Vec<String> {
    parts.iter().filter_map(|part| if let RawPart::Call(call) = part { Some(call.provider_call.clone()) } else { None }).collect()
}

/// Not every protocol tells everything.
fn usage(protocol: Protocol) -> Usage {
    let all = Usage { input: 100, output: 50, cache_read: 30, cache_write: 20, reasoning: 10 };
    match protocol {
        Protocol::OpenaiChat => all,
        Protocol::OpenaiResponses => Usage { input: 120, cache_write: 0, ..all },
        Protocol::Anthropic => Usage { reasoning: 0, ..all },
        Protocol::Ollama => Usage { input: 150, cache_read: 0, cache_write: 0, reasoning: 0, output: 50 },
    }
}

/// Servers on people's own machines often say nothing about usage; limits of tokens and money must hold all the same.
#[tokio::test]
async fn what_nobody_counted_is_estimated_by_its_bytes() {
    let script = "{\"text\":\"0123456789\",\"uncounted\":true}\n{\"text\":\"counted\",\"usage\":{\"input\":0,\"output\":0}}";
    let mut talk = Talk::with(Protocol::OpenaiChat, script).say("go");
    talk.endpoint.prices = Some(Prices { input: 1_000_000, output: 2_000_000, cache_read: None, cache_write: None });
    let reply = talk.turn().await;
    let asked = serde_json::to_vec(&talk.provider.requests()[0].body).unwrap().len() as u64;
    let expected = Usage { input: asked.div_ceil(4), output: 3, ..Usage::default() };
    assert_eq!((reply.usage, reply.cost_micros), (expected, Some(expected.input + 2 * 3)));
    assert_eq!(talk.turn().await.usage, Usage::default(), "what was told is believed");
}

#[tokio::test]
async fn what_a_provider_needs_back_goes_to_nobody_else() {
    for protocol in PROTOCOLS {
        let mut talk = Talk::with(protocol, SCRIPT).say("Sieh nach.");
        let first = talk.turn().await;
        for part in &first.parts {
            if let RawPart::Opaque { protocol: of, model, .. } = part {
                assert_eq!((of.as_str(), model.as_str()), (protocol.name(), MODEL));
            }
        }
        // The same conversation as another model would be told it: the provider misses what it gave.
        for (other_protocol, other_model) in [("script", MODEL), (protocol.name(), "spare")] {
            let mut other = Talk::with(protocol, SCRIPT);
            other.items = talk.items.iter().map(|item| foreign(item, other_protocol, other_model)).collect();
            let answer = other.ask().await;
            let sent = other.provider.requests().pop().unwrap().body.to_string();
            assert!(!sent.contains("würde ich sagen"), "{protocol:?}: {sent}");
            match protocol {
                Protocol::Ollama => assert!(answer.is_ok()),
                Protocol::OpenaiChat | Protocol::OpenaiResponses | Protocol::Anthropic => {
                    let failure = answer.unwrap_err();
                    assert!(failure.message.starts_with("status 400: "), "{protocol:?}: {failure:?}");
                }
            }
        }
    }
}

fn foreign(item: &Item, protocol: &str, model: &str) -> Arc<Item> {
    let Item::Assistant(parts) = item else { return Arc::new(item.clone()) };
    let other = |part: &Part| match part {
        Part::Opaque { bytes, .. } => Part::Opaque { protocol: protocol.into(), model: model.into(), bytes: bytes.clone() },
        same @ (Part::Text(_) | Part::Call { .. }) => same.clone(),
    };
    Arc::new(Item::Assistant(parts.iter().map(other).collect()))
}

#[tokio::test]
async fn every_request_begins_with_the_messages_of_the_one_before() {
    for protocol in PROTOCOLS {
        let mut talk = Talk::with(protocol, SCRIPT).say("Sieh nach.");
        for _ in 0..3 {
            talk.turn().await;
        }
        let bodies: Vec<Vec<Value>> = talk.provider.requests().iter().map(|request| elements(&request.body)).collect();
        assert_eq!(bodies.len(), 3);
        for (shorter, longer) in bodies.iter().zip(&bodies[1..]) {
            assert!(longer.len() > shorter.len());
            assert_eq!(&longer[..shorter.len()], &shorter[..], "{protocol:?}");
        }
    }
}

/// The list that grows, without the marks of a cache, which move.
fn elements(body: &Value) -> Vec<Value> {
    let list = body.get("messages").or_else(|| body.get("input")).and_then(Value::as_array).unwrap();
    list.iter().map(|element| without_marks(element.clone())).collect()
}

fn without_marks(mut value: Value) -> Value {
    if let Some(blocks) = value.get_mut("content").and_then(Value::as_array_mut) {
        for block in blocks.iter_mut().filter_map(Value::as_object_mut) {
            block.remove("cache_control");
        }
    }
    value
}

#[tokio::test]
async fn what_a_provider_says_about_its_cost_counts_before_our_prices() {
    let script = "{\"text\":\"a\",\"usage\":{\"input\":1000,\"output\":100}}\n{\"text\":\"b\",\"cost\":0.0123,\"usage\":{\"input\":1000}}";
    let mut talk = Talk::with(Protocol::OpenaiChat, script).say("go");
    talk.endpoint.prices = Some(Prices { input: 3_000_000, output: 15_000_000, cache_read: None, cache_write: None });
    assert_eq!(talk.turn().await.cost_micros, Some(4_500));
    talk.items.push(Arc::new(Item::Message(Text::from("more"))));
    assert_eq!(talk.turn().await.cost_micros, Some(12_300));
}

#[tokio::test]
async fn a_turn_that_its_provider_interrupts_is_one_reply() {
    let script = r#"
{"thinking":"hm","text":"one ","pauses":true,"usage":{"input":10,"output":1}}
{"text":"two","usage":{"input":12,"output":2}}
{"text":"three"}
"#;
    let mut talk = Talk::with(Protocol::Anthropic, script).say("go");
    let reply = talk.turn().await;
    assert_eq!(said(&reply).0, "one two");
    assert_eq!((reply.usage.input, reply.usage.output), (22, 3));
    assert_eq!(talk.seen(), ("one two".to_owned(), "hm".to_owned()));
    assert_eq!(talk.provider.requests().len(), 2);
}
