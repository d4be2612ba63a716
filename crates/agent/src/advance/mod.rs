//! Intents that the state itself calls for. Only the owner may advance; an empty answer means at rest.
//!
//! The steps stand in the order they are tried; the first that has something to say ends the round, and its
//! drafts are folded before the next round. So each step sees a settled state and none needs to know the others.

mod ask_model;
mod calls;
mod finish;
mod park;
mod retry;
mod say;
mod takeover;

use crate::draft::Drafts;
use crate::state::State;
use contract::event::Draft;
use contract::units::Time;

type Step = fn(&State, Time, &mut Drafts<'_>);

/// What an open run calls for, once it is not parked.
const STEPS: &[Step] = &[say::step, calls::step, retry::step, finish::step, ask_model::step];

#[must_use]
pub fn advance(state: &State, now: Time) -> Vec<Draft> {
    if state.session.is_none() || state.owner.is_none() {
        return Vec::new();
    }
    let first: &[Step] = &[takeover::step, park::step];
    let rest: &[Step] = if state.is_parked() || state.run.is_none() { &[] } else { STEPS };
    for step in first.iter().chain(rest) {
        let mut drafts = Drafts::new(state);
        step(state, now.max(state.time), &mut drafts);
        let drafts = drafts.finish();
        if !drafts.is_empty() {
            return drafts;
        }
    }
    Vec::new()
}
