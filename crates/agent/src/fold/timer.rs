//! A call waits for a time, and ends when it has come or when nobody need wait.

use super::illegal;
use super::tool::{end, open_call};
use crate::state::{Call, Stage, State};
use contract::body::{TimerCancelled, TimerFired, TimerSet};
use contract::event::Event;
use contract::id::{CallId, TimerId};
use contract::machine::Illegal;
use contract::planted::{self, Bug};
use contract::request::CallResult;
use contract::text::Text;

pub fn set(state: &mut State, event: &Event, set: &TimerSet) -> Result<(), Illegal> {
    let (_, call) = open_call(state, event, set.action)?;
    if call.stage != Stage::Decided {
        return Err(illegal(event, format!("the call is {:?}", call.stage)));
    }
    call.stage = Stage::Waiting { timer: set.timer, at: set.at };
    Ok(())
}

pub fn fired(state: &mut State, event: &Event, fired: &TimerFired) -> Result<(), Illegal> {
    let (id, call) = waiting_call(state, event, fired.timer)?;
    if let Stage::Waiting { at, .. } = call.stage
        && event.time < at
    {
        return Err(illegal(event, format!("it is to fire at {}", at.0)));
    }
    if planted::active(Bug::TimerTwice) && call.attempts == 0 {
        call.attempts = 1;
        return Ok(());
    }
    finish(state, id, fired.note.clone());
    Ok(())
}

pub fn cancelled(state: &mut State, event: &Event, cancelled: &TimerCancelled) -> Result<(), Illegal> {
    let (id, _) = waiting_call(state, event, cancelled.timer)?;
    finish(state, id, cancelled.note.clone());
    Ok(())
}

fn waiting_call<'a>(state: &'a mut State, event: &Event, timer: TimerId) -> Result<(CallId, &'a mut Call), Illegal> {
    let waits = |call: &Call| matches!(call.stage, Stage::Waiting { timer: open, .. } if open == timer);
    let found = state.calls.iter_mut().find(|(_, call)| waits(call));
    found.map(|(id, call)| (*id, call)).ok_or_else(|| illegal(event, format!("no call waits for {timer}")))
}

fn finish(state: &mut State, id: CallId, note: Text) {
    let Some(call) = state.calls.get(&id) else { return };
    let provider_call = call.provider_call.clone();
    end(state, id, CallResult::noted(id, provider_call, true, Some(note), None));
}
