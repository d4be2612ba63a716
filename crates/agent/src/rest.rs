//! What a session needs next: for the start-up index, and for whoever waits for it.

use crate::advance::{self, advance};
use crate::effects::effects;
use crate::state::{Stage, State};
use contract::effect::Effect;
use contract::machine::Rest;

#[must_use]
pub fn rest(state: &State) -> Rest {
    // Facts of another process may leave work that no effect shows yet, such as a run that a person resumed.
    if !effects(state).is_empty() || !advance(state, state.time).is_empty() {
        return Rest::Busy;
    }
    advance::due(state).map_or(Rest::Waiting, Rest::Until)
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The session works, or will by itself.
    Session,
    /// It goes on when a person has answered or resumed it.
    Person,
    /// Nothing is to be done; a background process may still run.
    Nobody,
}

#[must_use]
pub fn turn(state: &State) -> Turn {
    let in_background = |effect: &Effect| match effect {
        Effect::Start { action, .. } | Effect::Recover { action, .. } | Effect::Stop { action, .. } => {
            state.call_of(*action).is_some_and(|(_, call)| !call.foreground)
        }
        Effect::Prepare(_) | Effect::Model { .. } | Effect::Deliver(_) => false,
    };
    // At a limit only what ends by itself is worth waiting for: a command goes on without anybody.
    let at_limit = state.is_parked() && state.asks.values().any(|open| open.ask.subject.parks());
    let works = effects(state).iter().any(|effect| if at_limit { ends_by_itself(effect) } else { !in_background(effect) });
    let waits = !state.is_parked() && state.foreground().any(|call| matches!(call.stage, Stage::Waiting { .. }));
    if works || waits || !advance(state, state.time).is_empty() {
        return Turn::Session;
    }
    if state.waits_for_person() {
        return Turn::Person;
    }
    if state.has_work() { Turn::Session } else { Turn::Nobody }
}

fn ends_by_itself(effect: &Effect) -> bool {
    match effect {
        Effect::Prepare(_) | Effect::Model { .. } | Effect::Deliver(_) => true,
        Effect::Start { .. } | Effect::Recover { .. } | Effect::Stop { .. } => false,
    }
}
