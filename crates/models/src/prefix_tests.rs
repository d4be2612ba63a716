//! Whatever a conversation is made of, its next request begins with what the last one sent.

use crate::protocol::asking;
use crate::rehearsal::{MODEL, PROTOCOLS, config, endpoint};
use contract::id::{CallId, Sha256};
use contract::request::{CallResult, Item, ModelRequest, Part};
use contract::text::Text;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use std::sync::Arc;

/// Something happens before the model is asked again.
#[derive(Clone, Debug)]
enum Step {
    Message(String),
    Notice(String),
    Late { exit: Option<i32>, output: String },
    Reply { text: String, opaque: Option<(usize, String)>, calls: Vec<(String, String)>, exits: Vec<i32> },
}

fn step() -> impl Strategy<Value = Step> {
    let words = "[a-z é中\"\n]{0,12}";
    let opaque = prop::option::of((0..5usize, words.prop_map(String::from)));
    let args = prop::sample::select(vec!["{}", r#"{"b": 1, "a": [2]}"#, "{\"cut", "[]", ""]).prop_map(str::to_owned);
    let calls = vec(("[a-zA-Z0-9_:.-]{0,9}", args), 0..4);
    prop_oneof![
        words.prop_map(Step::Message),
        words.prop_map(Step::Notice),
        (any::<Option<i32>>(), words).prop_map(|(exit, output)| Step::Late { exit, output }),
        (words, opaque, calls, vec(-1..3i32, 4)).prop_map(|(text, opaque, calls, exits)| Step::Reply { text, opaque, calls, exits }),
    ]
}

fn result(call: CallId, provider_call: &str, exit: i32) -> CallResult {
    let output = Some(Text::Inline(format!("out {exit}")));
    CallResult { call, provider_call: provider_call.into(), ok: exit == 0, exit: Some(exit), signal: None, note: None, output }
}

/// The items after each step at which the model could be asked.
fn conversations(steps: &[Step]) -> Vec<Vec<Arc<Item>>> {
    let mut items = vec![Arc::new(Item::Message(Text::from("begin")))];
    let mut all = vec![items.clone()];
    for (number, step) in (1..).zip(steps) {
        let call = |index: usize| CallId { reply: number, index: index as u16 };
        match step {
            Step::Message(text) => items.push(Arc::new(Item::Message(Text::Inline(text.clone())))),
            Step::Notice(text) => items.push(Arc::new(Item::Notice(Text::Inline(text.clone())))),
            Step::Late { exit, output } => {
                let mut late = result(call(0), "p", exit.unwrap_or(0));
                late.output = Some(Text::Inline(output.clone()));
                items.push(Arc::new(Item::Late(late)));
            }
            Step::Reply { text, opaque, calls, exits } => {
                let mut parts = Vec::new();
                // Of one of the protocols and this model, or of another model.
                parts.extend(opaque.as_ref().map(|(which, said)| Part::Opaque {
                    protocol: PROTOCOLS.get(*which).map_or("script", |protocol| protocol.name()).to_owned(),
                    model: if said.len() % 2 == 0 { MODEL.to_owned() } else { "spare".to_owned() },
                    bytes: Text::Inline(serde_json::json!({"type": "thinking", "thinking": said, "reasoning_content": said}).to_string()),
                }));
                parts.extend((!text.is_empty()).then(|| Part::Text(Text::Inline(text.clone()))));
                for (index, (name, args)) in calls.iter().enumerate() {
                    let (provider_call, args) = (format!("{name}{index}"), Text::Inline(args.clone()));
                    parts.push(Part::Call { call: call(index), provider_call, tool: "shell".into(), args });
                }
                items.push(Arc::new(Item::Assistant(parts)));
                for (index, (name, _)) in calls.iter().enumerate() {
                    items.push(Arc::new(Item::Result(result(call(index), &format!("{name}{index}"), exits[index]))));
                }
            }
        }
        let request = ModelRequest { model: MODEL.into(), config: Sha256::of(b""), items: items.clone() };
        if request.is_valid() {
            all.push(items.clone());
        }
    }
    all
}

/// The list that grows, without the marks of a cache, which move.
fn elements(body: &[u8]) -> Vec<Value> {
    let body: Value = serde_json::from_slice(body).unwrap();
    let mut list = body.get("messages").or_else(|| body.get("input")).and_then(Value::as_array).unwrap().clone();
    for element in &mut list {
        for block in element.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
            block.as_object_mut().map(|fields| fields.remove("cache_control"));
        }
    }
    list
}

proptest! {
    #[test]
    fn every_request_begins_with_the_one_before(steps in vec(step(), 1..8)) {
        let config = config();
        for protocol in PROTOCOLS {
            for base_url in ["https://x.example", "https://api.deepseek.com"] {
                let endpoint = endpoint(protocol, base_url);
                let sent = |items: &Vec<Arc<Item>>| elements(&asking(&config, &endpoint, items).unwrap().body);
                let all: Vec<Vec<Value>> = conversations(&steps).iter().map(sent).collect();
                for (shorter, longer) in all.iter().zip(&all[1..]) {
                    prop_assert!(longer.len() >= shorter.len(), "{protocol:?}");
                    prop_assert_eq!(&longer[..shorter.len()], &shorter[..], "{:?}", protocol);
                }
            }
        }
    }

    #[test]
    fn nothing_of_another_model_goes_to_this_one(said in "[a-z]{12}") {
        for protocol in PROTOCOLS {
            for (of, model) in [(protocol.name(), "spare"), ("script", MODEL)] {
                let bytes = Text::Inline(serde_json::json!({"type": "thinking", "thinking": said, "reasoning_content": said}).to_string());
                let parts = vec![Part::Opaque { protocol: of.into(), model: model.into(), bytes }, Part::Text(Text::from("hello"))];
                let items = [Arc::new(Item::Assistant(parts)), Arc::new(Item::Message(Text::from("go")))];
                let body = asking(&config(), &endpoint(protocol, "https://x.example"), &items).unwrap().body;
                prop_assert!(!String::from_utf8(body).unwrap().contains(&said));
            }
        }
    }
}
