//! The machine of one conversation: inbox, runs, model calls, tool calls, asks and what the model sees.
//!
//! Owns every decision about a session. Must not do anything: no async, no files, no clock, no randomness.
//! Read [`state`] first, then [`accept`] (facts from inputs), [`advance`] (intents from the state itself),
//! [`fold`] (what an event changes), [`effects`] (what is wanted of the world) and [`context`] (what the model is shown).

pub mod accept;
pub mod advance;
pub mod context;
pub mod draft;
pub mod effects;
pub mod fold;
pub mod ledger;
pub mod policy;
pub mod prompts;
pub mod rest;
pub mod standing;
pub mod state;
pub mod transcript;
mod words;

pub use state::State;

use contract::effect::Effect;
use contract::event::{Draft, Event};
use contract::id::StreamId;
use contract::input::{Input, Rejection};
use contract::machine::{Illegal, Machine, Rest};
use contract::units::{Epoch, Time, Version};

/// The machine of `session/<id>` streams.
#[derive(Clone, Copy, Debug)]
pub struct Agent;

impl Machine for Agent {
    type State = State;

    fn new(stream: StreamId) -> State {
        State::new(stream)
    }

    fn fold(state: &mut State, event: &Event) -> Result<(), Illegal> {
        fold::fold(state, event)
    }

    fn accept(state: &State, input: Input, now: Time) -> Result<Vec<Draft>, Rejection> {
        accept::accept(state, input, now)
    }

    fn advance(state: &State, now: Time) -> Vec<Draft> {
        advance::advance(state, now)
    }

    fn effects(state: &State) -> Vec<Effect> {
        effects::effects(state)
    }

    fn rest(state: &State) -> Rest {
        rest::rest(state)
    }

    fn due(state: &State) -> Option<Time> {
        advance::due(state)
    }

    fn version(state: &State) -> Version {
        state.version
    }

    fn time(state: &State) -> Time {
        state.time
    }

    fn epoch(state: &State) -> Epoch {
        state.epoch()
    }
}
