//! What holds for every log that the machine can write, and for every prefix of it.

use super::{Scene, actions, asked, envelopes, permission, shown, spent, wanted};
use agent::context::context;
use agent::{Agent, State};
use contract::event::Event;
use contract::id::{BootId, HostId, MachineId};
use contract::input::Input;
use contract::limits::{ADVANCE_ROUNDS_MAX, APPEND_BYTES_MAX, APPEND_EVENTS_MAX};
use contract::machine::Machine;
use contract::units::Epoch;

pub fn check(scene: &Scene) {
    envelopes::check(&scene.log);
    actions::check(&scene.log);
    asked::check(&scene.log);
    permission::check(&scene.log);
    permission::keys_are_used_once(&scene.log);
    spent::check(&scene.log);
    shown::check(scene);
    wanted::check(scene);
    every_append_fits(scene);
    stored_bytes_fold_to_the_live_state(scene);
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
            return at_rest(&state, &format!("the prefix at {from} {whose}"));
        }
        fold_all(&mut state, intents);
    }
    panic!("the prefix at {from} does not come to rest {whose}");
}

/// What is asked is valid, and no time is waited for that has come: an owner would wake for it again and again.
fn at_rest(state: &State, which: &str) {
    assert!(context(state).is_none_or(|request| request.is_valid()), "{which} asks what is not valid");
    if state.owner.is_some() {
        let due = Agent::due(state);
        assert!(due.is_none_or(|due| due > state.time), "{which} rests and is due at {due:?}, which has come");
    }
    wanted::check_state(state, which);
}

fn fold_all(state: &mut State, drafts: Vec<contract::event::Draft>) {
    for draft in drafts {
        let event = Event { version: state.version.next(), time: state.time, draft };
        Agent::fold(state, &event).unwrap();
    }
}
