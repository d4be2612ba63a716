//! What a search must have met at least once. A scenario that never reaches what it was made for proves nothing.

use contract::ask::{Answer, AskKind};
use contract::body::{Body, CancelReason, FailureClass, FinishReason, Purpose, UnknownReason, WithdrawReason};
use contract::event::Event;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Everything that the scenarios together must reach.
const MARKS: &[&str] = &[
    "a message inside an open run",
    "a takeover of an open model call",
    "a takeover of a running tool",
    "ask.answered deny",
    "ask.answered approve",
    "ask.opened crash_loop",
    "ask.opened resume",
    "action.withdrawn denied",
    "action.withdrawn invalid",
    "action.withdrawn limit",
    "message.sent",
    "model.failed interrupted",
    "model.failed permanent",
    "model.requested of a fallback",
    "model.retrying",
    "model.requested last reply",
    "model.requested with a correction",
    "run.finished completed",
    "run.finished denied",
    "run.finished empty reply",
    "run.finished model failed",
    "run.finished turn limit",
    "run.paused",
    "run.resumed",
    "tool.adopted",
    "tool.cancelled never_started",
    "tool.cancelled no_effect",
    "tool.finished",
    "tool.reconciled",
    "tool.started again",
    "tool.unknown died",
    "tool.unknown lost",
    "tool.unknown other_machine",
];

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    met: BTreeSet<&'static str>,
    /// The last event looked at; worlds that share their newest event share their history.
    last: Option<Arc<Event>>,
}

impl Coverage {
    /// Notes what this history met.
    pub fn see(&mut self, events: &[Arc<Event>]) {
        let Some(newest) = events.last() else { return };
        if self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, newest)) {
            return;
        }
        self.last = Some(newest.clone());
        let mut open = Open::default();
        for event in events {
            self.met.extend(mark(&event.draft.body));
            self.met.extend(open.mark(&event.draft.body));
        }
    }

    pub fn merge(&mut self, other: Coverage) {
        self.met.extend(other.met);
    }

    /// What no search has met.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        MARKS.iter().copied().filter(|mark| !self.met.contains(mark)).collect()
    }
}

/// What is open at a place of a history.
#[derive(Default)]
struct Open {
    run: bool,
    model: bool,
    tools: usize,
}

impl Open {
    fn mark(&mut self, body: &Body) -> Option<&'static str> {
        let was_running = self.tools > 0;
        if let Body::RunStarted(_) | Body::RunFinished(_) = body {
            self.run = matches!(body, Body::RunStarted(_));
        }
        if let Body::ModelRequested(_) | Body::ModelCompleted(_) | Body::ModelFailed(_) = body {
            self.model = matches!(body, Body::ModelRequested(_));
        }
        if let Body::ToolStarted(_) = body {
            self.tools += 1;
        }
        if let Body::ToolFinished(_) | Body::ToolCancelled(_) | Body::ToolUnknown(_) = body {
            self.tools -= 1;
        }
        if self.run && matches!(body, Body::MessageReceived(_)) {
            return Some("a message inside an open run");
        }
        match (body, was_running, self.model) {
            (Body::OwnerTaken(_), true, _) => Some("a takeover of a running tool"),
            (Body::OwnerTaken(_), false, true) => Some("a takeover of an open model call"),
            _ => None,
        }
    }
}

fn mark(body: &Body) -> Option<&'static str> {
    Some(match body {
        Body::MessageSent(_) => "message.sent",
        Body::RunPaused(_) => "run.paused",
        Body::RunResumed(_) => "run.resumed",
        Body::RunFinished(finished) => match finished.reason {
            None => "run.finished completed",
            Some(FinishReason::Denied) => "run.finished denied",
            Some(FinishReason::EmptyReply) => "run.finished empty reply",
            Some(FinishReason::ModelFailed) => "run.finished model failed",
            Some(FinishReason::TurnLimit) => "run.finished turn limit",
        },
        Body::ModelRequested(requested) if requested.purpose == Purpose::LastReply => "model.requested last reply",
        Body::ModelRequested(requested) if requested.nudge.is_some() => "model.requested with a correction",
        Body::ModelRequested(requested) if requested.model == "spare" => "model.requested of a fallback",
        Body::ModelRetrying(_) => "model.retrying",
        Body::ModelFailed(failed) if failed.class == FailureClass::Interrupted => "model.failed interrupted",
        Body::ModelFailed(failed) if failed.class == FailureClass::Permanent => "model.failed permanent",
        Body::ActionWithdrawn(withdrawn) => match withdrawn.reason {
            WithdrawReason::Invalid => "action.withdrawn invalid",
            WithdrawReason::Limit => "action.withdrawn limit",
            WithdrawReason::Denied => "action.withdrawn denied",
            WithdrawReason::NeverDecided => "action.withdrawn never_decided",
        },
        Body::AskOpened(opened) => match opened.ask.kind {
            AskKind::Resume => "ask.opened resume",
            AskKind::CrashLoop => "ask.opened crash_loop",
        },
        Body::AskAnswered(answered) => match answered.answer {
            Answer::Approve => "ask.answered approve",
            Answer::Deny => "ask.answered deny",
        },
        Body::ToolStarted(started) if started.attempt > 1 => "tool.started again",
        Body::ToolAdopted(_) => "tool.adopted",
        Body::ToolFinished(_) => "tool.finished",
        Body::ToolReconciled(_) => "tool.reconciled",
        Body::ToolCancelled(cancelled) => match cancelled.reason {
            CancelReason::NeverStarted => "tool.cancelled never_started",
            CancelReason::NoEffect => "tool.cancelled no_effect",
        },
        Body::ToolUnknown(unknown) => match unknown.reason {
            UnknownReason::Died => "tool.unknown died",
            UnknownReason::Lost => "tool.unknown lost",
            UnknownReason::OtherMachine => "tool.unknown other_machine",
            UnknownReason::OtherBoot | UnknownReason::Changed => return None,
        },
        Body::SessionCreated(_)
        | Body::OwnerTaken(_)
        | Body::MessageReceived(_)
        | Body::RunStarted(_)
        | Body::ModelRequested(_)
        | Body::ModelCompleted(_)
        | Body::ModelFailed(_)
        | Body::ActionDecided(_)
        | Body::ToolStarted(_)
        | Body::HostQuarantined(_)
        | Body::HostRecovered(_) => return None,
    })
}
