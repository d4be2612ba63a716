//! A session begins as another one was: everything open there is closed here, in one step that cannot be torn.
//!
//! What was folded before belongs to the other session and goes on there. So nothing of it is wanted here: no model call,
//! no attempt, no wait, no ask, no owner. The state has the name of the new stream from the start, because no fold
//! depends on it.

use super::illegal;
use super::tool::end;
use crate::state::{Fork, Ledger, State};
use contract::body::SessionForked;
use contract::event::{Event, Level};
use contract::machine::Illegal;
use contract::request::CallResult;

pub fn forked(state: &mut State, event: &Event, forked: &SessionForked) -> Result<(), Illegal> {
    let Some(session) = &mut state.session else {
        return Err(illegal(event, "there is no session"));
    };
    session.created = event.draft.id;
    session.level = Level::Core;
    session.by = forked.by.clone();
    session.fork = Some(Fork { from: forked.from, at: forked.at });
    close_calls(state, forked);
    state.owner = None;
    state.recoveries = 0;
    state.resumed = false;
    state.gate = None;
    state.run = None;
    state.model = None;
    state.asks.clear();
    state.deliveries.clear();
    state.seen.clear();
    for message in &mut state.inbox {
        message.starts = false;
    }
    // What the other session used is counted there; what a call may cost is known all the same.
    state.ledger = Ledger { dearest_micros: state.ledger.dearest_micros, ..Ledger::default() };
    Ok(())
}

/// Every call needs a result before a model can be asked again; one whose result was a note is told of late.
fn close_calls(state: &mut State, forked: &SessionForked) {
    let undecided = state.reply.take().map(|reply| reply.undecided).unwrap_or_default();
    let decided = state.calls.iter().map(|(id, call)| (*id, call.provider_call.clone()));
    for (id, provider_call) in undecided.into_iter().chain(decided.collect::<Vec<_>>()) {
        end(state, id, CallResult::noted(id, provider_call, false, Some(forked.note.clone()), None));
    }
}
