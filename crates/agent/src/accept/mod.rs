//! Facts that follow from an input. Any process may accept; nothing is started here.

mod answer;
mod create;
mod message;
mod model;
mod prepared;
mod resume;
mod taken;
mod tool;

use crate::state::State;
use contract::event::Draft;
use contract::input::{Input, Rejection};
use contract::outcome::Outcome;
use contract::units::Time;

pub fn accept(state: &State, input: Input, now: Time) -> Result<Vec<Draft>, Rejection> {
    let now = now.max(state.time);
    match input {
        Input::Create { folder, options, origin, by } => create::accept(state, folder, options, origin, by),
        Input::Message { key, text, mode, from } => message::accept(state, key, text, mode, from),
        Input::Answer { ask, key, answer, by } => answer::accept(state, ask, key, answer, by, now),
        Input::Resume { key, by } => resume::accept(state, key, by),
        Input::Taken { epoch, host, machine, boot } => taken::accept(state, epoch, host, machine, boot),
        Input::Done { effect, attempt, outcome } => match outcome {
            Outcome::Prepared(config) => prepared::accept(state, effect, attempt, config),
            Outcome::Model(outcome) => model::accept(state, effect, attempt, outcome),
            Outcome::Tool(outcome) => tool::accept(state, effect, attempt, outcome),
        },
    }
}
