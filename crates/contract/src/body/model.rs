//! Calls of a model. Each attempt is an event; the request itself is recomputed from the log.

use crate::id::{EventId, Sha256};
use crate::request::Part;
use crate::text::Text;
use crate::units::{Epoch, Time, Version};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The next reply of the conversation.
    Reply,
    /// The last reply of a run at its limit: it must answer, its calls are not run.
    LastReply,
}

/// The model is to be asked. The event seals everything fresh; its id names the call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRequested {
    pub purpose: Purpose,
    /// Who is asked; another one than before when the first could not answer.
    pub model: String,
    /// Number of the request since the last reply.
    pub attempt: u16,
    pub epoch: Epoch,
    /// The last event that the request shows something of.
    pub covers: Version,
    /// A correction shown at the end of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nudge: Option<Text>,
    /// What the call may cost at most; charged if its end is never known.
    #[serde(default, skip_serializing_if = "Spend::is_zero")]
    pub reserve: Spend,
    /// Hash of the canonical request bytes; whoever recomputes the request can check it.
    pub request_sha256: Sha256,
}

/// Tokens and money.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spend {
    pub tokens: u64,
    /// Millionths of the price unit.
    pub cost_micros: u64,
}

impl Spend {
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Spend::default()
    }

    #[must_use]
    pub fn plus(self, other: Spend) -> Spend {
        Spend { tokens: self.tokens.saturating_add(other.tokens), cost_micros: self.cost_micros.saturating_add(other.cost_micros) }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub reasoning: u64,
}

impl Usage {
    /// All tokens that were processed.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.read().saturating_add(self.output)
    }

    /// Tokens of the request, cached or not.
    #[must_use]
    pub fn read(&self) -> u64 {
        [self.input, self.cache_read, self.cache_write].into_iter().fold(0, u64::saturating_add)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelCompleted {
    pub request: EventId,
    pub attempt: u16,
    /// In the order received.
    pub parts: Vec<Part>,
    pub usage: Usage,
    /// Millionths of the price unit; absent when nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    Transient,
    RateLimited,
    Overloaded,
    ContextTooLong,
    Auth,
    Permanent,
    /// Everything together has cost what it may on one day, so nobody was asked.
    DayLimit,
    /// The owner died while the call was open; nobody knows the answer, and it is asked again.
    Interrupted,
}

impl FailureClass {
    /// Whether the same request may succeed a little later.
    #[must_use]
    pub fn passes(self) -> bool {
        match self {
            FailureClass::Transient | FailureClass::RateLimited | FailureClass::Overloaded => true,
            FailureClass::ContextTooLong
            | FailureClass::Auth
            | FailureClass::Permanent
            | FailureClass::DayLimit
            | FailureClass::Interrupted => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelFailed {
    pub request: EventId,
    pub attempt: u16,
    pub class: FailureClass,
    /// Whether the same run goes on.
    pub recoverable: bool,
    /// What the provider asked to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Of a call that was not admitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<DaySpend>,
    pub message: Text,
}

/// What everything together has cost on a day, and may; millionths of the price unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DaySpend {
    pub used: u64,
    pub allowed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbortReason {
    /// A person stopped the run.
    Stopped,
    /// A message wants to be heard first.
    Interrupted,
}

/// The call is given up; whatever it would have said is not part of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelAborted {
    pub request: EventId,
    pub attempt: u16,
    pub reason: AbortReason,
}

/// The failed call is made again, not before this time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRetrying {
    pub request: EventId,
    pub at: Time,
}
