//! Whatever a session was in, and wherever it is cut, a fork of it folds, wants nothing, waits, and can be talked to.

use crate::scenarios;
use agent::{Agent, State};
use contract::body::{Body, Mode, ModelRequested, Principal};
use contract::config::ConfigRef;
use contract::effect::Effect;
use contract::event::{Draft, Event};
use contract::id::{BootId, HostId, Key, MachineId, SessionId, Sha256, StreamId};
use contract::input::Input;
use contract::machine::{Machine, Rest};
use contract::outcome::Outcome;
use contract::request::ModelRequest;
use contract::text::Text;
use contract::units::{Epoch, Version};
use std::collections::BTreeSet;
use testkit::explore::explore;

const PARENT: SessionId = SessionId([0x11; 16]);
const FORK: SessionId = SessionId([0xf0; 16]);

/// What the last model call of the session was shown, and under which configuration.
#[derive(Clone, Default)]
struct Shown {
    request: Option<ModelRequest>,
    config: Option<ConfigRef>,
}

impl Shown {
    fn note(&mut self, state: &State, event: &Event) {
        if let Body::RunStarted(started) = &event.draft.body {
            self.config = Some(started.config.clone());
        }
        if let Body::ModelRequested(ModelRequested { .. }) = &event.draft.body {
            self.request = agent::context::context(state);
        }
    }
}

fn fold(state: &mut State, version: Version, draft: Draft) {
    Agent::fold(state, &Event { version, time: state.time, draft }).unwrap();
}

fn say(state: &mut State, input: Input) {
    for draft in Agent::accept(state, input, state.time).unwrap() {
        let version = state.version.next();
        fold(state, version, draft);
    }
}

/// Lets the owner decide until it rests.
fn rest(state: &mut State) {
    loop {
        let drafts = Agent::advance(state, state.time);
        if drafts.is_empty() {
            return;
        }
        for draft in drafts {
            let version = state.version.next();
            fold(state, version, draft);
        }
    }
}

fn forked(parent: &State) -> State {
    let mut state = parent.clone();
    state.stream = StreamId::session(FORK);
    let by = Principal("person".to_owned());
    let drafts = agent::accept::fork(&state, PARENT, Sha256::of(b"chain"), by).unwrap();
    for draft in drafts {
        fold(&mut state, Version(1), draft);
    }
    state
}

/// Forks the state, looks at what it is, talks to it, and holds what its model is shown against what was shown before.
fn check(parent: &State, shown: &Shown) {
    let mut state = forked(parent);
    assert_eq!(Agent::effects(&state), Vec::new(), "{state:#?}");
    assert_eq!(Agent::rest(&state), Rest::Waiting, "{state:#?}");
    assert_eq!((state.version, Agent::due(&state), Agent::epoch(&state)), (Version(1), None, Epoch::default()));
    assert!(state.owner.is_none() && state.calls.is_empty() && state.asks.is_empty() && state.run.is_none() && !state.has_work());
    let taken = Input::Taken { epoch: Epoch(1), host: HostId([9; 16]), machine: MachineId([1; 16]), boot: BootId("boot".to_owned()) };
    say(&mut state, taken);
    rest(&mut state);
    assert_eq!((Agent::effects(&state), Agent::rest(&state)), (Vec::new(), Rest::Waiting), "an owner finds nothing to do");
    let (key, text, seen) = (Key("of the fork".to_owned()), Text::from("go on here"), state.version);
    let from = Principal("person".to_owned());
    say(&mut state, Input::Message { key, text, mode: Mode::Steer, from, seen, tails: Vec::new() });
    rest(&mut state);
    let [effect @ Effect::Prepare(_)] = Agent::effects(&state)[..] else { panic!("{:?}", Agent::effects(&state)) };
    let Some(config) = shown.config.clone() else { return };
    say(
        &mut state,
        Input::Done {
            effect: effect.id(),
            attempt: effect.attempt(),
            outcome: Outcome::Prepared { config: Box::new(config), resources: Vec::new() },
        },
    );
    rest(&mut state);
    // A limit may be reached by the first request; then a person is asked, and the model is not.
    let Some(request) = agent::context::context(&state) else { return assert!(state.is_parked(), "{state:#?}") };
    assert!(request.is_valid(), "{:#?}", request.items);
    // A run begins with its first model, also where the last one had fallen back to another.
    if let Some(before) = shown.request.as_ref().filter(|before| (&before.model, before.config) == (&request.model, request.config)) {
        assert!(request.canonical().starts_with(&before.canonical()), "the fork is shown something else than the session before it");
    }
}

fn check_every_prefix<'a>(events: impl Iterator<Item = &'a Event>) -> usize {
    let (mut state, mut shown, mut prefixes) = (Agent::new(StreamId::session(PARENT)), Shown::default(), 0);
    for event in events {
        Agent::fold(&mut state, event).unwrap();
        shown.note(&state, event);
        check(&state, &shown);
        prefixes += 1;
    }
    prefixes
}

#[test]
fn every_prefix_of_every_history_can_be_forked() {
    let played = histories::played().unwrap();
    let sessions = played.iter().filter(|history| history.stream.session_id().is_some());
    let prefixes: usize = sessions.map(|history| check_every_prefix(history.folded().map(|(_, event)| event))).sum();
    assert!(prefixes > 500, "only {prefixes} prefixes");
}

#[test]
fn every_log_that_a_search_reaches_can_be_forked_where_it_ends() {
    let names = ["unsafe tool, owner elsewhere", "held call", "steer past a wait", "stop of a wait", "edited call, started late"];
    let mut forks = 0;
    for scenario in scenarios(&names) {
        let mut seen = BTreeSet::new();
        let report = explore(&scenario, |visit| {
            let events = &visit.world.log.events;
            let ids: Vec<_> = events.iter().map(|event| event.draft.id).collect();
            if visit.is_new && !events.is_empty() && seen.insert(ids) {
                let mut shown = Shown::default();
                let mut state = Agent::new(StreamId::session(PARENT));
                for event in events.iter() {
                    Agent::fold(&mut state, event).unwrap();
                    shown.note(&state, event);
                }
                check(&state, &shown);
                forks += 1;
            }
        });
        assert!(report.violation.is_none(), "{:?}", report.violation);
    }
    assert!(forks > 500, "only {forks} logs");
}
