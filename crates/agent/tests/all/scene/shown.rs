//! What models are shown: each request is what its event says, is valid, and begins with the bytes of the one before.

use super::Scene;
use agent::Agent;
use agent::context::context;
use contract::body::{Body, Mode};
use contract::event::Event;
use contract::id::{CallId, Sha256};
use contract::machine::Machine;
use contract::request::{CallResult, Item, ModelRequest, Part};
use contract::text::Text;
use std::collections::{BTreeMap, BTreeSet};

pub fn check(scene: &Scene) {
    let mut state = Agent::new(scene.state.stream.clone());
    let mut last: Option<ModelRequest> = None;
    for event in &scene.log {
        Agent::fold(&mut state, event).unwrap();
        let Body::ModelRequested(requested) = &event.draft.body else { continue };
        let request = context(&state).unwrap();
        let at = event.version;
        assert_eq!(Sha256::of(&request.canonical()), requested.request_sha256, "at {at}");
        assert!(request.is_valid(), "the request at {at} is not valid");
        assert!(!shows_empty_text(&request), "the request at {at} shows an empty text");
        let before = last.as_ref().map_or(0, |last| last.items.len());
        if let Some(last) = &last {
            // Another model or configuration changes the first line only.
            let shorter = ModelRequest { model: request.model.clone(), config: request.config, items: last.items.clone() };
            assert!(request.canonical().starts_with(&shorter.canonical()), "the request at {at} is rewritten");
        }
        in_order(&request.items.iter().skip(before).map(AsRef::as_ref).collect::<Vec<_>>(), &format!("the request at {at}"));
        last = Some(request);
    }
    if let Some(last) = &last {
        results_are_told_once(&scene.log, last);
        messages_are_shown_once(&scene.log, last);
    }
}

/// No protocol accepts an empty text as part of a reply.
fn shows_empty_text(request: &ModelRequest) -> bool {
    request.items.iter().any(|item| match item.as_ref() {
        Item::Assistant(parts) => parts.iter().any(|part| matches!(part, Part::Text(text) if text.is_empty())),
        Item::Message(_) | Item::Result(_) | Item::Notice(_) | Item::Late(_) => false,
    })
}

/// What one request adds: at most one reply, results in call order, late outcomes, messages, one correction.
fn in_order(added: &[&Item], which: &str) {
    let place = |item: &Item| match item {
        Item::Assistant(_) => 0,
        Item::Result(_) => 1,
        Item::Late(_) => 2,
        Item::Message(_) => 3,
        Item::Notice(_) => 4,
    };
    // Replies without anything to say to them stand after each other.
    let from = added.iter().rposition(|item| matches!(item, Item::Assistant(_))).unwrap_or(0);
    assert!(added[from..].is_sorted_by_key(|item| place(item)), "{which} adds its items in another order: {added:?}");
    let results = added.iter().filter_map(|item| if let Item::Result(result) = item { Some(result.call) } else { None });
    assert!(results.is_sorted(), "{which} shows results in another order than they were called");
}

/// A call that was deferred has its note as its only result, for ever, and its outcome at most once after it.
fn results_are_told_once(log: &[Event], last: &ModelRequest) {
    let calls: BTreeMap<_, CallId> = log.iter().filter_map(decided).collect();
    let mut notes = BTreeMap::new();
    for event in log {
        if let Body::ToolDeferred(deferred) = &event.draft.body {
            let told = notes.insert(calls[&deferred.action], &deferred.note);
            assert!(told.is_none(), "a call is deferred twice at {}", event.version);
        }
    }
    let mut late = BTreeSet::new();
    for item in &last.items {
        match item.as_ref() {
            Item::Result(CallResult { call, note, .. }) => {
                if let Some(deferred) = notes.get(call) {
                    assert_eq!(note.as_ref(), Some(*deferred), "the note of {call} was changed");
                }
            }
            Item::Late(result) => {
                assert!(notes.contains_key(&result.call), "{} was not deferred and comes late", result.call);
                assert!(late.insert(result.call), "the outcome of {} is told twice", result.call);
            }
            Item::Message(_) | Item::Assistant(_) | Item::Notice(_) => {}
        }
    }
}

fn decided(event: &Event) -> Option<(contract::id::ActionId, CallId)> {
    if let Body::ActionDecided(decided) = &event.draft.body { Some((decided.action, decided.call)) } else { None }
}

/// What people said is shown at most once, in the order of the log for each request, and questions about the state never.
fn messages_are_shown_once(log: &[Event], last: &ModelRequest) {
    let mut said: BTreeMap<String, usize> = BTreeMap::new();
    let mut never = BTreeSet::new();
    for event in log {
        match &event.draft.body {
            Body::MessageReceived(received) if received.mode == Mode::Status => drop(never.insert(received.text.shown())),
            Body::MessageReceived(received) => *said.entry(received.text.shown()).or_default() += 1,
            _ => {}
        }
    }
    for item in &last.items {
        let Item::Message(text) = item.as_ref() else { continue };
        let left = said.get_mut(&Text::shown(text)).filter(|left| **left > 0);
        let left = left.unwrap_or_else(|| panic!("{:?} is shown more often than it was said", text.shown()));
        *left -= 1;
    }
    let shown = |text: &String| last.items.iter().any(|item| matches!(item.as_ref(), Item::Message(shown) if shown.shown() == *text));
    assert!(!never.iter().any(|text| !said.contains_key(text) && shown(text)), "how things stand is asked of a model");
}
