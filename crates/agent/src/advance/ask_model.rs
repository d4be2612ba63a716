//! The model is asked when nothing of its last reply is open and there is something it has not answered.

use crate::draft::{About, Drafts};
use crate::prompts;
use crate::state::{Retry, Run, State};
use contract::body::{ModelRequested, Purpose};
use contract::text::Text;
use contract::units::Time;

pub fn step(state: &State, now: Time, drafts: &mut Drafts<'_>) {
    let Some(run) = &state.run else { return };
    if state.model.is_some() || !state.calls.is_empty() || !is_due(run.retry, now) {
        return;
    }
    let (purpose, nudge) = purpose(run);
    let something_new = state.transcript.has_fresh() || run.attempts > 0 || state.showable().next().is_some();
    if !something_new && nudge.is_none() {
        return;
    }
    let messages = state.showable().map(|message| &message.text);
    let requested = ModelRequested {
        purpose,
        model: run.model.clone(),
        attempt: run.attempts + 1,
        epoch: state.epoch(),
        covers: state.version,
        request_sha256: state.transcript.hash_when_sealed(messages, nudge.as_ref()),
        nudge,
    };
    let cause = state.reply.as_ref().map_or(run.started, |reply| reply.completed);
    drafts.intent(About::agent(cause), requested);
}

fn is_due(retry: Retry, now: Time) -> bool {
    match retry {
        Retry::No => true,
        Retry::Wanted { .. } => false,
        Retry::At(at) => now >= at,
    }
}

fn purpose(run: &Run) -> (Purpose, Option<Text>) {
    let (purpose, nudge) = if run.iteration >= run.config.max_turns {
        (Purpose::LastReply, Some(prompts::last_reply()))
    } else if run.empty_replies > 0 {
        (Purpose::Reply, Some(prompts::empty_reply()))
    } else {
        (Purpose::Reply, None)
    };
    // A request that is repeated has shown its correction already.
    (purpose, nudge.filter(|_| run.attempts == 0))
}
