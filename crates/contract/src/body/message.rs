//! What people say to a session and what it says to them.

use super::Principal;
use crate::id::{EventId, Key, MessageId};
use crate::text::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Enters the open run; the model sees it at its next call.
    #[default]
    Steer,
    /// Becomes the next run.
    Queue,
    /// Stops the model call and the foreground tools, then the model sees it.
    Interrupt,
    /// Asks how things stand; answered from the log, never shown to a model.
    Status,
}

impl Mode {
    /// Whether the open run is to take it up.
    #[must_use]
    pub fn enters_run(self) -> bool {
        match self {
            Mode::Steer | Mode::Interrupt => true,
            Mode::Queue | Mode::Status => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageReceived {
    pub message: MessageId,
    /// A repeat of the same key is the same message.
    pub key: Key,
    pub text: Text,
    pub mode: Mode,
    pub from: Principal,
}

/// A person took back what no model has been shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageWithdrawn {
    pub message: MessageId,
    pub key: Key,
    pub by: Principal,
}

/// The session said the text of a reply; the text itself stands in that `model.completed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageSent {
    pub completed: EventId,
}
