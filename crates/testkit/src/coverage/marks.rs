//! Names of what an event or an effect is, as far as a search must have met it.

use contract::ask::{Answer, Grant, LimitKind, Subject};
use contract::body::{
    AbortReason, Body, CancelReason, FailureClass, FinishReason, Mode, ModelRequested, Purpose, Scope, SupersedeReason, UnknownReason,
    Verdict, WithdrawReason,
};
use contract::effect::Effect;

pub fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Prepare(_) => "effect: prepare",
        Effect::Model { .. } => "effect: model",
        Effect::Start { .. } => "effect: start",
        Effect::Recover { .. } => "effect: recover",
        Effect::Stop { .. } => "effect: stop",
        Effect::Deliver(_) => "effect: deliver",
    }
}

/// What an event is besides its type.
pub fn mark(body: &Body) -> Option<&'static str> {
    match body {
        Body::MessageReceived(received) => Some(said(received.mode)),
        Body::RunPaused(paused) => Some(if paused.by.is_some() { "paused: by a person" } else { "paused: by policy" }),
        Body::RunCancelRequested(requested) => Some(match requested.scope {
            Scope::Turn => "stopped: turn",
            Scope::All => "stopped: all",
        }),
        Body::RunFinished(finished) => Some(ending(finished.reason)),
        Body::ModelRequested(requested) => asked_for(requested),
        Body::ModelFailed(failed) => Some(failure(failed.class)),
        Body::ModelAborted(aborted) => Some(match aborted.reason {
            AbortReason::Stopped => "given up: stopped",
            AbortReason::Interrupted => "given up: interrupted",
        }),
        Body::ActionDecided(decided) => decided.replaces.map(|_| "a call is replaced by an edited one"),
        Body::ActionWithdrawn(withdrawn) => refusal(withdrawn.reason),
        Body::AskOpened(opened) => question(&opened.ask.subject),
        Body::AskAnswered(answered) => Some(answer(&answered.answer)),
        Body::AskSuperseded(superseded) => Some(match superseded.reason {
            SupersedeReason::NewerMessage => "superseded: newer message",
            SupersedeReason::Stopped => "superseded: stopped",
        }),
        Body::ToolStarted(started) => (started.attempt > 1).then_some("a tool is started again"),
        Body::ToolFinished(finished) => finished.signal.map(|_| "a tool ends by a signal"),
        Body::ToolReconciled(reconciled) => Some(match reconciled.verdict {
            Verdict::Told => "reconciled: told",
            Verdict::Happened => "reconciled: happened",
            Verdict::NotHappened => "reconciled: not happened",
        }),
        Body::ToolCancelled(cancelled) => Some(match cancelled.reason {
            CancelReason::NeverStarted => "cancelled: never started",
            CancelReason::NoEffect => "cancelled: no effect",
        }),
        Body::ToolUnknown(unknown) => lost(unknown.reason),
        Body::SessionCreated(_)
        | Body::SessionForked(_)
        | Body::OwnerTaken(_)
        | Body::MessageWithdrawn(_)
        | Body::MessageSent(_)
        | Body::ResourceLoaded(_)
        | Body::RunStarted(_)
        | Body::RunResumed(_)
        | Body::ModelCompleted(_)
        | Body::ModelRetrying(_)
        | Body::AskExpired(_)
        | Body::ToolAdopted(_)
        | Body::ToolProgress(_)
        | Body::ToolDeferred(_)
        | Body::ToolBackgrounded(_)
        | Body::ToolCancelRequested(_)
        | Body::TimerSet(_)
        | Body::TimerFired(_)
        | Body::TimerCancelled(_)
        | Body::BudgetWarned(_)
        | Body::DeliveryStarted(_)
        | Body::DeliveryFinished(_)
        | Body::DeliveryFailed(_)
        | Body::PolicyRuleAdded(_)
        | Body::PolicyRuleRemoved(_)
        | Body::HostQuarantined(_)
        | Body::HostRecovered(_)
        | Body::HostStarted(_)
        | Body::HostStopped(_) => None,
    }
}

