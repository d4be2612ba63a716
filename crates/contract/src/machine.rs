//! The shape shared by all machines: pure functions over one stream.

use crate::effect::Effect;
use crate::event::{Draft, Event};
use crate::id::StreamId;
use crate::input::{Input, Rejection};
use crate::units::{Epoch, Time, Version};
use serde::{Deserialize, Serialize};

/// What a stream needs next; stored beside the last event of every append as the start-up index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rest {
    /// Effects are wanted.
    Busy,
    /// Nothing until this time.
    Until(Time),
    /// Nothing until an input comes.
    Waiting,
    /// Nothing ever.
    Closed,
}

impl Rest {
    #[must_use]
    pub fn class(self) -> RestClass {
        match self {
            Rest::Busy => RestClass::Busy,
            Rest::Until(_) => RestClass::Until,
            Rest::Waiting => RestClass::Waiting,
            Rest::Closed => RestClass::Closed,
        }
    }

    /// When it ends by itself.
    #[must_use]
    pub fn due(self) -> Option<Time> {
        match self {
            Rest::Until(due) => Some(due),
            Rest::Busy | Rest::Waiting | Rest::Closed => None,
        }
    }
}

/// A rest without its time: what the start-up index is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RestClass {
    Busy,
    Until,
    Waiting,
    Closed,
}

impl RestClass {
    pub const ALL: [RestClass; 4] = [RestClass::Busy, RestClass::Until, RestClass::Waiting, RestClass::Closed];
}

/// Log and code disagree. The stream is quarantined, the others go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {event} at version {version} is illegal while {state}")]
pub struct Illegal {
    pub event: &'static str,
    pub version: Version,
    pub state: String,
}

pub trait Machine {
    type State: Clone;

    fn new(stream: StreamId) -> Self::State;
    /// Applies one stored event.
    fn fold(state: &mut Self::State, event: &Event) -> Result<(), Illegal>;
    /// Facts that follow from an input. Any process may ask; nothing is started.
    fn accept(state: &Self::State, input: Input, now: Time) -> Result<Vec<Draft>, Rejection>;
    /// Intents that the state itself calls for. Only the owner may ask; empty means at rest.
    fn advance(state: &Self::State, now: Time) -> Vec<Draft>;
    /// The whole wanted set: start what is missing, stop what has left it.
    fn effects(state: &Self::State) -> Vec<Effect>;
    fn rest(state: &Self::State) -> Rest;
    /// When `advance` will have something to say by itself; never early, late after downtime.
    fn due(state: &Self::State) -> Option<Time>;
    fn version(state: &Self::State) -> Version;
    /// Time of the latest event; `now` is never less.
    fn time(state: &Self::State) -> Time;
    /// Epoch of the latest `owner.taken`.
    fn epoch(state: &Self::State) -> Epoch;
}
