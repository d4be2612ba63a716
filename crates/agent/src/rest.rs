//! What a session needs next, for the start-up index.

use crate::advance::advance;
use crate::effects::effects;
use crate::state::{Retry, State};
use contract::machine::Rest;
use contract::units::Time;

#[must_use]
pub fn rest(state: &State) -> Rest {
    // Facts of another process may leave work that no effect shows yet, such as a run that a person resumed.
    if !effects(state).is_empty() || !advance(state, state.time).is_empty() {
        return Rest::Busy;
    }
    due(state).map_or(Rest::Waiting, Rest::Until)
}

/// When the session has something to do by itself.
#[must_use]
pub fn due(state: &State) -> Option<Time> {
    let run = state.run.as_ref().filter(|_| !state.is_parked())?;
    match run.retry {
        Retry::At(at) => Some(at),
        Retry::No | Retry::Wanted { .. } => None,
    }
}
