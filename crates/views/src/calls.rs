//! Open calls: what was decided and has not ended, for the lists whose events only name it.

use crate::{Seen, excerpt, list};
use contract::ask::Answer;
use contract::body::Body;
use contract::call::Sandbox;
use contract::id::{ActionId, CallId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRow {
    pub call: CallId,
    pub action: ActionId,
    pub tool: String,
    /// The beginning of its arguments.
    pub args: String,
    pub background: bool,
    /// What holds it, if it is a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
}

pub fn see(seen: &mut Seen<'_>) {
    let Some(key) = seen.call_key() else { return };
    match &seen.event.draft.body {
        Body::ActionDecided(decided) => {
            let background = seen.get::<CallRow>(list::CALLS, &key).is_some_and(|before| before.background);
            let args = excerpt(&decided.args.shown());
            let row = CallRow {
                call: decided.call,
                action: decided.action,
                tool: decided.tool.clone(),
                args,
                background,
                sandbox: decided.prepared.sandbox,
            };
            seen.put(list::CALLS, &key, seen.position.0, &row);
        }
        Body::ToolBackgrounded(_) => {
            if let Some(row) = seen.get::<CallRow>(list::CALLS, &key) {
                seen.put(list::CALLS, &key, seen.position.0, &CallRow { background: true, ..row });
            }
        }
        // The text of a person is the result of the call that asked for it.
        Body::AskAnswered(answered) => {
            if matches!(answered.answer, Answer::Reply(_)) {
                seen.rows.remove(list::CALLS, &key);
            }
        }
        Body::ActionWithdrawn(_) | Body::ToolFinished(_) | Body::ToolReconciled(_) | Body::TimerFired(_) | Body::TimerCancelled(_) => {
            seen.rows.remove(list::CALLS, &key)
        }
        Body::SessionCreated(_)
        | Body::SessionForked(_)
        | Body::OwnerTaken(_)
        | Body::MessageReceived(_)
        | Body::MessageWithdrawn(_)
        | Body::MessageSent(_)
        | Body::ResourceLoaded(_)
        | Body::RunStarted(_)
        | Body::RunPaused(_)
        | Body::RunResumed(_)
        | Body::RunCancelRequested(_)
        | Body::RunFinished(_)
        | Body::ModelRequested(_)
        | Body::ModelCompleted(_)
        | Body::ModelFailed(_)
        | Body::ModelRetrying(_)
        | Body::ModelAborted(_)
        | Body::AskOpened(_)
        | Body::AskExpired(_)
        | Body::AskSuperseded(_)
        | Body::ToolStarted(_)
        | Body::ToolAdopted(_)
        | Body::ToolProgress(_)
        | Body::ToolDeferred(_)
        | Body::ToolCancelRequested(_)
        | Body::ToolCancelled(_)
        | Body::ToolUnknown(_)
        | Body::TimerSet(_)
        | Body::BudgetWarned(_)
        | Body::DeliveryStarted(_)
        | Body::DeliveryFinished(_)
        | Body::DeliveryFailed(_)
        | Body::PolicyRuleAdded(_)
        | Body::PolicyRuleRemoved(_)
        | Body::HostQuarantined(_)
        | Body::HostRecovered(_)
        | Body::HostStarted(_)
        | Body::HostStopped(_) => {}
    }
}
