//! What a machine wants done. The set is derived from its state, so recovery is the normal path.

use crate::call::Class;
use crate::id::{ActionId, EventId, MessageId};
use crate::units::Time;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EffectId {
    /// Resolve the configuration of the run that this message starts.
    Prepare(MessageId),
    /// The model call named by its `model.requested`.
    Model(EventId),
    Tool(ActionId),
    /// The end of an attempt that must stop.
    Stop(ActionId),
    /// What its `delivery.started` says, brought to another stream.
    Deliver(EventId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    Prepare(MessageId),
    Model {
        request: EventId,
        attempt: u16,
    },
    /// Run the attempt: it was started in this epoch and by this owner.
    Start {
        action: ActionId,
        attempt: u16,
    },
    /// Find out what became of an attempt of an earlier owner.
    Recover {
        action: ActionId,
        attempt: u16,
        class: Class,
    },
    /// End the running attempt: politely, at the deadline by force. It has no outcome of its own; the attempt has.
    Stop {
        action: ActionId,
        attempt: u16,
        deadline: Time,
    },
    /// Bring it to another stream, which takes it once however often it is brought.
    Deliver(EventId),
}

impl Effect {
    #[must_use]
    pub fn id(&self) -> EffectId {
        match self {
            Effect::Prepare(message) => EffectId::Prepare(*message),
            Effect::Model { request, .. } => EffectId::Model(*request),
            Effect::Start { action, .. } | Effect::Recover { action, .. } => EffectId::Tool(*action),
            Effect::Stop { action, .. } => EffectId::Stop(*action),
            Effect::Deliver(delivery) => EffectId::Deliver(*delivery),
        }
    }

    #[must_use]
    pub fn attempt(&self) -> u16 {
        match self {
            Effect::Prepare(_) | Effect::Deliver(_) => 1,
            Effect::Model { attempt, .. }
            | Effect::Start { attempt, .. }
            | Effect::Recover { attempt, .. }
            | Effect::Stop { attempt, .. } => *attempt,
        }
    }
}

impl std::fmt::Display for EffectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EffectId::Prepare(message) => write!(f, "prepare/{message}"),
            EffectId::Model(request) => write!(f, "model/{request}"),
            EffectId::Tool(action) => write!(f, "tool/{action}"),
            EffectId::Stop(action) => write!(f, "stop/{action}"),
            EffectId::Deliver(delivery) => write!(f, "deliver/{delivery}"),
        }
    }
}
