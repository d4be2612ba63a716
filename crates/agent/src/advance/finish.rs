//! A run ends once: when it has answered, failed, reached its limit, or a person ended it, and nothing of its foreground
//! is open. What runs in the background goes on without it.

use crate::draft::{About, Drafts};
use crate::state::{Call, Run, Stage, State};
use contract::body::{FinishReason, Purpose, RunFinished, RunOutcome, ToolBackgrounded};
use contract::limits::EMPTY_REPLIES_MAX;
use contract::units::Time;

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    let Some(run) = state.run.as_ref().filter(|_| state.model.is_none()) else { return };
    if state.foreground().next().is_some() {
        return let_go(state, run, drafts);
    }
    if let Some((outcome, reason)) = ending(state, run) {
        let cause = state.reply.as_ref().map_or(run.started, |reply| reply.completed);
        drafts.intent(About::agent(cause), RunFinished { run: run.id, outcome, reason });
    }
}

/// A run that no model will go on with does not wait for what its last model was told of: that would only keep the next
/// message from being heard. Whoever stopped a run wants to see it stopped, and what has not begun ends soon.
fn let_go(state: &State, run: &Run, drafts: &mut Drafts<'_>) {
    if run.stop.is_some() || !is_over(state, run) {
        return;
    }
    let told = |call: &Call| call.foreground && call.deferred && call.stage != Stage::Decided;
    for (id, call) in state.calls.iter().filter(|(_, call)| told(call)) {
        drafts.intent(About::system(Some(call.decided)).call(*id), ToolBackgrounded { action: call.action });
    }
}

/// Whether the run has had its last word and asks no model again.
pub(super) fn is_over(state: &State, run: &Run) -> bool {
    let last_reply = state.reply.as_ref().is_some_and(|reply| reply.purpose == Purpose::LastReply);
    run.stop.is_some() || run.failed || run.empty_replies >= EMPTY_REPLIES_MAX || last_reply
}

fn ending(state: &State, run: &Run) -> Option<(RunOutcome, Option<FinishReason>)> {
    if let Some(reason) = run.stop {
        let outcome = if reason == FinishReason::Budget { RunOutcome::Limit } else { RunOutcome::Cancelled };
        return Some((outcome, Some(reason)));
    }
    if run.failed {
        return Some((RunOutcome::Failed, Some(FinishReason::ModelFailed)));
    }
    if run.empty_replies >= EMPTY_REPLIES_MAX {
        return Some((RunOutcome::Failed, Some(FinishReason::EmptyReply)));
    }
    let reply = state.reply.as_ref()?;
    if reply.purpose == Purpose::LastReply {
        return Some((RunOutcome::Limit, Some(FinishReason::TurnLimit)));
    }
    let answered = reply.has_text && !reply.has_calls;
    // Something the model has not seen keeps the run open: its answer would ignore it.
    let unseen = state.showable().next().is_some() || state.transcript.has_fresh();
    (answered && !unseen).then_some((RunOutcome::Completed, None))
}
