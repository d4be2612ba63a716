//! What reading an answer comes to, whatever the protocol: a whole reply or a fault, never something in between.

use crate::failure::{Said, failure};
use crate::live::Shown;
use crate::stream::{BadStream, Event};
use contract::body::{FailureClass, Usage};
use contract::id::EventId;
use contract::port::{ModelFailure, RawCall, RawPart};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Reads the events of one answer. Each protocol has its own.
pub trait Reading: Send {
    fn take(&mut self, event: &Event, shown: &mut Shown<'_>) -> Result<(), Fault>;

    /// Whether nothing more is expected.
    fn is_over(&self) -> bool;

    /// Whether the provider has said that the reply is whole, so that it may end here.
    fn is_whole(&self) -> bool;

    fn end(self: Box<Self>) -> Result<Whole, Fault>;
}

#[derive(Debug, Default, PartialEq)]
pub struct Whole {
    pub parts: Vec<RawPart>,
    pub usage: Usage,
    /// The provider said nothing about usage, as some servers do not when they stream.
    pub is_uncounted: bool,
    /// As the provider says it.
    pub cost_micros: Option<u64>,
    /// The provider wants its turn back to go on with it.
    pub paused: bool,
}

/// Why there is no reply although the provider answered.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("{0}")]
    Said(Said),
    #[error("the answer cannot be read: {0}")]
    Malformed(String),
    #[error("the answer ended before its end")]
    Cut,
    #[error("the answer was empty")]
    Empty,
    #[error("the reply was cut at the limit of output tokens; raise `max_output_tokens` or ask for less at once")]
    OutputLimit,
    #[error("the reply did not fit into the context window")]
    ContextLimit,
    #[error("the provider stopped the reply: {0}")]
    Refused(String),
}

impl Fault {
    pub fn failure(&self) -> ModelFailure {
        let class = match self {
            Fault::Said(said) => said.class(),
            Fault::Malformed(_) | Fault::Cut | Fault::Empty => FailureClass::Transient,
            Fault::ContextLimit => FailureClass::ContextTooLong,
            Fault::OutputLimit | Fault::Refused(_) => FailureClass::Permanent,
        };
        failure(class, self.to_string(), None)
    }
}

impl From<BadStream> for Fault {
    fn from(error: BadStream) -> Fault {
        Fault::Malformed(error.to_string())
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Fault {
        Fault::Malformed(error.to_string())
    }
}

/// Names that a reply gives to what it makes itself.
#[derive(Clone, Debug)]
pub struct Naming {
    /// The endpoint by its name in the configuration.
    pub model: String,
    pub request: EventId,
}

impl Naming {
    /// A name for a call that its provider gave none: the same for the same reply, another in every other.
    pub fn call(&self, index: usize) -> String {
        format!("{}-{index}", self.request)
    }
}

/// Arguments that were left out are those of a call without any.
pub fn raw_call(provider_call: String, tool: String, args: String) -> RawPart {
    let args = if args.trim().is_empty() { "{}".to_owned() } else { args };
    RawPart::Call(RawCall { provider_call, tool, args })
}

/// What stands beside the reply itself, such as counts: where it is strange it is left out, and the reply stays.
pub fn if_readable<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}
