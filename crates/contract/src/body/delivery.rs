//! What one stream says to another. The other one knows the key of what it has, so saying it again changes nothing.

use super::Principal;
use crate::id::{AskId, EventId, Key, StreamId};
use crate::rule::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Parcel {
    /// A rule that counts from now on in this folder, as a person answered this ask.
    Rule { rule: Rule, folder: String, ask: AskId, by: Principal },
}

/// It is to be brought there; the event names the delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryStarted {
    pub to: StreamId,
    pub key: Key,
    pub parcel: Parcel,
}

/// It is in the other stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryFinished {
    pub delivery: EventId,
}

/// The other stream refused it for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryFailed {
    pub delivery: EventId,
    pub reason: String,
}
