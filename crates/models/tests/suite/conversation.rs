//! A conversation with a script: the transcript grows as it would in the log, and the model is made anew for each call.

use contract::body::Purpose;
use contract::config::{Limits, Policy, RunConfig};
use contract::id::{CallId, EventId, SessionId, Sha256, StreamId};
use contract::port::{Frame, Live, Model, ModelCall, ModelFailure, RawCall, RawPart, RawReply};
use contract::request::{CallResult, Item, ModelRequest, Part};
use contract::text::Text;
use models::ScriptedModel;
use std::sync::{Arc, Mutex};

pub const MODEL: &str = "script:test";

/// Keeps what a watcher would have seen.
#[derive(Default)]
pub struct Watcher(pub Mutex<Vec<Frame>>);

impl Live for Watcher {
    fn show(&self, frame: Frame) {
        self.0.lock().unwrap().push(frame);
    }
}

pub struct Conversation {
    script: String,
    pub items: Vec<Arc<Item>>,
    pub watcher: Arc<Watcher>,
}

impl Conversation {
    pub fn with(script: &str) -> Conversation {
        Conversation { script: script.to_owned(), items: Vec::new(), watcher: Arc::default() }
    }

    pub fn say(mut self, message: &str) -> Conversation {
        self.items.push(Arc::new(Item::Message(Text::from(message))));
        self
    }

    /// One attempt; the transcript stays as it is.
    pub async fn attempt(&self, attempt: u16) -> Result<RawReply, ModelFailure> {
        self.ask(attempt, Purpose::Reply).await
    }

    pub async fn ask(&self, attempt: u16, purpose: Purpose) -> Result<RawReply, ModelFailure> {
        let config = RunConfig {
            model: MODEL.into(),
            fallback: Vec::new(),
            endpoints: Vec::new(),
            system: String::new(),
            tools: Vec::new(),
            max_turns: 9,
            policy: Policy::default(),
            limits: Limits::default(),
            prices: None,
            output_tokens_max: 0,
            standing: Vec::new(),
            warn_cost_micros: None,
            slow_call_ms: None,
            per_day_micros: None,
            resources: Vec::new(),
        };
        let call = ModelCall {
            stream: StreamId::session(SessionId([1; 16])),
            request: EventId([2; 16]),
            attempt,
            purpose,
            config: Arc::new(config),
            transcript: ModelRequest { model: MODEL.into(), config: Sha256::of(b""), items: self.items.clone() },
            live: self.watcher.clone(),
        };
        ScriptedModel::parse("test.jsonl", &self.script).unwrap().reply(call).await
    }

    /// Asks until an attempt succeeds, records the reply and a result for each call, and returns it with its attempt.
    pub async fn turn(&mut self) -> (u16, RawReply) {
        for attempt in 1.. {
            if let Ok(reply) = self.attempt(attempt).await {
                self.record(&reply);
                return (attempt, reply);
            }
        }
        unreachable!("attempts never end")
    }

    /// The texts of this many turns.
    pub async fn texts(&mut self, turns: usize) -> Vec<String> {
        let mut texts = Vec::new();
        for _ in 0..turns {
            texts.push(text(&self.turn().await.1));
        }
        texts
    }

    fn record(&mut self, reply: &RawReply) {
        let reply_number = u32::try_from(self.items.len()).unwrap();
        let id = |index: usize| CallId { reply: reply_number, index: u16::try_from(index).unwrap() };
        let part = |(index, part): (usize, &RawPart)| match part {
            RawPart::Text(text) => Part::Text(Text::from(text.as_str())),
            RawPart::Call(RawCall { provider_call, tool, args }) => {
                Part::Call { call: id(index), provider_call: provider_call.clone(), tool: tool.clone(), args: Text::from(args.as_str()) }
            }
            RawPart::Opaque { protocol, model, bytes } => {
                Part::Opaque { protocol: protocol.clone(), model: model.clone(), bytes: Text::from(bytes.as_str()) }
            }
        };
        self.items.push(Arc::new(Item::Assistant(reply.parts.iter().enumerate().map(part).collect())));
        for (index, part) in reply.parts.iter().enumerate() {
            if let RawPart::Call(call) = part {
                let result = CallResult {
                    call: id(index),
                    provider_call: call.provider_call.clone(),
                    ok: true,
                    exit: None,
                    signal: None,
                    note: None,
                    output: Some(Text::from("done")),
                };
                self.items.push(Arc::new(Item::Result(result)));
            }
        }
    }
}

pub fn text(reply: &RawReply) -> String {
    reply.parts.iter().filter_map(|part| if let RawPart::Text(text) = part { Some(text.as_str()) } else { None }).collect()
}

pub fn calls(reply: &RawReply) -> Vec<RawCall> {
    reply.parts.iter().filter_map(|part| if let RawPart::Call(call) = part { Some(call.clone()) } else { None }).collect()
}

/// The place that the reply carries.
pub fn place(reply: &RawReply) -> String {
    let places: Vec<&str> =
        reply.parts.iter().filter_map(|part| if let RawPart::Opaque { bytes, .. } = part { Some(bytes.as_str()) } else { None }).collect();
    assert_eq!(places.len(), 1, "each reply carries exactly one place");
    places[0].to_owned()
}
