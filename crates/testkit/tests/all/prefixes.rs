//! Every prefix of every history that a search reaches, also from the middle of an append, is a state to go on from.

use crate::scenarios;
use agent::state::{Call, Stage};
use agent::{Agent, State};
use contract::effect::Effect;
use contract::event::{Draft, Event};
use contract::id::{BootId, EventId, HostId, MachineId};
use contract::input::Input;
use contract::limits::ADVANCE_ROUNDS_MAX;
use contract::machine::{Machine, Rest};
use contract::units::Epoch;
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::explore::explore;

fn fold(state: &mut State, draft: Draft) {
    let event = Event { version: state.version.next(), time: state.time, draft };
    Agent::fold(state, &event).unwrap();
}

/// Lets the owner decide until nothing is left to decide.
fn advance_to_rest(state: &State) -> State {
    let mut state = state.clone();
    for _ in 0..ADVANCE_ROUNDS_MAX {
        let drafts = Agent::advance(&state, state.time);
        if drafts.is_empty() {
            return state;
        }
        for draft in drafts {
            fold(&mut state, draft);
        }
    }
    panic!("no rest after {ADVANCE_ROUNDS_MAX} rounds: {state:#?}");
}

/// What the next owner makes of this prefix.
fn taken_over(state: &State) -> State {
    let mut state = state.clone();
    let epoch = Epoch(state.epoch().0 + 1);
    let taken = Input::Taken { epoch, host: HostId([9; 16]), machine: MachineId([1; 16]), boot: BootId("boot".to_owned()) };
    for draft in Agent::accept(&state, taken, state.time).unwrap() {
        fold(&mut state, draft);
    }
    advance_to_rest(&state)
}

fn check(state: &State) {
    let wanted = Agent::effects(state);
    let begins = |effect: &Effect| match effect {
        Effect::Prepare(_) => true,
        // What must end is ended also while the session stands still.
        Effect::Recover { action, .. } => state.call_of(*action).is_none_or(|(_, call)| !goes_on(state, call)),
        Effect::Model { .. } | Effect::Start { .. } | Effect::Stop { .. } | Effect::Deliver(_) => false,
    };
    assert!(!state.is_parked() || !wanted.iter().any(begins), "parked, and wants {wanted:?}: {state:#?}");
    let is_busy = Agent::rest(state) == Rest::Busy;
    assert!(is_busy || wanted.is_empty(), "at rest and wants {wanted:?}");
    match agent::context::context(state) {
        Some(request) => assert!(request.is_valid(), "{:#?}", request.items),
        None => assert!(!wanted.iter().any(|effect| matches!(effect, Effect::Model { .. })), "{state:#?}"),
    }
}

/// Whether its owner found it running, or was told to end it.
fn goes_on(state: &State, call: &Call) -> bool {
    matches!(&call.stage, Stage::Started(attempt) if attempt.adopted == Some(state.epoch()) || attempt.deadline.is_some())
}

/// Checks the prefixes of a history that no earlier one had, and returns how many these were.
fn check_history(events: &[Arc<Event>], seen: &mut BTreeSet<Vec<EventId>>) -> usize {
    let mut ids: Vec<EventId> = events.iter().map(|event| event.draft.id).collect();
    let mut new_from = events.len();
    while new_from > 0 && seen.insert(ids.clone()) {
        ids.pop();
        new_from -= 1;
    }
    let Some(first) = events.first().filter(|_| new_from < events.len()) else { return 0 };
    assert_eq!(first.version.0, 1);
    let mut state = Agent::new(contract::id::StreamId::session(contract::id::SessionId([1; 16])));
    for (place, event) in events.iter().enumerate() {
        Agent::fold(&mut state, event).unwrap();
        if place >= new_from {
            check(&state);
            check(&advance_to_rest(&state));
            check(&taken_over(&state));
        }
    }
    events.len() - new_from
}

#[test]
fn every_prefix_folds_and_comes_to_rest() {
    let names = [
        "unsafe tool, owner elsewhere",
        "idempotent tool",
        "supervisor that never starts",
        "parallel write and pay",
        "queued message",
        "asks before it goes on",
        "denied after a crash",
        "paused with a command",
        "crash loop and resume",
        "turn limit",
        "empty replies",
        "one empty reply",
        "failing model",
        "invalid call",
        "held call",
        "edited call, started late",
        "approval of an hour ago",
        "question answered by a text",
        "person says that it happened",
        "message while a retry waits",
        "interrupt of a model call",
        "steer past a wait",
        "stop of a wait",
        "stop races the answer",
        "stop while a person is asked",
        "limit of calls not extended",
    ];
    let mut prefixes = 0;
    for scenario in scenarios(&names) {
        let mut seen = BTreeSet::new();
        let report = explore(&scenario, |visit| {
            if visit.is_new {
                prefixes += check_history(&visit.world.log.events, &mut seen);
            }
        });
        assert!(report.violation.is_none(), "{:?}", report.violation);
    }
    assert!(prefixes > 1_000, "only {prefixes} prefixes were reached");
}
