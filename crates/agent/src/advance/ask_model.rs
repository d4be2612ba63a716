//! The model is asked when there is something it has not answered and either nothing of its last reply is open or a
//! message waits; then what is open is shown as a note.

use super::{budget, finish};
use crate::draft::{About, Drafts};
use crate::ledger;
use crate::prompts;
use crate::state::{Call, Retry, Run, Stage, State};
use contract::body::{ModelRequested, Purpose, ToolDeferred};
use contract::id::CallId;
use contract::limits::REPEATS_CORRECTED;
use contract::text::Text;
use contract::units::Time;

pub fn step(state: &State, now: Time, drafts: &mut Drafts<'_>) {
    let Some(run) = state.run.as_ref().filter(|run| !finish::is_over(state, run)) else {
        return;
    };
    if state.model.is_some() || !is_due(run.retry, now) || is_held_up(state, run) {
        return;
    }
    let message_waits = state.showable().next().is_some();
    let mut unsettled = state.calls.iter().filter(|(_, call)| !call.deferred).peekable();
    if unsettled.peek().is_some() && !message_waits {
        return;
    }
    let something_new = message_waits || state.transcript.has_fresh() || run.attempts > 0 || run.empty_replies > 0;
    if !something_new {
        return;
    }
    let reserve = ledger::reserve(state, run);
    if let Some(reached) = ledger::before_model(state, run, reserve) {
        return budget::open(state, drafts, reached);
    }
    if unsettled.peek().is_some() {
        return unsettled.for_each(|(id, call)| defer(*id, call, now, drafts));
    }
    let (purpose, nudge) = purpose(run);
    let messages = state.showable().map(|message| &message.text);
    let requested = ModelRequested {
        purpose,
        model: run.model.clone(),
        attempt: run.attempts + 1,
        epoch: state.epoch(),
        covers: state.version,
        request_sha256: state.transcript.hash_when_sealed(messages, nudge.as_ref()),
        nudge,
        reserve,
    };
    let cause = state.reply.as_ref().map_or(run.started, |reply| reply.completed);
    drafts.intent(About::agent(cause), requested);
}

/// Whether the model is asked when something has ended, and at no time before.
pub(super) fn is_held_up(state: &State, run: &Run) -> bool {
    is_ending(state, run) || is_looking(state)
}

/// Whether an interruption still waits for what it ends.
fn is_ending(state: &State, run: &Run) -> bool {
    run.interrupted && state.foreground().any(|call| call.attempt().is_some_and(|attempt| attempt.deadline.is_some()))
}

/// Whether it is still being found out what became of an attempt of an earlier owner; here that takes no time, and the
/// model would be told that something runs which has ended.
fn is_looking(state: &State) -> bool {
    state.calls.values().any(|call| call.attempt().is_some_and(|attempt| state.is_sought(attempt)))
}

fn is_due(retry: Retry, now: Time) -> bool {
    match retry {
        Retry::No => true,
        Retry::Wanted { .. } => false,
        Retry::At(at) => now >= at,
    }
}

fn purpose(run: &Run) -> (Purpose, Option<Text>) {
    // A request that is repeated has shown what its reply was corrected for; repeats may be noticed in between.
    let first = run.attempts == 0;
    if run.turns.last {
        (Purpose::LastReply, first.then(prompts::last_reply))
    } else if run.empty_replies > 0 && first {
        (Purpose::Reply, Some(prompts::empty_reply()))
    } else if run.repeats.count >= REPEATS_CORRECTED && !run.repeats.corrected {
        (Purpose::Reply, Some(prompts::repeating(run.repeats.count)))
    } else {
        (Purpose::Reply, None)
    }
}

/// The model is told that the call has not ended, once and for good.
fn defer(id: CallId, call: &Call, now: Time, drafts: &mut Drafts<'_>) {
    let (note, output) = match &call.stage {
        Stage::Started(attempt) => (prompts::deferred_running(id, now.0.saturating_sub(attempt.since.0)), attempt.tail.clone()),
        Stage::Waiting { .. } => (prompts::deferred_waiting(id), None),
        Stage::Held(_) | Stage::Unknown | Stage::Judged(..) => (prompts::deferred_unknown(id), None),
        Stage::Decided | Stage::Refused(..) => (prompts::deferred_not_started(id), None),
    };
    drafts.intent(About::agent(call.decided).call(id), ToolDeferred { action: call.action, note, output });
}
