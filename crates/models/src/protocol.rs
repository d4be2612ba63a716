//! The one place that knows all protocols: which folder makes a request and reads its answer.

use crate::asking::Asking;
use crate::drafts::Drafts;
use crate::keys::Key;
use crate::offer::Offered;
use crate::reply::{Naming, Reading};
use crate::{anthropic, chat, ollama, responses};
use contract::config::{Endpoint, Protocol, RunConfig};
use contract::port::ModelCall;
use contract::request::Item;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use std::sync::Arc;

pub fn asking(config: &RunConfig, endpoint: &Endpoint, items: &[Arc<Item>]) -> Result<Asking, serde_json::Error> {
    match endpoint.protocol {
        Protocol::OpenaiChat => chat::asking(config, endpoint, items),
        Protocol::OpenaiResponses => responses::asking(config, endpoint, items),
        Protocol::Anthropic => anthropic::asking(config, endpoint, items),
        Protocol::Ollama => ollama::asking(config, endpoint, items),
    }
}

/// The same for a conversation whose last request may be remembered.
pub fn asking_on(drafts: &Drafts, call: &ModelCall, endpoint: &Endpoint, items: &[Arc<Item>]) -> Result<Asking, serde_json::Error> {
    match endpoint.protocol {
        Protocol::OpenaiChat => {
            let body = drafts.write::<chat::Chat>(&call.stream, &call.config, endpoint, items)?;
            Ok(chat::about(endpoint, body))
        }
        Protocol::OpenaiResponses | Protocol::Anthropic | Protocol::Ollama => asking(&call.config, endpoint, items),
    }
}

pub fn reading(protocol: Protocol, naming: Naming) -> Box<dyn Reading> {
    match protocol {
        Protocol::OpenaiChat => Box::new(chat::Reply::new(naming)),
        Protocol::OpenaiResponses => Box::new(responses::Reply::new(naming)),
        Protocol::Anthropic => Box::new(anthropic::Reply::new(naming)),
        Protocol::Ollama => Box::new(ollama::Reply::new(naming)),
    }
}

/// The question for all models; it has no body.
pub fn listing(endpoint: &Endpoint) -> Asking {
    match endpoint.protocol {
        Protocol::OpenaiChat | Protocol::OpenaiResponses => chat::listing(endpoint),
        Protocol::Anthropic => anthropic::listing(endpoint),
        Protocol::Ollama => ollama::listing(endpoint),
    }
}

/// What was answered to it.
pub fn listed(protocol: Protocol, bytes: &[u8]) -> Result<Vec<Offered>, serde_json::Error> {
    match protocol {
        Protocol::OpenaiChat | Protocol::OpenaiResponses => chat::listed(bytes),
        Protocol::Anthropic => anthropic::listed(bytes),
        Protocol::Ollama => ollama::listed(bytes),
    }
}

/// Nothing where the key has characters that a header cannot carry.
pub fn credentials(protocol: Protocol, key: &Key) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = match protocol {
        Protocol::OpenaiChat | Protocol::OpenaiResponses | Protocol::Ollama => (AUTHORIZATION, format!("Bearer {}", key.value())),
        Protocol::Anthropic => (HeaderName::from_static("x-api-key"), key.value().to_owned()),
    };
    let mut value = HeaderValue::from_str(&value).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

pub fn media_type(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::OpenaiChat | Protocol::OpenaiResponses | Protocol::Anthropic => "text/event-stream",
        Protocol::Ollama => "application/x-ndjson",
    }
}

/// Whether an answer of this type can be the stream that was asked for.
pub fn is_stream(protocol: Protocol, media: Option<&str>) -> bool {
    match media {
        // Not every proxy keeps the header; whether it is a stream, its first line tells.
        None => true,
        Some(media) => media == media_type(protocol) || protocol == Protocol::Ollama && media == "application/json",
    }
}
