//! A run starts, stands still, goes on, speaks and ends.

use super::illegal;
use crate::state::{Retry, Run, State};
use contract::body::{MessageSent, RunFinished, RunPaused, RunResumed, RunStarted};
use contract::event::Event;
use contract::machine::Illegal;

pub fn started(state: &mut State, event: &Event, started: &RunStarted) -> Result<(), Illegal> {
    if let Some(run) = &state.run {
        return Err(illegal(event, format!("run {} is open", run.id)));
    }
    let Some(message) = state.inbox.iter().find(|message| message.id == started.message) else {
        return Err(illegal(event, format!("message {} is not in the inbox", started.message)));
    };
    state.recoveries = 0;
    state.transcript.configure(&started.config.model, started.config.sha256);
    state.run = Some(Run {
        id: started.run,
        started: event.draft.id,
        message: started.message,
        trigger: message.event,
        config: started.config.clone(),
        iteration: 0,
        attempts: 0,
        empty_replies: 0,
        paused: false,
        denied: false,
        model: started.config.model.clone(),
        failures: 0,
        retry: Retry::No,
        failed: false,
    });
    Ok(())
}

pub fn said(state: &mut State, event: &Event, sent: &MessageSent) -> Result<(), Illegal> {
    match &mut state.reply {
        Some(reply) if reply.completed == sent.completed && !reply.said => reply.said = true,
        Some(_) | None => return Err(illegal(event, "no reply waits to be said")),
    }
    Ok(())
}

pub fn paused(state: &mut State, event: &Event, paused: &RunPaused) -> Result<(), Illegal> {
    match &mut state.run {
        Some(run) if run.id == paused.run && !run.paused => run.paused = true,
        Some(_) | None => return Err(illegal(event, "that run is not going")),
    }
    state.gate = None;
    Ok(())
}

pub fn resumed(state: &mut State, resumed: &RunResumed) -> Result<(), Illegal> {
    state.seen.insert(resumed.key.clone(), state.version);
    state.recoveries = 0;
    state.resumed = true;
    state.gate = None;
    if let Some(run) = &mut state.run {
        run.paused = false;
    }
    Ok(())
}

pub fn finished(state: &mut State, event: &Event, finished: &RunFinished) -> Result<(), Illegal> {
    let Some(run) = state.run.as_ref().filter(|run| run.id == finished.run) else {
        return Err(illegal(event, "that run is not open"));
    };
    if state.model.is_some() || !state.calls.is_empty() {
        return Err(illegal(event, "something of the run is open"));
    }
    // A run that was ended before it showed its message has dealt with it all the same.
    state.inbox.retain(|message| message.id != run.message);
    state.run = None;
    state.reply = None;
    state.resumed = false;
    Ok(())
}
