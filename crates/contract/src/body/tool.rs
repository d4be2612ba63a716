//! Attempts to run an action. An attempt ends once: finished, cancelled or unknown.

use crate::id::{ActionId, BootId, MachineId};
use crate::text::Text;
use crate::units::{Epoch, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Durable before the tool runs. In one epoch an attempt is started at most once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolStarted {
    pub action: ActionId,
    pub attempt: u16,
    pub epoch: Epoch,
    pub machine: MachineId,
    pub boot: BootId,
}

/// A later owner found the attempt still running and waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolAdopted {
    pub action: ActionId,
    pub attempt: u16,
    pub epoch: Epoch,
}

/// What a running attempt had printed when a person said something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolProgress {
    pub action: ActionId,
    pub attempt: u16,
    /// The end of its output.
    pub output: Text,
}

/// The model is asked before the call has ended. The note is its result; how it ended is told later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolDeferred {
    pub action: ActionId,
    pub note: Text,
    /// What it had printed, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Text>,
}

/// The call no longer holds its run, and stopping the run does not stop it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolBackgrounded {
    pub action: ActionId,
}

/// The attempt is to end: asked politely first, killed at the deadline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCancelRequested {
    pub action: ActionId,
    pub attempt: u16,
    pub deadline: Time,
    /// What the model is told beside the result.
    pub note: Text,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolFinished {
    pub action: ActionId,
    pub attempt: u16,
    pub ok: bool,
    pub output: Text,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// Nothing ran or ever will.
    NeverStarted,
    /// The world was asked and shows no effect of it.
    NoEffect,
}

/// The attempt surely had no effect, so another one is allowed in every class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCancelled {
    pub action: ActionId,
    pub attempt: u16,
    pub reason: CancelReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnknownReason {
    /// Supervisor and tool died together, or the tool ran inside an owner that died.
    Died,
    /// The machine was booted since and no exit record survived.
    OtherBoot,
    /// It runs, or ran, on a machine that did not come back.
    OtherMachine,
    /// The probe found neither the old nor the new state.
    Changed,
    /// The executor ended without saying anything.
    Lost,
}

/// The attempt may or may not have had its effect, and nobody can tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolUnknown {
    pub action: ActionId,
    pub attempt: u16,
    pub reason: UnknownReason,
    /// What it printed, as far as that is known.
    pub output: Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The model was told that the outcome is unknown and decides what to do.
    Told,
    /// A person says that it happened.
    Happened,
    /// A person says that it did not happen.
    NotHappened,
}

/// Ends an action whose last attempt is unknown; the note is its result for the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolReconciled {
    pub action: ActionId,
    pub verdict: Verdict,
    pub note: Text,
}
