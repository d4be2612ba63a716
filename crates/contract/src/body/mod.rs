//! The closed list of what can have happened. One line here is one event type with its current version.
//!
//! Names are dotted and in the past tense. A changed shape gets a new version, an upcaster in [`crate::upcast`]
//! and a golden history; names and numbers are never reused.

mod action;
mod ask;
mod budget;
mod delivery;
mod host;
mod message;
mod model;
mod owner;
mod policy;
mod resource;
mod run;
mod session;
mod timer;
mod tool;

pub use action::{ActionDecided, ActionWithdrawn, WithdrawReason};
pub use ask::{AskAnswered, AskExpired, AskOpened, AskSuperseded, SupersedeReason};
pub use budget::{BudgetWarned, Warning};
pub use delivery::{DeliveryFailed, DeliveryFinished, DeliveryStarted, Parcel};
pub use host::{HostQuarantined, HostRecovered, HostStarted, HostStopped};
pub use message::{MessageReceived, MessageSent, MessageWithdrawn, Mode};
pub use model::{
    AbortReason, DaySpend, FailureClass, ModelAborted, ModelCompleted, ModelFailed, ModelRequested, ModelRetrying, Purpose, Spend, Usage,
};
pub use owner::OwnerTaken;
pub use policy::{PolicyRuleAdded, PolicyRuleRemoved, RuleSource};
pub use resource::{ResourceKind, ResourceLoaded};
pub use run::{FinishReason, RunCancelRequested, RunFinished, RunOutcome, RunPaused, RunResumed, RunStarted, Scope};
pub use session::{Origin, SessionCreated, SessionForked};
pub use timer::{TimerCancelled, TimerFired, TimerSet};
pub use tool::{
    CancelReason, ToolAdopted, ToolBackgrounded, ToolCancelRequested, ToolCancelled, ToolDeferred, ToolFinished, ToolProgress,
    ToolReconciled, ToolStarted, ToolUnknown, UnknownReason, Verdict,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The stored data does not have the shape its type and version promise.
#[derive(Debug, thiserror::Error)]
pub enum BadBody {
    #[error("event type `{0}` is not known to this version of the program")]
    UnknownType(String),
    #[error("event type `{name}` has version {found}, this program knows up to {known}")]
    Newer { name: String, found: u16, known: u16 },
    #[error("data of event type `{name}` version {v} is malformed: {source}")]
    Malformed { name: String, v: u16, source: serde_json::Error },
}

macro_rules! bodies {
    ($($name:literal $v:literal $variant:ident($data:ty);)*) => {
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub enum Body { $($variant($data),)* }

        impl Body {
            /// Every event type with its current version.
            pub const CATALOGUE: &'static [(&'static str, u16)] = &[$(($name, $v),)*];

            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Body::$variant(_) => $name,)* }
            }

            #[must_use]
            pub fn v(&self) -> u16 {
                match self { $(Body::$variant(_) => $v,)* }
            }

            /// Canonical JSON of the data alone.
            #[must_use]
            pub fn data_json(&self) -> String {
                let json = match self { $(Body::$variant(data) => serde_json::to_string(data),)* };
                // Every field is a string, number, list or struct of such: nothing in it can fail to be JSON.
                json.unwrap_or_default()
            }

            /// Decodes data that is already in its current version.
            pub fn decode(name: &str, data: &str) -> Result<Body, BadBody> {
                match name {
                    $($name => serde_json::from_str(data)
                        .map(Body::$variant)
                        .map_err(|source| BadBody::Malformed { name: name.to_owned(), v: $v, source }),)*
                    _ => Err(BadBody::UnknownType(name.to_owned())),
                }
            }

            /// JSON Schema of the data of each event type.
            #[must_use]
            pub fn schemas() -> Vec<(&'static str, u16, schemars::Schema)> {
                vec![$(($name, $v, schemars::schema_for!($data)),)*]
            }
        }

        $(impl From<$data> for Body {
            fn from(data: $data) -> Body {
                Body::$variant(data)
            }
        })*
    };
}

bodies! {
    "session.created" 2 SessionCreated(SessionCreated);
    "session.forked" 1 SessionForked(SessionForked);
    "owner.taken" 1 OwnerTaken(OwnerTaken);
    "message.received" 2 MessageReceived(MessageReceived);
    "message.withdrawn" 1 MessageWithdrawn(MessageWithdrawn);
    "message.sent" 1 MessageSent(MessageSent);
    "resource.loaded" 1 ResourceLoaded(ResourceLoaded);
    "run.started" 3 RunStarted(RunStarted);
    "run.paused" 2 RunPaused(RunPaused);
    "run.resumed" 1 RunResumed(RunResumed);
    "run.cancel_requested" 1 RunCancelRequested(RunCancelRequested);
    "run.finished" 2 RunFinished(RunFinished);
    "model.requested" 2 ModelRequested(ModelRequested);
    "model.completed" 1 ModelCompleted(ModelCompleted);
    "model.failed" 2 ModelFailed(ModelFailed);
    "model.retrying" 1 ModelRetrying(ModelRetrying);
    "model.aborted" 1 ModelAborted(ModelAborted);
    "action.decided" 3 ActionDecided(ActionDecided);
    "action.withdrawn" 2 ActionWithdrawn(ActionWithdrawn);
    "ask.opened" 3 AskOpened(AskOpened);
    "ask.answered" 3 AskAnswered(AskAnswered);
    "ask.expired" 1 AskExpired(AskExpired);
    "ask.superseded" 1 AskSuperseded(AskSuperseded);
    "tool.started" 1 ToolStarted(ToolStarted);
    "tool.adopted" 1 ToolAdopted(ToolAdopted);
    "tool.progress" 1 ToolProgress(ToolProgress);
    "tool.deferred" 1 ToolDeferred(ToolDeferred);
    "tool.backgrounded" 1 ToolBackgrounded(ToolBackgrounded);
    "tool.cancel_requested" 1 ToolCancelRequested(ToolCancelRequested);
    "tool.finished" 1 ToolFinished(ToolFinished);
    "tool.cancelled" 1 ToolCancelled(ToolCancelled);
    "tool.unknown" 1 ToolUnknown(ToolUnknown);
    "tool.reconciled" 2 ToolReconciled(ToolReconciled);
    "timer.set" 1 TimerSet(TimerSet);
    "timer.fired" 1 TimerFired(TimerFired);
    "timer.cancelled" 1 TimerCancelled(TimerCancelled);
    "budget.warned" 1 BudgetWarned(BudgetWarned);
    "delivery.started" 1 DeliveryStarted(DeliveryStarted);
    "delivery.finished" 1 DeliveryFinished(DeliveryFinished);
    "delivery.failed" 1 DeliveryFailed(DeliveryFailed);
    "policy.rule_added" 1 PolicyRuleAdded(PolicyRuleAdded);
    "policy.rule_removed" 1 PolicyRuleRemoved(PolicyRuleRemoved);
    "host.quarantined" 1 HostQuarantined(HostQuarantined);
    "host.recovered" 1 HostRecovered(HostRecovered);
    "host.started" 1 HostStarted(HostStarted);
    "host.stopped" 1 HostStopped(HostStopped);
}

/// Who says so: a person by name, the agent, a tool, a channel, or the program itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Principal(pub String);
