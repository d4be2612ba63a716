//! What an event changes. A pair of state and event that no correct writer can produce is `Illegal` and names both.

mod ask;
mod delivery;
mod fork;
mod message;
mod model;
mod owner;
mod run;
mod timer;
mod tool;

use crate::state::{Session, State};
use contract::body::{Body, ResourceLoaded, SessionCreated};
use contract::event::Event;
use contract::machine::Illegal;
use contract::units::Version;

pub fn fold(state: &mut State, event: &Event) -> Result<(), Illegal> {
    check_place(state, event)?;
    state.version = event.version;
    state.time = state.time.max(event.time);
    body(state, event)?;
    let waiting = state.waits_for_person();
    if let Some(run) = &mut state.run {
        run.clock.note(waiting, event.time);
    }
    Ok(())
}

/// A fork is the first event of its stream, and follows the version of the other session that it names.
fn check_place(state: &State, event: &Event) -> Result<(), Illegal> {
    let (follows, begins) = if let Body::SessionForked(forked) = &event.draft.body {
        (event.version == Version::NONE.next() && state.version == forked.at, false)
    } else {
        (event.version == state.version.next(), matches!(event.draft.body, Body::SessionCreated(_)))
    };
    if !follows {
        return Err(illegal(event, format!("the state is at version {}", state.version)));
    }
    if state.session.is_none() != begins {
        return Err(illegal(event, if state.session.is_none() { "there is no session" } else { "the session exists" }));
    }
    Ok(())
}

fn body(state: &mut State, event: &Event) -> Result<(), Illegal> {
    match &event.draft.body {
        Body::SessionCreated(created) => session_created(state, event, created),
        Body::SessionForked(forked) => fork::forked(state, event, forked),
        Body::OwnerTaken(taken) => owner::taken(state, event, taken),
        Body::MessageReceived(received) => message::received(state, event, received),
        Body::MessageWithdrawn(withdrawn) => message::withdrawn(state, event, withdrawn),
        Body::MessageSent(sent) => run::said(state, event, sent),
        Body::ResourceLoaded(loaded) => resource_loaded(state, loaded),
        Body::RunStarted(started) => run::started(state, event, started),
        Body::RunPaused(paused) => run::paused(state, event, paused),
        Body::RunResumed(resumed) => run::resumed(state, resumed),
        Body::RunCancelRequested(requested) => run::cancel_requested(state, event, requested),
        Body::RunFinished(finished) => run::finished(state, event, finished),
        Body::ModelRequested(requested) => model::requested(state, event, requested),
        Body::ModelCompleted(completed) => model::completed(state, event, completed),
        Body::ModelFailed(failed) => model::failed(state, event, failed),
        Body::ModelRetrying(retrying) => model::retrying(state, event, retrying),
        Body::ModelAborted(aborted) => model::aborted(state, event, aborted),
        Body::ActionDecided(decided) => tool::decided(state, event, decided),
        Body::ActionWithdrawn(withdrawn) => tool::withdrawn(state, event, withdrawn),
        Body::AskOpened(opened) => ask::opened(state, event, opened),
        Body::AskAnswered(answered) => ask::answered(state, event, answered),
        Body::AskExpired(expired) => ask::expired(state, event, expired),
        Body::AskSuperseded(superseded) => ask::superseded(state, event, superseded),
        Body::ToolStarted(started) => tool::started(state, event, started),
        Body::ToolAdopted(adopted) => tool::adopted(state, event, adopted),
        Body::ToolProgress(progress) => tool::progress(state, event, progress),
        Body::ToolDeferred(deferred) => tool::deferred(state, event, deferred),
        Body::ToolBackgrounded(backgrounded) => tool::backgrounded(state, event, backgrounded),
        Body::ToolCancelRequested(requested) => tool::cancel_requested(state, event, requested),
        Body::ToolFinished(finished) => tool::finished(state, event, finished),
        Body::ToolCancelled(cancelled) => tool::cancelled(state, event, cancelled),
        Body::ToolUnknown(unknown) => tool::unknown(state, event, unknown),
        Body::ToolReconciled(reconciled) => tool::reconciled(state, event, reconciled),
        Body::TimerSet(set) => timer::set(state, event, set),
        Body::TimerFired(fired) => timer::fired(state, event, fired),
        Body::TimerCancelled(cancelled) => timer::cancelled(state, event, cancelled),
        Body::BudgetWarned(warned) => run::warned(state, event, warned),
        Body::DeliveryStarted(started) => delivery::started(state, event, started),
        Body::DeliveryFinished(finished) => delivery::ended(state, event, finished.delivery),
        Body::DeliveryFailed(failed) => delivery::ended(state, event, failed.delivery),
        Body::PolicyRuleAdded(_)
        | Body::PolicyRuleRemoved(_)
        | Body::HostQuarantined(_)
        | Body::HostRecovered(_)
        | Body::HostStarted(_)
        | Body::HostStopped(_) => Err(illegal(event, "this is a session")),
    }
}

/// What strangers wrote about how to work is seen with the first request.
fn resource_loaded(state: &mut State, loaded: &ResourceLoaded) -> Result<(), Illegal> {
    state.taint.started.untrusted |= !loaded.trusted;
    Ok(())
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
        fork: None,
    });
    Ok(())
}
