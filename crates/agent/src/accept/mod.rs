//! Facts that follow from an input. Any process may accept; nothing is started here.

mod answer;
mod create;
mod delivery;
mod edit;
mod fork;
mod message;
mod model;
mod pause;
mod prepared;
mod resume;
mod stop;
mod taken;
mod tool;
mod withdraw;

pub use fork::fork;

use crate::draft::About;
use crate::state::State;
use contract::body::Principal;
use contract::event::{Actor, Draft, Trust};
use contract::id::Key;
use contract::input::{Input, Rejection};
use contract::outcome::Outcome;
use contract::units::Time;

pub fn accept(state: &State, input: Input, now: Time) -> Result<Vec<Draft>, Rejection> {
    let now = now.max(state.time);
    match input {
        Input::Create { folder, options, origin, by } => create::accept(state, folder, options, origin, by),
        Input::Message { key, text, mode, from, seen, tails } => {
            message::accept(state, message::Said { key, text, mode, from, seen }, tails, now)
        }
        Input::Withdraw { key, message, by } => withdraw::accept(state, key, &message, by),
        Input::Answer { ask, key, answer, by } => answer::accept(state, ask, key, answer, by, now),
        Input::Edit { ask, key, call, by } => edit::accept(state, ask, key, *call, by, now),
        Input::Stop { key, scope, by } => stop::accept(state, key, scope, by),
        Input::Pause { key, by } => pause::accept(state, key, by),
        Input::Resume { key, by } => resume::accept(state, key, by),
        Input::Taken { epoch, host, machine, boot } => taken::accept(state, epoch, host, machine, boot),
        Input::Done { effect, attempt, outcome } => match outcome {
            Outcome::Prepared { config, resources } => prepared::accept(state, effect, attempt, *config, resources),
            Outcome::Model(outcome) => model::accept(state, effect, attempt, outcome),
            Outcome::Tool(outcome) => tool::accept(state, effect, attempt, outcome),
            Outcome::Delivery(outcome) => delivery::accept(state, effect, attempt, outcome),
        },
    }
}

/// A person said it; nothing caused it.
fn about_person(by: &Principal) -> About {
    About { cause: None, call: None, actor: Actor::User(by.clone()), trust: Trust::User }
}

/// Whether a person said this before.
fn check_new(state: &State, key: &Key) -> Result<(), Rejection> {
    if state.session.is_none() {
        return Err(Rejection::NoSession);
    }
    match state.seen.get(key) {
        Some(version) => Err(Rejection::Known(*version)),
        None => Ok(()),
    }
}
