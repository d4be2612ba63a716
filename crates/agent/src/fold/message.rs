//! A person said something, or took it back.

use super::illegal;
use crate::state::{Call, Halt, Message, State};
use contract::body::{MessageReceived, MessageWithdrawn, Mode};
use contract::event::Event;
use contract::machine::Illegal;

pub fn received(state: &mut State, event: &Event, received: &MessageReceived) -> Result<(), Illegal> {
    if state.seen.insert(received.key.clone(), event.version).is_some() {
        return Err(illegal(event, format!("the key {} was seen before", received.key)));
    }
    // How things stand is answered from the log; it changes nothing.
    if received.mode == Mode::Status {
        return Ok(());
    }
    state.recoveries = 0;
    // Nobody died over what is only now to be done.
    state.resumed |= !state.has_work();
    state.inbox.push(Message {
        id: received.message,
        key: received.key.clone(),
        event: event.draft.id,
        version: event.version,
        text: received.text.clone(),
        mode: received.mode,
        starts: true,
    });
    if let Some(run) = state.run.as_mut().filter(|_| received.mode == Mode::Interrupt) {
        run.interrupted = true;
        for call in state.calls.values_mut().filter(|call| call.foreground) {
            call.halt.get_or_insert(Halt::NewerMessage);
        }
    }
    Ok(())
}

pub fn withdrawn(state: &mut State, event: &Event, withdrawn: &MessageWithdrawn) -> Result<(), Illegal> {
    let Some(place) = state.inbox.iter().position(|message| message.id == withdrawn.message) else {
        return Err(illegal(event, format!("message {} does not wait", withdrawn.message)));
    };
    state.inbox.remove(place);
    state.seen.insert(withdrawn.key.clone(), event.version);
    if !state.inbox.iter().any(|message| message.mode == Mode::Interrupt) {
        forget_interruption(state);
    }
    Ok(())
}

/// What was to end for a message that nobody stands by any more goes on, unless it was told to end.
fn forget_interruption(state: &mut State) {
    if let Some(run) = &mut state.run {
        run.interrupted = false;
    }
    let told = |call: &Call| call.attempt().is_some_and(|attempt| attempt.deadline.is_some());
    for call in state.calls.values_mut().filter(|call| call.halt == Some(Halt::NewerMessage) && !told(call)) {
        call.halt = None;
    }
}
