//! Answers read from bytes, without a connection, for tests.

use crate::live::Shown;
use crate::reader::Reader;
use crate::reply::{Fault, Naming, Whole};
use contract::body::Purpose;
use contract::config::{Endpoint, Limits, Policy, Protocol, RunConfig, Sampling};
use contract::id::{EventId, SessionId, Sha256, StreamId};
use contract::port::{ModelCall, RawPart, Silent};
use contract::request::ModelRequest;
use std::sync::Arc;

pub const MODEL: &str = "work";
pub const PROTOCOLS: [Protocol; 4] = [Protocol::OpenaiChat, Protocol::OpenaiResponses, Protocol::Anthropic, Protocol::Ollama];

/// The reply that an answer of these bytes is.
pub fn read(protocol: Protocol, bytes: &[u8]) -> Result<Whole, Fault> {
    let call = ModelCall {
        stream: StreamId::session(SessionId([1; 16])),
        request: EventId([2; 16]),
        attempt: 1,
        purpose: Purpose::Reply,
        config: Arc::new(config()),
        transcript: ModelRequest { model: MODEL.into(), config: Sha256::of(b""), items: Vec::new() },
        live: Arc::new(Silent),
    };
    let mut shown = Shown::of(&call);
    let mut reader = Reader::new(protocol, Naming { model: MODEL.into(), request: call.request });
    reader.push(bytes, &mut shown)?;
    reader.end(&mut shown)
}

/// Each part as one line, for whole comparisons.
pub fn told(whole: &Whole) -> Vec<String> {
    let line = |part: &RawPart| match part {
        RawPart::Text(text) => format!("text {text}"),
        RawPart::Call(call) => format!("call {} {} {}", call.provider_call, call.tool, call.args),
        RawPart::Opaque { bytes, .. } => format!("opaque {bytes}"),
    };
    whole.parts.iter().map(line).collect()
}

pub fn config() -> RunConfig {
    RunConfig {
        model: MODEL.into(),
        fallback: Vec::new(),
        endpoints: Vec::new(),
        system: "Be short.".into(),
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
    }
}

pub fn endpoint(protocol: Protocol, base_url: &str) -> Endpoint {
    Endpoint {
        name: MODEL.into(),
        protocol,
        base_url: base_url.into(),
        model: "m".into(),
        key: None,
        context_window: None,
        prices: None,
        sampling: Sampling::default(),
    }
}
