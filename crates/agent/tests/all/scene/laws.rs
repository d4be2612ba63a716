//! What holds for every log that the machine can write, and for every prefix of it.

use super::{Scene, actions, envelopes};
use agent::context::context;
use agent::{Agent, State};
use contract::body::Body;
use contract::event::Event;
use contract::id::{BootId, HostId, MachineId, Sha256};
use contract::input::Input;
use contract::limits::{ADVANCE_ROUNDS_MAX, APPEND_BYTES_MAX, APPEND_EVENTS_MAX};
use contract::machine::Machine;
use contract::request::{Item, ModelRequest, Part};
use contract::units::Epoch;

pub fn check(scene: &Scene) {
    envelopes::check(&scene.log);
    actions::check(&scene.log);
    every_append_fits(scene);
    stored_bytes_fold_to_the_live_state(scene);
    every_request_is_what_its_event_says(scene);
    every_prefix_comes_to_rest(scene);
}

fn every_append_fits(scene: &Scene) {
    for place in &scene.appends {
        let (events, bytes) = stored(scene, &scene.log[place.clone()]);
        assert!(events <= APPEND_EVENTS_MAX && bytes <= APPEND_BYTES_MAX, "{events} events and {bytes} bytes at {place:?} do not fit");
    }
}

/// Events and bytes as the journal counts them.
pub fn stored(scene: &Scene, events: &[Event]) -> (usize, usize) {
    (events.len(), events.iter().map(|event| event.encode(&scene.state.stream).unwrap().len()).sum())
}

fn stored_bytes_fold_to_the_live_state(scene: &Scene) {
    let stream = scene.state.stream.clone();
    let mut state = Agent::new(stream.clone());
    for event in &scene.log {
        let bytes = event.encode(&stream).unwrap();
        let read = Event::decode(&stream, &bytes).unwrap();
        assert_eq!(&read, event);
        Agent::fold(&mut state, &read).unwrap();
    }
    assert_eq!(state, scene.state);
}

/// Each hash is that of the bytes shown, each request is valid, and each begins with the bytes of the one before.
fn every_request_is_what_its_event_says(scene: &Scene) {
    let mut state = Agent::new(scene.state.stream.clone());
    let mut last: Option<ModelRequest> = None;
    for event in &scene.log {
        Agent::fold(&mut state, event).unwrap();
        let Body::ModelRequested(requested) = &event.draft.body else { continue };
        let request = context(&state).unwrap();
        assert_eq!(Sha256::of(&request.canonical()), requested.request_sha256, "at {}", event.version);
        assert!(request.is_valid(), "the request at {} is not valid", event.version);
        assert!(!shows_empty_text(&request), "the request at {} shows an empty text", event.version);
        if let Some(last) = &last {
            // Another model or configuration changes the first line only.
            let shorter = ModelRequest { model: request.model.clone(), config: request.config, items: last.items.clone() };
            assert!(request.canonical().starts_with(&shorter.canonical()), "the request at {} is rewritten", event.version);
        }
        last = Some(request);
    }
}

/// No protocol accepts an empty text as part of a reply.
fn shows_empty_text(request: &ModelRequest) -> bool {
    request.items.iter().any(|item| match item.as_ref() {
        Item::Assistant(parts) => parts.iter().any(|part| matches!(part, Part::Text(text) if text.is_empty())),
        Item::Message(_) | Item::Result(_) | Item::Notice(_) => false,
    })
}

/// Every prefix, also inside a batch, comes to rest without an input, under its owner and under the next one.
fn every_prefix_comes_to_rest(scene: &Scene) {
    let mut state = Agent::new(scene.state.stream.clone());
    for event in &scene.log {
        Agent::fold(&mut state, event).unwrap();
        rests(state.clone(), "under its owner");
        rests(taken_over(&state), "under the next owner");
    }
}

fn taken_over(state: &State) -> State {
    let mut state = state.clone();
    let epoch = Epoch(state.epoch().0 + 1);
    let taken = Input::Taken { epoch, host: HostId([9; 16]), machine: MachineId([9; 16]), boot: BootId("next".into()) };
    let facts = Agent::accept(&state, taken, state.time).unwrap();
    fold_all(&mut state, facts);
    state
}

fn rests(mut state: State, whose: &str) {
    let from = state.version;
    let mut events = 0;
    for _ in 0..ADVANCE_ROUNDS_MAX {
        let intents = Agent::advance(&state, state.time);
        // An owner appends all rounds at once.
        events += intents.len();
        assert!(events <= APPEND_EVENTS_MAX, "what follows {from} does not fit into an append");
        if intents.is_empty() {
            assert!(!state.is_parked() || Agent::effects(&state).is_empty(), "the prefix at {from} wants something while parked");
            let request = context(&state);
            return assert!(request.is_none_or(|request| request.is_valid()), "the prefix at {from} asks what is not valid");
        }
        fold_all(&mut state, intents);
    }
    panic!("the prefix at {from} does not come to rest {whose}");
}

fn fold_all(state: &mut State, drafts: Vec<contract::event::Draft>) {
    for draft in drafts {
        let event = Event { version: state.version.next(), time: state.time, draft };
        Agent::fold(state, &event).unwrap();
    }
}
