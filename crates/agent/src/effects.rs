//! What the session wants of the world: exactly what was requested and not answered. Recovery needs nothing else.

use crate::state::{Attempt, Call, Stage, State};
use contract::effect::Effect;
use contract::planted::{self, Bug};

#[must_use]
pub fn effects(state: &State) -> Vec<Effect> {
    let parked = state.is_parked();
    let mut wanted = Vec::new();
    if state.run.is_none()
        && !parked
        && let Some(message) = state.next_message()
    {
        wanted.push(Effect::Prepare(message.id));
    }
    // A call of an earlier owner is not wanted: `advance` records it as interrupted and asks anew.
    if let Some(model) = state.model.as_ref().filter(|model| model.epoch == state.epoch()) {
        wanted.push(Effect::Model { request: model.request, attempt: model.attempt });
    }
    for call in state.calls.values() {
        match &call.stage {
            // What this owner has begun goes on while a person is waited for, and what must end is ended; nothing else is begun.
            Stage::Started(attempt) if !parked || !attempt.is_left_to(state.epoch()) || attempt.deadline.is_some() => {
                of_attempt(state, call, attempt, &mut wanted)
            }
            Stage::Started(_)
            | Stage::Decided
            | Stage::Held(_)
            | Stage::Refused(..)
            | Stage::Waiting { .. }
            | Stage::Unknown
            | Stage::Judged(..) => {}
        }
    }
    let here = state.deliveries.iter().filter(|delivery| state.is_due_here(delivery));
    wanted.extend(here.filter_map(|delivery| delivery.started).map(Effect::Deliver));
    wanted
}

fn of_attempt(state: &State, call: &Call, attempt: &Attempt, wanted: &mut Vec<Effect>) {
    let (action, number) = (call.action, attempt.number);
    wanted.push(if attempt.epoch == state.epoch() || planted::active(Bug::RerunUnsafe) {
        Effect::Start { action, attempt: number }
    } else {
        Effect::Recover { action, attempt: number, class: call.class }
    });
    if let Some(deadline) = attempt.deadline {
        wanted.push(Effect::Stop { action, attempt: number, deadline });
    }
}
