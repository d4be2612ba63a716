//! A run starts, stands still, goes on, speaks and ends.

use super::{ask, illegal};
use crate::state::{Day, Halt, Repeats, Retry, Run, RunClock, State, Turns, Warned};
use contract::body::{
    BudgetWarned, FinishReason, MessageSent, RunCancelRequested, RunFinished, RunPaused, RunResumed, RunStarted, Scope, Warning,
};
use contract::event::Event;
use contract::machine::Illegal;
use contract::units::Time;

pub fn started(state: &mut State, event: &Event, started: &RunStarted) -> Result<(), Illegal> {
    if let Some(run) = &state.run {
        return Err(illegal(event, format!("run {} is open", run.id)));
    }
    let Some(message) = state.inbox.iter().find(|message| message.id == started.message) else {
        return Err(illegal(event, format!("message {} is not in the inbox", started.message)));
    };
    state.recoveries = 0;
    state.resumed = false;
    state.transcript.configure(&started.config.model, started.config.sha256);
    state.run = Some(Run {
        id: started.run,
        started: event.draft.id,
        message: started.message,
        trigger: message.event,
        config: started.config.clone(),
        turns: Turns::default(),
        attempts: 0,
        empty_replies: 0,
        paused: false,
        stop: None,
        interrupted: false,
        repeats: Repeats::default(),
        clock: RunClock { started: event.time, waited_ms: 0, extended_ms: 0, waiting_since: None },
        model: started.config.model.clone(),
        fallbacks: 0,
        failures: 0,
        retry: Retry::No,
        failed: false,
        day: Day::default(),
        warned: Warned::default(),
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
    if let Some(key) = &paused.key {
        state.seen.insert(key.clone(), event.version);
    }
    Ok(())
}

pub fn cancel_requested(state: &mut State, event: &Event, requested: &RunCancelRequested) -> Result<(), Illegal> {
    state.seen.insert(requested.key.clone(), event.version);
    state.recoveries = 0;
    state.gate = None;
    ask::stop_run(state, FinishReason::Stopped);
    if requested.scope == Scope::All {
        for call in state.calls.values_mut() {
            call.halt = Some(Halt::Stopped);
        }
    }
    // What was said before the stop is known to the next run, but starts none.
    let next = state.run.as_ref().map(|run| run.message).or_else(|| state.next_message().map(|message| message.id));
    for message in &mut state.inbox {
        message.starts &= !message.mode.enters_run() && Some(message.id) != next;
    }
    Ok(())
}

pub fn warned(state: &mut State, event: &Event, warned: &BudgetWarned) -> Result<(), Illegal> {
    let Some(run) = &mut state.run else { return Err(illegal(event, "no run is open")) };
    let told = match warned.warning {
        Warning::Cost { .. } => &mut run.warned.cost,
        Warning::SlowCall { .. } => &mut run.warned.slow_call,
    };
    if std::mem::replace(told, true) {
        return Err(illegal(event, "it was told before"));
    }
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
    if state.model.is_some() || state.foreground().next().is_some() {
        return Err(illegal(event, "something of the run is open"));
    }
    // A run that was denied before it showed its message has dealt with it all the same.
    state.inbox.retain(|message| message.id != run.message || !message.starts);
    state.run = None;
    state.reply = None;
    // What the resume policy wanted of it is moot.
    state.gate = None;
    state.resumed = false;
    Ok(())
}

impl RunClock {
    /// Stops while a person is waited for.
    pub(super) fn note(&mut self, waiting: bool, now: Time) {
        match (self.waiting_since, waiting) {
            (None, true) => self.waiting_since = Some(now),
            (Some(since), false) => {
                self.waited_ms = self.waited_ms.saturating_add(now.0.saturating_sub(since.0));
                self.waiting_since = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
}
