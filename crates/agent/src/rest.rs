//! What a session needs next, for the start-up index.

use crate::advance::advance;
use crate::effects::effects;
use crate::state::State;
use contract::machine::Rest;

#[must_use]
pub fn rest(state: &State) -> Rest {
    // Facts of another process may leave work that no effect shows yet, such as a run that a person resumed.
    if effects(state).is_empty() && advance(state, state.time).is_empty() { Rest::Waiting } else { Rest::Busy }
}
