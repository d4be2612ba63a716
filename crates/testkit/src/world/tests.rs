//! What the world itself checks, broken once by hand.

use super::executor::Executor;
use super::*;
use contract::ask::{Ask, AskKind};
use contract::body::{AskOpened, Body, ModelRequested, Purpose, RunStarted};
use contract::config::ConfigRef;
use contract::effect::Effect;
use contract::event::{Actor, Draft, Event, Level, Trust};
use contract::id::{ActionId, AskId, EventId, MessageId, RunId, Sha256};
use contract::machine::Machine;
use contract::port::{Append, Expected};
use contract::units::{Epoch, Version};
use runtime::drive::{Caller, Refusal};

/// A world whose one host waits for its model.
fn asking() -> World {
    let mut world = World::new(Arc::new(crate::scenario::all().remove(0)));
    for a_move in [Move::HostStarts(Opening::Message), Move::Append(0, AppendFate::Told)] {
        world.play(a_move).unwrap();
    }
    let prepare = world.moves().into_iter().find(|a_move| matches!(a_move, Move::Executes(..))).unwrap();
    world.play(prepare).unwrap();
    world.play(Move::Append(0, AppendFate::Told)).unwrap();
    world.check(&world.moves()).unwrap();
    world
}

/// Tells the monitor alone of an event.
fn pretend(world: &mut World, body: impl Into<Body>) {
    let event = Event { version: world.log.version().next(), time: BEGIN, draft: draft(world, body) };
    world.monitor.stored(&event, Some(Epoch(u64::MAX)), &world.log.events).unwrap();
}

fn draft(world: &World, body: impl Into<Body>) -> Draft {
    let cause = world.log.events.first().map(|event| event.draft.id);
    let (level, actor, trust) = (Level::Core, Actor::System, Trust::System);
    Draft { id: EventId([77; 16]), cause, correlation: None, run: None, level, call: None, actor, trust, body: body.into() }
}

fn broken(world: &World, moves: &[Move]) -> Invariant {
    world.check(moves).unwrap_err().invariant
}

#[test]
fn a_live_state_that_is_not_the_fold_is_told() {
    let mut world = asking();
    Arc::make_mut(&mut world.log.state).replies += 1;
    assert_eq!(broken(&world, &world.moves()), Invariant::FoldEqualsLive);
}

#[test]
fn a_parked_session_that_wants_something_is_told() {
    let mut world = asking();
    pretend(&mut world, AskOpened { ask: Ask { ask: AskId([1; 16]), kind: AskKind::Resume, until: None } });
    assert_eq!(broken(&world, &world.moves()), Invariant::ParkedWantsNothing);
}

#[test]
fn an_effect_that_is_not_open_is_told() {
    let started = Executor::new(Effect::Start { action: ActionId([1; 16]), attempt: 1 }, &asking().log.state);
    assert_eq!(started.unwrap_err().invariant, Invariant::WantedOrDone);
}

#[test]
fn work_left_over_in_a_quiet_world_is_told() {
    assert_eq!(broken(&asking(), &[]), Invariant::ReachesRest);
    let mut world = World::new(Arc::new(crate::scenario::all().remove(0)));
    world.play(Move::HostStarts(Opening::Nothing)).unwrap();
    world.play(Move::Append(0, AppendFate::Told)).unwrap();
    world.check(&[]).unwrap();
    let config = ConfigRef { sha256: Sha256::of(b""), model: "m".to_owned(), fallback: Vec::new(), max_turns: 1 };
    pretend(&mut world, RunStarted { run: RunId([1; 16]), message: MessageId([1; 16]), config });
    assert_eq!(broken(&world, &[]), Invariant::Answered);
}

#[test]
fn an_answer_that_does_not_fit_the_log_is_told() {
    let mut world = World::new(Arc::new(crate::scenario::all().remove(0)));
    let answered = |world: &mut World, answer| world.people.answered(Caller(0), &answer, &world.monitor);
    let acknowledged = answered(&mut world, Ok(Version(1)));
    assert_eq!(acknowledged.unwrap_err().invariant, Invariant::AckedIsStored);
    let mut stored = asking();
    let refused = answered(&mut stored, Err(Refusal::Left));
    assert_eq!(refused.unwrap_err().invariant, Invariant::RefusedIsNotStored);
}

#[test]
fn an_append_that_cannot_be_folded_or_lies_about_its_rest_is_told() {
    let world = asking();
    let try_append = |body: Body, rest| {
        let mut world = world.clone();
        let expected = Expected::after(world.log.version());
        let append =
            Append { stream: world.log.stream.clone(), expected, time: BEGIN, drafts: vec![draft(&world, body)], fence: None, rest };
        world.log.append(&append, Some(Epoch(u64::MAX)), &mut world.monitor).unwrap_err().invariant
    };
    let config = ConfigRef { sha256: Sha256::of(b""), model: "m".to_owned(), fallback: Vec::new(), max_turns: 1 };
    let twice = RunStarted { run: RunId([1; 16]), message: MessageId([1; 16]), config };
    assert_eq!(try_append(twice.into(), Rest::Busy), Invariant::ReachesRest);
    let ask = AskOpened { ask: Ask { ask: AskId([1; 16]), kind: AskKind::Resume, until: None } };
    assert_eq!(try_append(ask.into(), Rest::Busy), Invariant::RestIsTrue);
}

#[test]
fn a_request_that_is_not_in_the_log_is_told() {
    let mut world = asking();
    let Some(Move::Executes(_, effect, attempt, step)) = world.moves().into_iter().find(|a_move| matches!(a_move, Move::Executes(..)))
    else {
        panic!("no model call is open");
    };
    let events = Arc::make_mut(&mut world.log.events);
    let newest = events.pop().unwrap();
    let play = |world: &World| world.clone().play(Move::Executes(0, effect, attempt, step)).unwrap_err().invariant;
    assert_eq!(play(&world), Invariant::StartedBeforeEffect);
    let other = ModelRequested {
        purpose: Purpose::Reply,
        model: "m".to_owned(),
        attempt,
        epoch: agent::Agent::epoch(&world.log.state),
        covers: Version(1),
        nudge: None,
        request_sha256: Sha256::of(b"other"),
    };
    let mut forged = newest.as_ref().clone();
    forged.draft.body = other.into();
    Arc::make_mut(&mut world.log.events).push(Arc::new(forged));
    assert_eq!(play(&world), Invariant::RequestProven);
}
