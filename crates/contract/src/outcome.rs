//! What came of an effect. Every executor ends in exactly one of these.

use crate::body::{CancelReason, DaySpend, FailureClass, ResourceLoaded, UnknownReason, Usage};
use crate::call::PreparedCall;
use crate::config::ConfigRef;
use crate::text::Text;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Answers [`crate::effect::Effect::Prepare`].
    Prepared {
        config: Box<ConfigRef>,
        resources: Vec<ResourceLoaded>,
    },
    Model(ModelOutcome),
    Tool(ToolOutcome),
    Delivery(DeliveryOutcome),
}

impl Outcome {
    /// Whether the effect is over; some are heard of while they go on.
    #[must_use]
    pub fn is_end(&self) -> bool {
        !matches!(self, Outcome::Tool(ToolOutcome::Adopted) | Outcome::Model(ModelOutcome::Slow { .. }))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelOutcome {
    Replied(Reply),
    Failed {
        class: FailureClass,
        message: Text,
        retry_after_ms: Option<u64>,
    },
    /// Nobody was asked: everything together has cost what it may today.
    NotAdmitted(DaySpend),
    /// Not an end: the model has said nothing for so long.
    Slow {
        waited_ms: u64,
    },
}

/// A whole reply, its calls prepared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    pub parts: Vec<ReplyPart>,
    pub usage: Usage,
    pub cost_micros: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReplyPart {
    Text(Text),
    Call(Box<PreparedCall>),
    Opaque { protocol: String, model: String, bytes: Text },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToolOutcome {
    Finished {
        ok: bool,
        output: Text,
        exit: Option<i32>,
        signal: Option<i32>,
    },
    /// Not an end: the attempt was found running and goes on.
    Adopted,
    Cancelled(CancelReason),
    Unknown {
        reason: UnknownReason,
        output: Text,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeliveryOutcome {
    /// The other stream has it.
    Finished,
    /// The other stream refused it for good.
    Failed(String),
}
