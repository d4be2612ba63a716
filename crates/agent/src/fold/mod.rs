//! What an event changes. A pair of state and event that no correct writer can produce is `Illegal` and names both.

mod model;
mod owner;
mod run;
mod tool;

use crate::state::{Message, Session, State};
use contract::ask::Answer;
use contract::body::{AskAnswered, AskOpened, Body, MessageReceived, SessionCreated};
use contract::event::Event;
use contract::machine::Illegal;

pub fn fold(state: &mut State, event: &Event) -> Result<(), Illegal> {
    if event.version != state.version.next() {
        return Err(illegal(event, format!("the state is at version {}", state.version)));
    }
    if state.session.is_none() != matches!(event.draft.body, Body::SessionCreated(_)) {
        return Err(illegal(event, if state.session.is_none() { "there is no session" } else { "the session exists" }));
    }
    state.version = event.version;
    state.time = state.time.max(event.time);
    match &event.draft.body {
        Body::SessionCreated(created) => session_created(state, event, created),
        Body::OwnerTaken(taken) => owner::taken(state, event, taken),
        Body::MessageReceived(received) => message_received(state, event, received),
        Body::MessageSent(sent) => run::said(state, event, sent),
        Body::RunStarted(started) => run::started(state, event, started),
        Body::RunPaused(paused) => run::paused(state, event, paused),
        Body::RunResumed(resumed) => run::resumed(state, resumed),
        Body::RunFinished(finished) => run::finished(state, event, finished),
        Body::ModelRequested(requested) => model::requested(state, event, requested),
        Body::ModelCompleted(completed) => model::completed(state, event, completed),
        Body::ModelFailed(failed) => model::failed(state, event, failed),
        Body::ModelRetrying(retrying) => model::retrying(state, event, retrying),
        Body::ActionDecided(decided) => tool::decided(state, event, decided),
        Body::ActionWithdrawn(withdrawn) => tool::withdrawn(state, event, withdrawn),
        Body::AskOpened(opened) => ask_opened(state, event, opened),
        Body::AskAnswered(answered) => ask_answered(state, event, answered),
        Body::ToolStarted(started) => tool::started(state, event, started),
        Body::ToolAdopted(adopted) => tool::adopted(state, event, adopted),
        Body::ToolFinished(finished) => tool::finished(state, event, finished),
        Body::ToolCancelled(cancelled) => tool::cancelled(state, event, cancelled),
        Body::ToolUnknown(unknown) => tool::unknown(state, event, unknown),
        Body::ToolReconciled(reconciled) => tool::reconciled(state, event, reconciled),
        Body::HostQuarantined(_) | Body::HostRecovered(_) => Err(illegal(event, "this is a session")),
    }
}

fn illegal(event: &Event, state: impl Into<String>) -> Illegal {
    Illegal { event: event.draft.body.name(), version: event.version, state: state.into() }
}

fn session_created(state: &mut State, event: &Event, created: &SessionCreated) -> Result<(), Illegal> {
    state.session = Some(Session {
        created: event.draft.id,
        folder: created.folder.clone(),
        options: created.options.clone(),
        level: created.level(),
        by: created.by.clone(),
    });
    Ok(())
}

fn message_received(state: &mut State, event: &Event, received: &MessageReceived) -> Result<(), Illegal> {
    if state.seen.insert(received.key.clone(), event.version).is_some() {
        return Err(illegal(event, format!("the key {} was seen before", received.key)));
    }
    state.recoveries = 0;
    state.inbox.push(Message {
        id: received.message,
        event: event.draft.id,
        version: event.version,
        text: received.text.clone(),
        mode: received.mode,
    });
    Ok(())
}

fn ask_opened(state: &mut State, event: &Event, opened: &AskOpened) -> Result<(), Illegal> {
    state.gate = None;
    match state.asks.insert(opened.ask.ask, opened.ask.clone()) {
        None => Ok(()),
        Some(_) => Err(illegal(event, format!("the ask {} is open", opened.ask.ask))),
    }
}

fn ask_answered(state: &mut State, event: &Event, answered: &AskAnswered) -> Result<(), Illegal> {
    if state.asks.remove(&answered.ask).is_none() {
        return Err(illegal(event, format!("there is no open ask {}", answered.ask)));
    }
    state.seen.insert(answered.key.clone(), event.version);
    state.recoveries = 0;
    match (answered.answer, &mut state.run) {
        (Answer::Deny, Some(run)) => run.denied = true,
        // No run is open yet: what the person does not want is the message that was about to start one.
        (Answer::Deny, None) => drop(state.inbox.drain(..state.inbox.len().min(1))),
        (Answer::Approve, _) => {}
    }
    Ok(())
}
