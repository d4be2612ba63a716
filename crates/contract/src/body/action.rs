//! Tool calls as decisions: what the model wants done, before anything is done.

use crate::call::{Class, Prepared, Risk};
use crate::id::{ActionId, CallId, Sha256};
use crate::text::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionDecided {
    /// Also the idempotency key of the tool.
    pub action: ActionId,
    pub call: CallId,
    pub provider_call: String,
    pub tool: String,
    pub args: Text,
    pub args_hash: Sha256,
    pub class: Class,
    pub risk: Risk,
    pub prepared: Box<Prepared>,
    /// The action of the same call that a person replaced by this one, and thereby approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<ActionId>,
    /// What the model is told beside the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithdrawReason {
    /// Unknown tool or arguments that do not fit.
    Invalid,
    /// The run must answer and may not act, or the call was tried as often as it may and never began.
    Limit,
    /// The call was asked for and never decided, as in a fork from the middle of a batch.
    NeverDecided,
    /// A person said no.
    Denied,
    /// A rule says no.
    Rule,
    /// Nobody answered in time, or what was allowed was not begun in time.
    Expired,
    /// A message came that the model had not seen when it made the call.
    NewerMessage,
    /// A person stopped the run.
    Stopped,
    /// A call that must stand alone in its reply did not.
    NotAlone,
}

/// The call will not run; the note is its result for the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionWithdrawn {
    pub call: CallId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionId>,
    pub reason: WithdrawReason,
    pub note: Text,
}
