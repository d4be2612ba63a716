//! What a history folds to, as it is kept beside it.

use agent::Agent;
use agent::context::context;
use agent::state::{Attempt, Call, Stage};
use contract::body::Body;
use contract::event::Event;
use contract::id::{Sha256, StreamId};
use contract::machine::Machine;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a log folds to, in words of its own: a state may be laid out anew without changing what it means.
pub(super) fn summary(stream: StreamId, events: &[Event]) -> Result<String, String> {
    let summary = if stream.kind() == "host" { of_host(events)? } else { of_session(stream, events)? };
    Ok(serde_json::to_string_pretty(&summary).map_err(|error| error.to_string())? + "\n")
}

fn of_host(events: &[Event]) -> Result<Value, String> {
    let mut quarantined = BTreeMap::new();
    for event in events {
        if let Body::HostQuarantined(stopped) = &event.draft.body {
            quarantined.insert(stopped.stream.to_string(), stopped.reason.clone());
        } else if let Body::HostRecovered(recovered) = &event.draft.body {
            quarantined.remove(recovered.stream.as_str());
        } else {
            return Err(format!("{} does not belong to a host", event.draft.body.name()));
        }
    }
    Ok(json!({ "version": events.len(), "quarantined": quarantined }))
}

fn of_session(stream: StreamId, events: &[Event]) -> Result<Value, String> {
    let mut state = Agent::new(stream);
    for event in events {
        Agent::fold(&mut state, event).map_err(|illegal| illegal.to_string())?;
        let shown = context(&state).map(|request| request.sha256());
        if matches!(&event.draft.body, Body::ModelRequested(requested) if Some(requested.request_sha256) != shown) {
            return Err(format!("the request at version {} is not what the model was shown", event.version));
        }
    }
    let shown: Vec<u8> = state.transcript.sealed().iter().flat_map(|item| item.line()).collect();
    let calls: BTreeMap<String, String> = state.calls.iter().map(|(id, call)| (id.to_string(), of_call(call))).collect();
    Ok(json!({
        "version": state.version,
        "time": state.time,
        "level": state.level(),
        "epoch": state.epoch(),
        "recoveries": state.recoveries,
        "resumed": state.resumed,
        "parked": state.is_parked(),
        "run": state.run.as_ref().map(|run| json!({ "id": run.id, "iteration": run.iteration, "attempts": run.attempts })),
        "inbox": state.inbox.iter().map(|message| message.id).collect::<Vec<_>>(),
        "keys": state.seen.iter().map(|(key, version)| (key.to_string(), version)).collect::<BTreeMap<_, _>>(),
        "model": state.model.as_ref().map(|model| json!({ "request": model.request, "purpose": model.purpose })),
        "calls": calls,
        "asks": state.asks.values().map(|ask| ask.kind).collect::<Vec<_>>(),
        "replies": state.replies,
        "items_shown": state.transcript.sealed().len(),
        "items_sha256": Sha256::of(&shown),
        "effects": Agent::effects(&state),
    }))
}

fn of_call(call: &Call) -> String {
    let stage = match &call.stage {
        Stage::Decided => "decided".to_owned(),
        Stage::Started(Attempt { epoch, adopted: None, .. }) => format!("started by {epoch}"),
        Stage::Started(Attempt { epoch, adopted: Some(by), .. }) => format!("started by {epoch} and adopted by {by}"),
        Stage::Unknown => "unknown".to_owned(),
    };
    let lost = if call.lost.is_some() { ", once lost" } else { "" };
    format!("{stage} after {}{lost}", call.attempts)
}
