//! A run goes from a message to `run.finished`.

use super::Principal;
use crate::config::ConfigRef;
use crate::id::{Key, MessageId, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    pub run: RunId,
    /// The message that the run answers.
    pub message: MessageId,
    pub config: ConfigRef,
}

/// The run waits for a person to resume it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunPaused {
    pub run: RunId,
    /// The person who wanted it; absent when the session's own policy did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Principal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
}

/// How much a person wants stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The open run: its model call and its foreground tools.
    #[default]
    Turn,
    /// Background processes too.
    All,
}

/// A person wants the work to stop. From here on nothing new of it starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunCancelRequested {
    pub key: Key,
    pub scope: Scope,
    pub by: Principal,
}

/// A person said go on; it also clears the count of recoveries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunResumed {
    pub key: Key,
    pub by: Principal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    Completed,
    Cancelled,
    Failed,
    Limit,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFinished {
    pub run: RunId,
    pub outcome: RunOutcome,
    /// Why, when the outcome is not `completed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<FinishReason>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The last `model.failed` of the run says how.
    ModelFailed,
    /// The model said nothing, also after a correction.
    EmptyReply,
    /// The run had as many replies as it may.
    TurnLimit,
    /// A person said no.
    Denied,
    /// A person stopped it.
    Stopped,
    /// A limit was reached and a person did not extend it.
    Budget,
}
