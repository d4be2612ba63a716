//! A run ends once: when it has answered, failed, reached its limit, or a person ended it, and nothing of it is open.

use crate::draft::{About, Drafts};
use crate::state::{Run, State};
use contract::body::{FinishReason, Purpose, RunFinished, RunOutcome};
use contract::limits::EMPTY_REPLIES_MAX;
use contract::units::Time;

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    let Some(run) = &state.run else { return };
    if state.model.is_some() || !state.calls.is_empty() {
        return;
    }
    if let Some((outcome, reason)) = ending(state, run) {
        let cause = state.reply.as_ref().map_or(run.started, |reply| reply.completed);
        drafts.intent(About::agent(cause), RunFinished { run: run.id, outcome, reason });
    }
}

fn ending(state: &State, run: &Run) -> Option<(RunOutcome, Option<FinishReason>)> {
    if run.denied {
        return Some((RunOutcome::Cancelled, Some(FinishReason::Denied)));
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
    // A message the model has not seen keeps the run open: its answer would ignore it.
    (answered && state.showable().next().is_none()).then_some((RunOutcome::Completed, None))
}
