//! One ask for every decision that belongs to a person.

use crate::id::AskId;
use crate::units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// The session came back after its owner died and its policy is to ask.
    Resume,
    /// The session came back too often without getting anywhere.
    CrashLoop,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ask {
    pub ask: AskId,
    pub kind: AskKind,
    /// The answer is refused at or after this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Go on.
    Approve,
    /// Do not go on; the run ends as cancelled.
    Deny,
}
