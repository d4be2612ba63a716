//! Tools: describe, prepare without effect, run, and find out what became of a lost attempt.

use super::{BoxFuture, Live};
use crate::body::{CancelReason, UnknownReason};
use crate::call::{Class, Prepared, Risk, Sandbox};
use crate::config::ToolSpec;
use crate::id::{ActionId, BootId, CallId, MachineId, Sha256, StreamId};
use crate::units::Time;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A call to be prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepare {
    /// The session whose call it is.
    pub stream: StreamId,
    pub tool: String,
    pub args: String,
    pub folder: PathBuf,
    /// Calls that have not ended, by tool: what a call may be about.
    pub open: Vec<(CallId, String)>,
    /// What files held when this session last read or wrote them, by the path that preparing named.
    pub known: Arc<BTreeMap<String, Sha256>>,
}

/// What preparing found out; long previews are still whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preparation {
    pub class: Class,
    pub risk: Risk,
    /// Without its preview, which may be long.
    pub prepared: Prepared,
    pub preview: Option<String>,
}

/// The call cannot run as it is; the text is for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrepareRefused {
    pub message: String,
}

/// One attempt of one action.
#[derive(Clone)]
pub struct ToolJob {
    pub stream: StreamId,
    pub action: ActionId,
    pub attempt: u16,
    pub tool: String,
    pub args: String,
    pub folder: PathBuf,
    pub witness: Option<Sha256>,
    /// What the call was judged with; it never runs with less.
    pub sandbox: Option<Sandbox>,
    pub class: Class,
    /// The running attempt that the call is about, if it still runs.
    pub target: Option<Target>,
    /// Where the attempt was started.
    pub machine: MachineId,
    pub boot: BootId,
    pub live: Arc<dyn Live>,
}

/// A running attempt that another call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub call: CallId,
    pub tool: String,
    pub action: ActionId,
    pub attempt: u16,
    pub since: Time,
    /// Time at the start of the call that is about it.
    pub now: Time,
}

/// Whether whoever must stop was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopping {
    Told,
    /// Nobody listens: it has not begun, or has just ended. Its outcome tells which; until then it is told again.
    NotReached,
}

/// Where this process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Here {
    pub machine: MachineId,
    pub boot: BootId,
}

/// What came of an attempt; its output is still whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawOutcome {
    Finished { ok: bool, output: String, exit: Option<i32>, signal: Option<i32> },
    Cancelled(CancelReason),
    Unknown { reason: UnknownReason, output: String },
}

/// What recovery found.
pub enum Recovery {
    Ended(RawOutcome),
    /// It is running; the future ends with it.
    Running(BoxFuture<'static, RawOutcome>),
}

pub trait Tools: Send + Sync {
    fn specs(&self) -> Vec<ToolSpec>;

    /// Checks and describes a call; has no effect.
    fn prepare(&self, call: Prepare) -> BoxFuture<'_, Result<Preparation, PrepareRefused>>;

    /// Runs the attempt. Called at most once for an attempt, and only after its `tool.started` is durable.
    fn start(&self, job: ToolJob) -> BoxFuture<'_, RawOutcome>;

    /// Finds out what became of an attempt of an earlier owner. Never runs it.
    fn recover<'a>(&'a self, job: ToolJob, here: &'a Here) -> BoxFuture<'a, Recovery>;

    /// Tells a running attempt to end, with this much grace; its outcome comes as always.
    fn stop(&self, action: ActionId, attempt: u16, grace: Duration) -> BoxFuture<'_, Stopping>;

    /// The end of what a running attempt has printed, at most this many bytes; none when it keeps no output.
    fn tail(&self, action: ActionId, attempt: u16, bytes_max: usize) -> BoxFuture<'_, Option<String>>;

    /// Attempts of any session of which something is kept.
    fn kept(&self) -> BoxFuture<'_, Vec<(ActionId, u16)>>;

    /// The outcome of the attempt is durable: whatever was kept to find it again may go.
    fn forget(&self, action: ActionId, attempt: u16) -> BoxFuture<'_, ()>;
}

impl std::fmt::Debug for ToolJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolJob")
            .field("action", &self.action)
            .field("attempt", &self.attempt)
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Recovery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Recovery::Ended(outcome) => f.debug_tuple("Ended").field(outcome).finish(),
            Recovery::Running(_) => f.write_str("Running"),
        }
    }
}
