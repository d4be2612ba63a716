//! What every envelope says: who led to the event, which run and which level it belongs to.

use contract::body::Body;
use contract::event::{Event, Level};
use contract::id::{EventId, RunId};
use std::collections::BTreeMap;

pub fn check(log: &[Event]) {
    causes_are_earlier_events(log);
    runs_and_levels_are_those_of_the_session(log);
}

fn causes_are_earlier_events(log: &[Event]) {
    let mut seen: BTreeMap<EventId, &Event> = BTreeMap::new();
    for event in log {
        let draft = &event.draft;
        let at = format!("{} at {}", draft.body.name(), event.version);
        assert_eq!(draft.cause.is_none(), is_first_cause(&draft.body), "only what people do has no cause, {at}");
        assert_eq!(draft.cause.is_none(), draft.correlation.is_none(), "only a first cause correlates with nothing, {at}");
        if let Some(cause) = &draft.cause {
            assert!(seen.contains_key(cause), "{at} has a cause that is no earlier event");
        }
        if let Some(root) = &draft.correlation {
            let root = seen.get(root).unwrap_or_else(|| panic!("{at} correlates with no earlier event"));
            assert!(is_first_cause(&root.draft.body), "{at} correlates with {}", root.draft.body.name());
        }
        assert!(seen.insert(draft.id, event).is_none(), "{at} has an id that was used before");
    }
}

/// What people do by themselves has no cause in the log; an answer or a withdrawal has what it is about.
fn is_first_cause(body: &Body) -> bool {
    match body {
        Body::SessionCreated(_) | Body::MessageReceived(_) | Body::RunResumed(_) | Body::RunCancelRequested(_) => true,
        Body::RunPaused(paused) => paused.by.is_some(),
        _ => false,
    }
}

/// A message belongs to no run; everything else, also its first and its last event, to the run that is open then.
fn runs_and_levels_are_those_of_the_session(log: &[Event]) {
    let mut level = Level::Core;
    let mut open: Option<(RunId, EventId)> = None;
    let mut messages = BTreeMap::new();
    for event in log {
        let draft = &event.draft;
        let at = format!("{} at {}", draft.body.name(), event.version);
        match &draft.body {
            Body::SessionCreated(created) if created.origin.is_some() => level = Level::Subagent,
            Body::MessageReceived(received) => drop(messages.insert(received.message, draft.id)),
            Body::RunStarted(started) => open = Some((started.run, messages[&started.message])),
            _ => {}
        }
        let of_message = matches!(draft.body, Body::MessageReceived(_));
        assert_eq!(draft.level, level, "{at} is of another level");
        assert_eq!(draft.run, open.map(|(run, _)| run).filter(|_| !of_message), "{at} belongs to another run");
        // Without a run it is whatever led to it first.
        let root = open.map(|(_, trigger)| trigger).or(draft.correlation);
        assert!(draft.correlation.is_none() || draft.correlation == root, "{at} correlates with something else than its run");
        if matches!(draft.body, Body::RunFinished(_)) {
            open = None;
        }
    }
}
