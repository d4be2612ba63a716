//! A session that begins as another one was: what it keeps, what it closes, and where its first event may stand.

use crate::scene::Scene;
use crate::scene::made::{self, Change};
use crate::scene::person;
use agent::prompts;
use agent::{Agent, State};
use contract::body::Mode;
use contract::call::Class;
use contract::config::ResumePolicy::{Ask, Continue};
use contract::event::Event;
use contract::id::{SessionId, Sha256, StreamId};
use contract::input::Rejection;
use contract::machine::Machine;
use contract::request::Item;
use contract::units::Version;

const PARENT: SessionId = SessionId([7; 16]);

/// The first event of a fork of this state, and the state under the fork's name.
fn first(state: &State) -> (State, Event) {
    let mut state = state.clone();
    state.stream = StreamId::session(SessionId([8; 16]));
    let draft = agent::accept::fork(&state, PARENT, Sha256::of(b"chain"), person()).unwrap().remove(0);
    let event = Event { version: Version(1), time: state.time, draft };
    (state, event)
}

pub fn forked(scene: &Scene) -> State {
    let (mut state, event) = first(&scene.state);
    Agent::fold(&mut state, &event).unwrap();
    assert_eq!(Agent::effects(&state), Vec::new());
    assert_eq!(Agent::advance(&state, state.time), Vec::new());
    state
}

/// What the fork's model is shown beyond what the other one was shown.
fn shown_next(scene: &Scene) -> Vec<Item> {
    let mut fork = Scene::empty();
    fork.state = forked(scene);
    fork.config = scene.config.clone();
    let sealed = fork.state.transcript.sealed().len();
    fork.now = fork.state.time;
    fork.takeover();
    fork.message("of the fork");
    fork.prepared();
    let items = agent::context::context(&fork.state).unwrap().items;
    // The scene holds events of one session only; its laws are those of a whole log.
    std::mem::forget(fork);
    items[sealed..].iter().map(|item| item.as_ref().clone()).collect()
}

#[test]
fn every_open_call_gets_the_note_and_one_that_was_told_of_gets_it_late() {
    let mut scene =
        Scene::replied(vec![made::call(0, Class::Unsafe), made::command(1, "make install").part(), made::wait(2, 60_000).part()]);
    let results = shown_next(&scene);
    let noted = |item: &Item| matches!(item, Item::Result(result) if result.note == Some(prompts::forked()) && !result.ok);
    assert!(results.len() == 4 && results[..3].iter().all(noted), "{results:?}");
    scene.message("m2");
    let told = shown_next(&scene);
    let late = told.iter().filter(|item| matches!(item, Item::Late(result) if result.note == Some(prompts::forked())));
    assert_eq!(late.count(), 2, "what runs and what waits were told of, what was asked about was taken back: {told:?}");
}

#[test]
fn what_was_said_and_not_seen_is_known_and_starts_nothing() {
    let mut scene = Scene::calling(Continue, &[Class::Unsafe]);
    scene.send("m2", Mode::Queue);
    let fork = forked(&scene);
    assert_eq!((fork.inbox.len(), fork.next_message(), fork.has_work()), (1, None, false));
    assert!(fork.seen.is_empty(), "a key names something that was said to the other session");
    let messages = shown_next(&scene).into_iter().filter(|item| matches!(item, Item::Message(_)));
    assert_eq!(messages.count(), 2);
}

#[test]
fn a_fork_starts_with_nothing_spent_and_nobody_in_charge() {
    let mut scene = Scene::asking(Ask);
    scene.takeover();
    assert!(scene.state.is_parked());
    let fork = forked(&scene);
    assert_eq!((fork.owner.is_none(), fork.recoveries, fork.gate, fork.is_parked()), (true, 0, None, false));
    assert_eq!((fork.ledger.spent, fork.ledger.tool_calls, fork.version), (Default::default(), 0, Version(1)));
    let session = fork.session.as_ref().unwrap();
    assert_eq!(session.fork.map(|fork| (fork.from, fork.at)), Some((PARENT, scene.state.version)));
    assert_eq!(session.folder, scene.state.session.as_ref().unwrap().folder);
}

#[test]
fn the_first_event_stands_only_where_it_belongs() {
    let scene = Scene::calling(Continue, &[Class::Pure]);
    let (state, event) = first(&scene.state);
    for (state, event) in [
        (Scene::empty().state.clone(), event.clone()),
        (scene.cut(scene.log.len() - 1).state.clone(), event.clone()),
        (state.clone(), Event { version: state.version.next(), ..event.clone() }),
    ] {
        let mut state = state;
        assert!(Agent::fold(&mut state, &event).is_err(), "{} at {}", event.version, state.version);
    }
    assert_eq!(agent::accept::fork(&Scene::empty().state, PARENT, Sha256::of(b""), person()), Err(Rejection::NoSession));
    assert_eq!(agent::accept::fork(&scene.state, PARENT, Sha256::of(b""), person()), Err(Rejection::Exists));
}
