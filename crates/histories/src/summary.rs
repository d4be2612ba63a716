//! What a history folds to, as it is kept beside it: once in words of its own, and once field by field.

use agent::Agent;
use agent::context::context;
use agent::standing::Standing;
use agent::state::{Attempt, Call, Stage, State};
use contract::ask::Subject;
use contract::body::Body;
use contract::event::Event;
use contract::id::{Sha256, StreamId};
use contract::machine::Machine;
use runtime::host::HostState;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a log folds to.
pub(super) struct Folded {
    /// In words of its own: a state may be laid out anew without changing what it means.
    pub summary: String,
    /// Every field of the state, so that no change of the fold goes unseen. A host has no machine, and so no state.
    pub whole: Option<String>,
}

pub(super) fn folded(stream: StreamId, events: &[Event]) -> Result<Folded, String> {
    if stream.kind() == "host" {
        return Ok(Folded { summary: pretty(&of_host(events)?)?, whole: None });
    }
    if stream.kind() == "policy" {
        let standing = of_policy(events)?;
        return Ok(Folded { summary: pretty(&of_standing(&standing))?, whole: Some(pretty(&standing)?) });
    }
    let state = fold(stream, events)?;
    Ok(Folded { summary: pretty(&of_session(&state))?, whole: Some(pretty(&state)?) })
}

/// One field a line, so that a difference is found by reading it.
fn pretty(value: &impl Serialize) -> Result<String, String> {
    Ok(serde_json::to_string_pretty(value).map_err(|error| error.to_string())? + "\n")
}

fn of_host(events: &[Event]) -> Result<Value, String> {
    let mut state = HostState::default();
    for event in events {
        state.fold(event).map_err(|name| format!("{name} does not belong to a host"))?;
    }
    let quarantined = state.quarantined.iter().map(|(stream, why)| (stream.to_string(), why.reason.clone()));
    let mut summary = json!({ "version": state.version, "quarantined": quarantined.collect::<BTreeMap<_, _>>() });
    if let Some(died) = state.lives.held_back() {
        summary["held_back_after"] = json!(died);
    }
    Ok(summary)
}

fn of_policy(events: &[Event]) -> Result<Standing, String> {
    let mut standing = Standing::default();
    for event in events {
        standing.fold(event).map_err(|illegal| illegal.to_string())?;
    }
    Ok(standing)
}

fn of_standing(standing: &Standing) -> Value {
    let rules = standing.rules.iter().map(|one| format!("{} in {} by {}", one.rule, one.folder, one.by.0));
    json!({ "version": standing.version, "rules": rules.collect::<Vec<_>>() })
}

fn fold(stream: StreamId, events: &[Event]) -> Result<State, String> {
    let mut state = Agent::new(stream);
    for event in events {
        Agent::fold(&mut state, event).map_err(|illegal| illegal.to_string())?;
        let shown = context(&state).map(|request| request.sha256());
        if matches!(&event.draft.body, Body::ModelRequested(requested) if Some(requested.request_sha256) != shown) {
            return Err(format!("the request at version {} is not what the model was shown", event.version));
        }
    }
    Ok(state)
}

fn of_session(state: &State) -> Value {
    let shown: Vec<u8> = state.transcript.sealed().iter().flat_map(|item| item.line()).collect();
    let calls: BTreeMap<String, String> = state.calls.iter().map(|(id, call)| (id.to_string(), of_call(call))).collect();
    let mut summary = json!({
        "version": state.version,
        "time": state.time,
        "level": state.level(),
        "epoch": state.epoch(),
        "recoveries": state.recoveries,
        "resumed": state.resumed,
        "parked": state.is_parked(),
        "run": state.run.as_ref().map(|run| json!({ "id": run.id, "iteration": run.turns.taken, "attempts": run.attempts })),
        "inbox": state.inbox.iter().map(|message| message.id).collect::<Vec<_>>(),
        "keys": state.seen.iter().map(|(key, version)| (key.to_string(), version)).collect::<BTreeMap<_, _>>(),
        "model": state.model.as_ref().map(|model| json!({ "request": model.request, "purpose": model.purpose })),
        "calls": calls,
        "asks": state.asks.values().map(|open| of_subject(&open.ask.subject)).collect::<Vec<_>>(),
        "replies": state.replies,
        "items_shown": state.transcript.sealed().len(),
        "items_sha256": Sha256::of(&shown),
        "effects": Agent::effects(state),
    });
    add_what_there_is(&mut summary, state);
    summary
}

/// What most sessions have nothing of: left out when empty, so that it says nothing of histories from before it.
fn add_what_there_is(summary: &mut Value, state: &State) {
    let quiet: Vec<_> = state.inbox.iter().filter(|message| !message.starts).map(|message| message.id).collect();
    let added: [(&str, Option<Value>); 5] = [
        ("fork", state.session.as_ref().and_then(|session| session.fork).map(|fork| json!(fork))),
        ("rules", (!state.rules.is_empty()).then(|| json!(state.rules.iter().map(ToString::to_string).collect::<Vec<_>>()))),
        ("extended", (!state.ledger.extended.is_empty()).then(|| json!(state.ledger.extended))),
        ("starts_no_run", (!quiet.is_empty()).then(|| json!(quiet))),
        ("stopping", state.run.as_ref().and_then(|run| run.stop).map(|reason| json!(reason))),
    ];
    for (name, value) in added {
        if let Some(value) = value {
            summary[name] = value;
        }
    }
}

/// By the word that each has had since it exists.
fn of_subject(subject: &Subject) -> Value {
    match subject {
        Subject::Limit { limit, .. } => json!(limit),
        Subject::Tool { .. } | Subject::Question { .. } | Subject::Reconcile { .. } | Subject::Resume => json!(subject.kind()),
    }
}

fn of_call(call: &Call) -> String {
    let stage = match &call.stage {
        Stage::Decided => "decided".to_owned(),
        Stage::Started(Attempt { epoch, adopted: None, .. }) => format!("started by {epoch}"),
        Stage::Started(Attempt { epoch, adopted: Some(by), .. }) => format!("started by {epoch} and adopted by {by}"),
        Stage::Unknown => "unknown".to_owned(),
        Stage::Held(_) => "held".to_owned(),
        Stage::Refused(reason, _) => format!("refused as {reason:?}"),
        Stage::Waiting { at, .. } => format!("waiting until {}", at.0),
        Stage::Judged(verdict, _) => format!("judged as {verdict:?}"),
    };
    let words = [
        (call.lost.is_some(), ", once lost"),
        (call.deferred, ", deferred"),
        (!call.foreground, ", in the background"),
        (call.halt.is_some(), ", to be ended"),
        (call.approved_until.is_some(), ", approved"),
    ];
    let more: String = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
    format!("{stage} after {}{more}", call.attempts)
}
