//! Waits that survive: a timer is an event, never early, late after downtime.

use crate::id::{ActionId, TimerId};
use crate::text::Text;
use crate::units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// This call waits until then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimerSet {
    pub timer: TimerId,
    pub action: ActionId,
    pub at: Time,
}

/// The time has come; the note is the result of the call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimerFired {
    pub timer: TimerId,
    pub note: Text,
}

/// Nobody need wait any longer; the note is the result of the call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimerCancelled {
    pub timer: TimerId,
    pub note: Text,
}
