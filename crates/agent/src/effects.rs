//! What the session wants of the world: exactly what was requested and not answered. Recovery needs nothing else.

use crate::state::{Attempt, Call, Stage, State};
use contract::effect::Effect;
use contract::planted::{self, Bug};

#[must_use]
pub fn effects(state: &State) -> Vec<Effect> {
    if state.is_parked() {
        return Vec::new();
    }
    let mut wanted = Vec::new();
    if state.run.is_none()
        && let Some(message) = state.inbox.first()
    {
        wanted.push(Effect::Prepare(message.id));
    }
    // A call of an earlier owner is not wanted: `advance` records it as interrupted and asks anew.
    if let Some(model) = state.model.as_ref().filter(|model| model.epoch == state.epoch()) {
        wanted.push(Effect::Model { request: model.request, attempt: model.attempt });
    }
    for call in state.calls.values() {
        match &call.stage {
            Stage::Started(attempt) => wanted.push(of_attempt(state, call, attempt)),
            Stage::Decided | Stage::Unknown => {}
        }
    }
    wanted
}

fn of_attempt(state: &State, call: &Call, attempt: &Attempt) -> Effect {
    if attempt.epoch == state.epoch() || planted::active(Bug::RerunUnsafe) {
        Effect::Start { action: call.action, attempt: attempt.number }
    } else {
        Effect::Recover { action: call.action, attempt: attempt.number, class: call.class }
    }
}
