//! Decisions that belong to a person.

use super::Principal;
use crate::ask::{Answer, Ask};
use crate::id::{AskId, Key};
use crate::rule::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskOpened {
    pub ask: Ask,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskAnswered {
    pub ask: AskId,
    pub key: Key,
    pub answer: Answer,
    /// The rule that an approval for longer than once adds to the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
    pub by: Principal,
}

/// Nobody answered in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskExpired {
    pub ask: AskId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SupersedeReason {
    /// A message came: the model decides anew.
    NewerMessage,
    /// The run was stopped.
    Stopped,
}

/// The ask needs no answer any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskSuperseded {
    pub ask: AskId,
    pub reason: SupersedeReason,
}
