//! Intents that the state itself calls for. Only the owner may advance; an empty answer means at rest.
//!
//! The steps stand in the order they are tried; the first that has something to say ends the round, and its
//! drafts are folded before the next round. So each step sees a settled state and none needs to know the others.

mod ask_model;
mod budget;
mod calls;
mod deliver;
mod due;
mod finish;
mod halt;
mod overtaken;
mod park;
mod retry;
mod say;
mod takeover;
mod warn;

use crate::draft::Drafts;
use crate::state::State;
use contract::event::Draft;
use contract::units::Time;

pub(crate) use due::due;

type Step = fn(&State, Time, &mut Drafts<'_>);

/// What is done also while the session waits for a person: what ended is recorded, what must end is ended.
const ALWAYS: &[Step] = &[takeover::step, deliver::step, warn::step, halt::step, due::step, overtaken::step, park::step];
/// What an open run calls for, once it is not parked.
const RUN: &[Step] = &[say::step, budget::step, calls::step, retry::step, finish::step, ask_model::step];
/// What calls without a run still need.
const BACKGROUND: &[Step] = &[calls::step];

#[must_use]
pub fn advance(state: &State, now: Time) -> Vec<Draft> {
    if state.session.is_none() || state.owner.is_none() {
        return Vec::new();
    }
    let rest = match &state.run {
        _ if state.is_parked() => &[],
        Some(_) => RUN,
        None => BACKGROUND,
    };
    for step in ALWAYS.iter().chain(rest) {
        let mut drafts = Drafts::new(state);
        step(state, now.max(state.time), &mut drafts);
        let drafts = drafts.finish();
        if !drafts.is_empty() {
            return drafts;
        }
    }
    Vec::new()
}
