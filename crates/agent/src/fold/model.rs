//! A model was asked, replied or failed.

use super::illegal;
use crate::state::{AfterFailure, ModelCall, Reply, Retry, State};
use contract::body::{FailureClass, ModelAborted, ModelCompleted, ModelFailed, ModelRequested, ModelRetrying, Spend};
use contract::event::Event;
use contract::id::EventId;
use contract::limits::REPEATS_CORRECTED;
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
    if requested.model != run.model {
        return Err(illegal(event, format!("{} is to be asked", run.model)));
    }
    if matches!(run.retry, Retry::Wanted { .. }) || matches!(run.retry, Retry::At(at) if event.time < at) {
        return Err(illegal(event, format!("the call is to be made again later: {:?}", run.retry)));
    }
    run.retry = Retry::No;
    run.interrupted = false;
    run.repeats.corrected |= run.repeats.count >= REPEATS_CORRECTED;
    run.attempts += 1;
    state.resumed = false;
    state.taint.seen = state.taint.seen.and(state.taint.started);
    state.inbox.retain(|message| shown.iter().all(|other| other.id != message.id));
    state.transcript.seal(shown.iter().map(|message| &message.text), requested.nudge.as_ref());
    state.model = Some(ModelCall {
        request: event.draft.id,
        attempt: requested.attempt,
        epoch: requested.epoch,
        purpose: requested.purpose,
        reserve: requested.reserve,
    });
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
    run.turns.taken += 1;
    run.attempts = 0;
    run.failures = 0;
    run.empty_replies = if has_text || has_calls { 0 } else { run.empty_replies + 1 };
    let usage = completed.usage;
    let by_price = run.config.prices.map_or(0, |prices| prices.cost_of(&usage));
    let spent = Spend { tokens: usage.tokens(), cost_micros: completed.cost_micros.unwrap_or(by_price) };
    state.ledger.spent = state.ledger.spent.plus(spent);
    state.ledger.dearest_micros = state.ledger.dearest_micros.max(spent.cost_micros);
    state.recoveries = 0;
    state.replies += 1;
    state.reply = Some(Reply { completed: event.draft.id, purpose: model.purpose, has_text, has_calls, said: false, undecided });
    state.transcript.add_reply(completed.parts.clone());
    Ok(())
}

pub fn failed(state: &mut State, event: &Event, failed: &ModelFailed) -> Result<(), Illegal> {
    let open = close(state, event, failed.request, failed.attempt)?;
    if failed.class == FailureClass::Interrupted {
        // Nobody knows what it used, so it counts as all that it could have.
        state.ledger.spent = state.ledger.spent.plus(open.reserve);
        return Ok(());
    }
    state.recoveries = 0;
    let after = state.after_failure(failed.class);
    let Some(run) = &mut state.run else {
        return Err(illegal(event, "no run is open"));
    };
    match after {
        AfterFailure::Retry => {
            run.failures += 1;
            run.retry = Retry::Wanted { request: failed.request, retry_after_ms: failed.retry_after_ms };
        }
        AfterFailure::Fallback(next) => {
            (run.failures, run.fallbacks) = (0, run.fallbacks + 1);
            state.transcript.configure(&next, run.config.sha256);
            run.model = next;
        }
        AfterFailure::Ask => run.day.refused = failed.day,
        AfterFailure::Fail => run.failed = true,
    }
    Ok(())
}

pub fn retrying(state: &mut State, event: &Event, retrying: &ModelRetrying) -> Result<(), Illegal> {
    match &mut state.run {
        Some(run) if matches!(run.retry, Retry::Wanted { request, .. } if request == retrying.request) => {
            run.retry = Retry::At(retrying.at);
            Ok(())
        }
        Some(_) | None => Err(illegal(event, "no failed call waits to be made again")),
    }
}

pub fn aborted(state: &mut State, event: &Event, aborted: &ModelAborted) -> Result<(), Illegal> {
    let open = close(state, event, aborted.request, aborted.attempt)?;
    state.ledger.spent = state.ledger.spent.plus(open.reserve);
    Ok(())
}

fn close(state: &mut State, event: &Event, request: EventId, attempt: u16) -> Result<ModelCall, Illegal> {
    match state.model.take() {
        Some(open) if open.request == request && open.attempt == attempt => Ok(open),
        Some(open) => Err(illegal(event, format!("the open model call is {} attempt {}", open.request, open.attempt))),
        None => Err(illegal(event, "no model call is open")),
    }
}
