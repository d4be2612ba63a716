//! A conversation with the scripted provider: the transcript grows as it would in the log.

use crate::conversation::Watcher;
use contract::body::Purpose;
use contract::call::{Class, Risk};
use contract::config::{Endpoint, Limits, Policy, Protocol, RunConfig, Sampling, ToolSpec};
use contract::id::{CallId, EventId, SessionId, Sha256, StreamId};
use contract::port::{Frame, ModelCall, ModelFailure, RawCall, RawPart, RawReply};
use contract::request::{CallResult, Item, ModelRequest, Part};
use contract::text::Text;
use models::{HttpLimits, Key, Remote};
use provider::{Options, Provider};
use serde_json::json;
use std::sync::Arc;

pub const MODEL: &str = "work";
pub const KEY: &str = "sk-very-secret";

pub struct Talk {
    pub provider: Provider,
    pub remote: Remote,
    pub endpoint: Endpoint,
    pub items: Vec<Arc<Item>>,
    pub watcher: Arc<Watcher>,
    replies: u32,
}

/// What a provider of the protocol is configured with below its address.
pub fn base_url(provider: &Provider, protocol: Protocol) -> String {
    match protocol {
        Protocol::OpenaiChat | Protocol::OpenaiResponses => format!("{}/v1", provider.address()),
        Protocol::Anthropic | Protocol::Ollama => provider.address(),
    }
}

pub fn remote(limits: HttpLimits) -> Remote {
    Remote::new(Arc::new(|handle: &str| (handle == "TEST_KEY").then(|| Key::new(KEY))), limits)
}

impl Talk {
    pub fn with(protocol: Protocol, script: &str) -> Talk {
        let provider = Provider::start(script, Options { key: Some(KEY.to_owned()), port: 0 }).unwrap();
        let endpoint = Endpoint {
            name: MODEL.to_owned(),
            protocol,
            base_url: base_url(&provider, protocol),
            model: "scripted".to_owned(),
            key: Some("TEST_KEY".to_owned()),
            context_window: Some(8192),
            prices: None,
            // Reasoning comes back encrypted only where it was asked for.
            sampling: Sampling { reasoning: (protocol == Protocol::OpenaiResponses).then(|| "low".to_owned()), ..Sampling::default() },
        };
        Talk { provider, remote: remote(HttpLimits::default()), endpoint, items: Vec::new(), watcher: Arc::default(), replies: 0 }
    }

    pub fn say(mut self, message: &str) -> Talk {
        self.items.push(Arc::new(Item::Message(Text::from(message))));
        self
    }

    pub fn call(&self) -> ModelCall {
        let tool = ToolSpec {
            name: "shell".into(),
            description: "Runs a command.".into(),
            schema: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
            class: Class::Pure,
            risk: Risk::Low,
        };
        let config = RunConfig {
            model: MODEL.into(),
            fallback: Vec::new(),
            endpoints: vec![self.endpoint.clone()],
            system: "Be short.".into(),
            tools: vec![tool],
            max_turns: 9,
            policy: Policy::default(),
            limits: Limits::default(),
            prices: None,
            output_tokens_max: 4_096,
            standing: Vec::new(),
            warn_cost_micros: None,
            slow_call_ms: None,
            per_day_micros: None,
            resources: Vec::new(),
        };
        ModelCall {
            stream: StreamId::session(SessionId([1; 16])),
            request: EventId([2 + self.replies as u8; 16]),
            attempt: 1,
            purpose: Purpose::Reply,
            config: Arc::new(config),
            transcript: ModelRequest { model: MODEL.into(), config: Sha256::of(b""), items: self.items.clone() },
            live: self.watcher.clone(),
        }
    }

    pub async fn ask(&self) -> Result<RawReply, ModelFailure> {
        self.remote.reply(&self.call(), &self.endpoint).await
    }

    /// Asks, and records the reply with a result for each of its calls.
    pub async fn turn(&mut self) -> RawReply {
        let reply = self.ask().await.unwrap();
        self.replies += 1;
        let mut results = Vec::new();
        let mut parts = Vec::new();
        for part in &reply.parts {
            parts.push(match part {
                RawPart::Text(text) => Part::Text(Text::Inline(text.clone())),
                RawPart::Opaque { protocol, model, bytes } => {
                    Part::Opaque { protocol: protocol.clone(), model: model.clone(), bytes: Text::Inline(bytes.clone()) }
                }
                RawPart::Call(raw) => {
                    let call = CallId { reply: self.replies, index: results.len() as u16 };
                    let output = Some(Text::Inline(format!("result {}", results.len())));
                    results.push(CallResult::noted(call, raw.provider_call.clone(), true, None, output));
                    let RawCall { provider_call, tool, args } = raw.clone();
                    Part::Call { call, provider_call, tool, args: Text::Inline(args) }
                }
            });
        }
        self.items.push(Arc::new(Item::Assistant(parts)));
        self.items.extend(results.into_iter().map(|result| Arc::new(Item::Result(result))));
        reply
    }

    /// Text and thinking as a watcher saw them; every frame begins where the one before it ended.
    pub fn seen(&self) -> (String, String) {
        let (mut text, mut thinking) = (String::new(), String::new());
        for frame in self.watcher.0.lock().unwrap().drain(..) {
            let (kept, offset, piece) = match frame {
                Frame::ModelText { offset, text: piece, .. } => (&mut text, offset, piece),
                Frame::ModelThinking { offset, text: piece, .. } => (&mut thinking, offset, piece),
                other @ Frame::ToolOutput { .. } => panic!("{other:?}"),
            };
            assert_eq!(offset, kept.len() as u64);
            kept.push_str(&piece);
        }
        (text, thinking)
    }
}

/// What was said, without what only the provider understands.
pub fn said(reply: &RawReply) -> (String, Vec<(String, serde_json::Value)>) {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for part in &reply.parts {
        match part {
            RawPart::Text(piece) => text.push_str(piece),
            RawPart::Call(call) => calls.push((call.tool.clone(), serde_json::from_str(&call.args).unwrap())),
            RawPart::Opaque { .. } => {}
        }
    }
    (text, calls)
}
