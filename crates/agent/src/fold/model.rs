//! A model was asked, replied or failed.

use super::illegal;
use crate::state::{ModelCall, Reply, State};
use contract::body::{FailureClass, ModelCompleted, ModelFailed, ModelRequested};
use contract::event::Event;
use contract::id::EventId;
use contract::machine::Illegal;
use contract::request::Part;
use std::collections::BTreeMap;

pub fn requested(state: &mut State, event: &Event, requested: &ModelRequested) -> Result<(), Illegal> {
    if let Some(open) = &state.model {
        return Err(illegal(event, format!("model call {} is open", open.request)));
    }
    let epoch = state.epoch();
    let shown: Vec<_> = state.showable().cloned().collect();
    let Some(run) = &mut state.run else {
        return Err(illegal(event, "no run is open"));
    };
    if requested.epoch != epoch {
        return Err(illegal(event, format!("the owner has epoch {epoch}")));
    }
    run.attempts += 1;
    state.resumed = false;
    state.inbox.retain(|message| shown.iter().all(|other| other.id != message.id));
    state.transcript.seal(shown.iter().map(|message| &message.text), requested.nudge.as_ref());
    state.model =
        Some(ModelCall { request: event.draft.id, attempt: requested.attempt, epoch: requested.epoch, purpose: requested.purpose });
    Ok(())
}

pub fn completed(state: &mut State, event: &Event, completed: &ModelCompleted) -> Result<(), Illegal> {
    let model = close(state, event, completed.request, completed.attempt)?;
    let Some(run) = &mut state.run else {
        return Err(illegal(event, "no run is open"));
    };
    let has_text = completed.parts.iter().any(|part| matches!(part, Part::Text(text) if !text.shown().trim().is_empty()));
    let undecided: BTreeMap<_, _> = completed
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Call { call, provider_call, .. } => Some((*call, provider_call.clone())),
            Part::Text(_) | Part::Opaque { .. } => None,
        })
        .collect();
    let has_calls = !undecided.is_empty();
    run.iteration += 1;
    run.attempts = 0;
    run.empty_replies = if has_text || has_calls { 0 } else { run.empty_replies + 1 };
    state.recoveries = 0;
    state.replies += 1;
    state.reply = Some(Reply { completed: event.draft.id, purpose: model.purpose, has_text, has_calls, said: false, undecided });
    state.transcript.add_reply(completed.parts.clone());
    Ok(())
}

pub fn failed(state: &mut State, event: &Event, failed: &ModelFailed) -> Result<(), Illegal> {
    close(state, event, failed.request, failed.attempt)?;
    if failed.class != FailureClass::Interrupted {
        state.recoveries = 0;
        if let Some(run) = &mut state.run {
            run.failed = true;
        }
    }
    Ok(())
}

fn close(state: &mut State, event: &Event, request: EventId, attempt: u16) -> Result<ModelCall, Illegal> {
    match state.model.take() {
        Some(open) if open.request == request && open.attempt == attempt => Ok(open),
        Some(open) => Err(illegal(event, format!("the open model call is {} attempt {}", open.request, open.attempt))),
        None => Err(illegal(event, "no model call is open")),
    }
}
