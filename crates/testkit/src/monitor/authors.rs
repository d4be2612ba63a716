//! Who may say what: people, owners, anyone.

use contract::body::{Body, Warning};
use contract::id::Key;

/// Whether only an owner may say this.
#[must_use]
pub fn is_intent(body: &Body) -> bool {
    match body {
        Body::MessageSent(_)
        | Body::RunFinished(_)
        | Body::ModelRequested(_)
        | Body::ModelRetrying(_)
        | Body::ModelAborted(_)
        | Body::AskOpened(_)
        | Body::AskExpired(_)
        | Body::AskSuperseded(_)
        | Body::ToolStarted(_)
        | Body::ToolDeferred(_)
        | Body::ToolBackgrounded(_)
        | Body::ToolCancelRequested(_)
        | Body::ToolReconciled(_)
        | Body::TimerSet(_)
        | Body::TimerFired(_)
        | Body::DeliveryStarted(_)
        | Body::TimerCancelled(_) => true,
        // Whoever asks a model may say that it is slow; what was spent is the owner's to see.
        Body::BudgetWarned(warned) => matches!(warned.warning, Warning::Cost { .. }),
        // A person may pause a run through any process; its own policy speaks through the owner.
        Body::RunPaused(paused) => paused.by.is_none(),
        Body::SessionCreated(_)
        | Body::SessionForked(_)
        | Body::OwnerTaken(_)
        | Body::MessageReceived(_)
        | Body::MessageWithdrawn(_)
        | Body::ResourceLoaded(_)
        | Body::RunStarted(_)
        | Body::RunResumed(_)
        | Body::RunCancelRequested(_)
        | Body::ModelCompleted(_)
        | Body::ModelFailed(_)
        | Body::ActionDecided(_)
        | Body::ActionWithdrawn(_)
        | Body::AskAnswered(_)
        | Body::ToolAdopted(_)
        | Body::ToolProgress(_)
        | Body::ToolFinished(_)
        | Body::ToolCancelled(_)
        | Body::ToolUnknown(_)
        | Body::DeliveryFinished(_)
        | Body::DeliveryFailed(_)
        | Body::PolicyRuleAdded(_)
        | Body::PolicyRuleRemoved(_)
        | Body::HostQuarantined(_)
        | Body::HostRecovered(_)
        | Body::HostStarted(_)
        | Body::HostStopped(_) => false,
    }
}

/// What people say by themselves; everything else follows from an event.
#[must_use]
pub fn is_first_cause(body: &Body) -> bool {
    matches!(body, Body::SessionCreated(_) | Body::SessionForked(_)) || person_key(body).is_some()
}

/// The key under which a person said it, if a person did.
#[must_use]
pub fn person_key(body: &Body) -> Option<&Key> {
    if let Body::MessageReceived(received) = body {
        Some(&received.key)
    } else if let Body::MessageWithdrawn(withdrawn) = body {
        Some(&withdrawn.key)
    } else if let Body::AskAnswered(answered) = body {
        Some(&answered.key)
    } else if let Body::RunPaused(paused) = body {
        paused.key.as_ref()
    } else if let Body::RunResumed(resumed) = body {
        Some(&resumed.key)
    } else if let Body::RunCancelRequested(requested) = body {
        Some(&requested.key)
    } else {
        None
    }
}
