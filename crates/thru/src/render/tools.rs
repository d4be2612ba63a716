//! What the story tells of calls: started, still running, stopped, ended.

use super::text::excerpt;
use crate::catalog::{CallLine, call_line};
use contract::body::{Body, ToolFinished};
use contract::event::Event;
use contract::id::{ActionId, CallId};
use std::collections::BTreeMap;

/// The sentence of an event about a call; none where others say it.
pub fn sentence(tools: &BTreeMap<ActionId, (CallId, String)>, event: &Event) -> Option<String> {
    let of = |action: &ActionId| match tools.get(action) {
        Some((call, tool)) => (call.to_string(), tool.clone()),
        None => (String::new(), action.to_string()),
    };
    let name = |action: &ActionId| of(action).1;
    Some(match &event.draft.body {
        Body::ToolStarted(started) => call_line(&CallLine::Started { tool: &name(&started.action), attempt: started.attempt }),
        Body::ToolAdopted(adopted) => call_line(&CallLine::Adopted { tool: &name(&adopted.action) }),
        Body::ToolDeferred(deferred) => {
            let (call, tool) = of(&deferred.action);
            call_line(&CallLine::Deferred { tool: &tool, call: &call })
        }
        Body::ToolBackgrounded(backgrounded) => {
            let (call, tool) = of(&backgrounded.action);
            call_line(&CallLine::Backgrounded { tool: &tool, call: &call })
        }
        Body::ToolCancelRequested(requested) => {
            let (call, tool) = of(&requested.action);
            call_line(&CallLine::Stopping { tool: &tool, call: &call })
        }
        Body::ToolFinished(done) => finished(&name(&done.action), done),
        Body::ToolCancelled(cancelled) => call_line(&CallLine::Cancelled { tool: &name(&cancelled.action), reason: cancelled.reason }),
        Body::ToolUnknown(unknown) => {
            call_line(&CallLine::Unknown { tool: &name(&unknown.action), reason: unknown.reason, shown: &excerpt(&unknown.output.shown()) })
        }
        Body::ToolReconciled(reconciled) => {
            call_line(&CallLine::Reconciled { tool: &name(&reconciled.action), verdict: reconciled.verdict })
        }
        Body::TimerSet(set) => call_line(&CallLine::Waits { seconds: set.at.0.saturating_sub(event.time.0).div_ceil(1_000) }),
        Body::TimerFired(fired) => call_line(&CallLine::WaitOver { note: &fired.note.shown() }),
        Body::TimerCancelled(cancelled) => call_line(&CallLine::WaitOver { note: &cancelled.note.shown() }),
        // What a running command printed is shown with the message that it was recorded for.
        Body::ToolProgress(_) => return None,
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
        | Body::ActionDecided(_)
        | Body::ActionWithdrawn(_)
        | Body::AskOpened(_)
        | Body::AskAnswered(_)
        | Body::AskExpired(_)
        | Body::AskSuperseded(_)
        | Body::BudgetWarned(_)
        | Body::DeliveryStarted(_)
        | Body::DeliveryFinished(_)
        | Body::DeliveryFailed(_)
        | Body::PolicyRuleAdded(_)
        | Body::PolicyRuleRemoved(_)
        | Body::HostQuarantined(_)
        | Body::HostRecovered(_)
        | Body::HostStarted(_)
        | Body::HostStopped(_) => return None,
    })
}

fn finished(tool: &str, finished: &ToolFinished) -> String {
    let ToolFinished { ok, exit, signal, output, .. } = finished;
    let shown = excerpt(&output.shown());
    call_line(&CallLine::Finished { tool, ok: *ok, exit: *exit, signal: *signal, bytes: output.len(), shown: &shown })
}