fn said(mode: Mode) -> &'static str {
    match mode {
        Mode::Steer => "said: steer",
        Mode::Queue => "said: queue",
        Mode::Interrupt => "said: interrupt",
        Mode::Status => "said: status",
    }
}

fn asked_for(requested: &ModelRequested) -> Option<&'static str> {
    match requested.purpose {
        Purpose::LastReply => Some("a last reply is asked for"),
        Purpose::Reply if requested.nudge.is_some() => Some("a correction is shown"),
        Purpose::Reply => (requested.model == "spare").then_some("a fallback is asked"),
    }
}

fn failure(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Interrupted => "failed: interrupted",
        FailureClass::DayLimit => "failed: day limit",
        FailureClass::Permanent | FailureClass::Auth | FailureClass::ContextTooLong => "failed: permanent",
        FailureClass::Transient | FailureClass::RateLimited | FailureClass::Overloaded => "failed: transient",
    }
}

fn lost(reason: UnknownReason) -> Option<&'static str> {
    match reason {
        UnknownReason::Died => Some("unknown: died"),
        UnknownReason::Lost => Some("unknown: lost"),
        UnknownReason::OtherMachine => Some("unknown: other machine"),
        // The virtual machine is never booted, and its files change by its tools only.
        UnknownReason::OtherBoot | UnknownReason::Changed => None,
    }
}

fn ending(reason: Option<FinishReason>) -> &'static str {
    match reason {
        None => "finished: completed",
        Some(FinishReason::Budget) => "finished: budget",
        Some(FinishReason::Denied) => "finished: denied",
        Some(FinishReason::EmptyReply) => "finished: empty reply",
        Some(FinishReason::ModelFailed) => "finished: model failed",
        Some(FinishReason::Stopped) => "finished: stopped",
        Some(FinishReason::TurnLimit) => "finished: turn limit",
    }
}

fn refusal(reason: WithdrawReason) -> Option<&'static str> {
    Some(match reason {
        WithdrawReason::Denied => "withdrawn: denied",
        WithdrawReason::Expired => "withdrawn: expired",
        WithdrawReason::Invalid => "withdrawn: invalid",
        WithdrawReason::Limit => "withdrawn: limit",
        WithdrawReason::NewerMessage => "withdrawn: newer message",
        WithdrawReason::NotAlone => "withdrawn: not alone",
        WithdrawReason::Rule => "withdrawn: rule",
        WithdrawReason::Stopped => "withdrawn: stopped",
        // Only a cut in the middle of an append leaves a call without a decision.
        WithdrawReason::NeverDecided => return None,
    })
}

fn question(subject: &Subject) -> Option<&'static str> {
    Some(match subject {
        Subject::Tool { .. } => "asked: tool",
        Subject::Question { .. } => "asked: question",
        Subject::Reconcile { .. } => "asked: reconcile",
        Subject::Resume => "asked: resume",
        Subject::Limit { limit, .. } => match limit {
            LimitKind::CrashLoop => "asked: crash loop",
            LimitKind::Loop => "asked: loop",
            LimitKind::Tokens => "asked: tokens",
            LimitKind::ToolCalls => "asked: tool calls",
            LimitKind::Turns => "asked: turns",
            LimitKind::WallTime => "asked: time",
            LimitKind::Day => "asked: day",
            // It is counted like tokens, and the virtual model has no price.
            LimitKind::Cost => return None,
        },
    })
}

fn answer(answer: &Answer) -> &'static str {
    match answer {
        Answer::Approve { grant: Grant::Once } => "answered: approve",
        Answer::Approve { grant: Grant::Session } => "answered: for the session",
        Answer::Approve { grant: Grant::Always } => "answered: for good",
        Answer::Edit { .. } => "answered: edit",
        Answer::Deny { stop: false, .. } => "answered: deny",
        Answer::Deny { stop: true, .. } => "answered: deny and stop",
        Answer::Reply(_) => "answered: reply",
        Answer::Extend { .. } => "answered: extend",
    }
}
