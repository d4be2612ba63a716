//! A host took the stream.

use super::illegal;
use crate::effects::effects;
use crate::state::{Gate, State};
use contract::body::OwnerTaken;
use contract::config::ResumePolicy;
use contract::event::Event;
use contract::limits::RECOVERIES_MAX;
use contract::machine::Illegal;
use contract::planted::{self, Bug};

pub fn taken(state: &mut State, event: &Event, taken: &OwnerTaken) -> Result<(), Illegal> {
    if taken.epoch <= state.epoch() {
        return Err(illegal(event, format!("the owner has epoch {}", state.epoch())));
    }
    let had_owner = state.owner.is_some();
    let was_busy = !effects(state).is_empty();
    if planted::active(Bug::DeliveryForgotten) {
        state.deliveries.clear();
    }
    state.owner = Some(taken.clone());
    // A person who resumes a session wants it to go on, whatever its policy says of takeovers by themselves.
    let by_itself = !std::mem::take(&mut state.resumed);
    if had_owner && was_busy && by_itself {
        state.recoveries = (state.recoveries + 1).min(RECOVERIES_MAX);
        // What only runs in the background needs nobody's word to be watched.
        state.gate = match (state.resume_policy(), &state.run) {
            (ResumePolicy::Ask, _) if state.has_work() && !state.is_parked() => Some(Gate::Ask),
            (ResumePolicy::Paused, Some(run)) if !run.paused => Some(Gate::Pause),
            (ResumePolicy::Ask | ResumePolicy::Paused | ResumePolicy::Continue, _) => None,
        };
    }
    Ok(())
}
