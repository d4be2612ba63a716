//! What a person would want to know of before it becomes a limit.

use crate::id::EventId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// The session has cost more than this; millionths of the price unit.
    Cost { used: u64, threshold: u64 },
    /// A model has said nothing for so long.
    SlowCall { request: EventId, waited_ms: u64 },
}

/// Said once a run for each kind; nothing waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetWarned {
    pub warning: Warning,
}
