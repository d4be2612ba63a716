//! What the world itself checks, broken once by hand.

use super::executor::Executor;
use super::*;
use contract::ask::{Ask, Subject};
use contract::body::{AskOpened, Body, HostRecovered, MessageReceived, Mode, ModelRequested, Principal, Purpose, Spend, TimerFired};
use contract::effect::Effect;
use contract::event::{Actor, Draft, Event, Level, Trust};
use contract::id::{ActionId, AskId, EventId, Key, MessageId, Sha256, TimerId};
use contract::machine::Machine;
use contract::port::{Append, Expected};
use contract::text::Text;
use contract::units::{Epoch, Version};
use runtime::drive::{Caller, Refusal};

/// A world whose one host waits for its model.
fn asking() -> World {
    let mut world = World::new(Arc::new(crate::scenario::all().remove(0)));
    for a_move in [Move::HostStarts(Opening::Gives(0)), Move::Append(0, AppendFate::Told)] {
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

fn resume() -> Ask {
    Ask { ask: AskId([1; 16]), subject: Subject::Resume, until: None }
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
fn a_parked_session_that_begins_something_is_told() {
    let mut world = World::new(Arc::new(crate::scenario::all().remove(0)));
    for a_move in [Move::HostStarts(Opening::Gives(0)), Move::Append(0, AppendFate::Told)] {
        world.play(a_move).unwrap();
    }
    pretend(&mut world, AskOpened { ask: resume() });
    assert_eq!(broken(&world, &world.moves()), Invariant::ParkedBeginsNothing);
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
    world.play(Move::HostDies(0)).unwrap();
    let from = Principal("p".to_owned());
    let (message, text) = (MessageId([1; 16]), Text::from("do it"));
    let mode = Mode::Steer;
    pretend(&mut world, MessageReceived { message, key: Key("k".to_owned()), text, mode, from });
    assert_eq!(broken(&world, &[]), Invariant::Answered);
}

#[test]
fn an_answer_that_does_not_fit_the_log_is_told() {
    let mut world = World::new(Arc::new(crate::scenario::all().remove(0)));
    let answered = |world: &mut World, answer| world.people.answered(Caller(0), &answer, &world.scenario, &world.log, &world.monitor);
    let acknowledged = answered(&mut world, Ok(Version(1)));
    assert_eq!(acknowledged.unwrap_err().invariant, Invariant::AckedIsStored);
    let mut stored = World::new(Arc::new(crate::scenario::all().remove(0)));
    stored.play(Move::HostStarts(Opening::Gives(0))).unwrap();
    let append = stored.hosts[0].in_flight().unwrap().clone();
    stored.log.append(&append, Some(Epoch(1)), &mut stored.monitor).unwrap().unwrap();
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
    let nothing = TimerFired { timer: TimerId([1; 16]), note: Text::from("") };
    assert_eq!(try_append(nothing.into(), Rest::Busy), Invariant::TimerEndsOnce);
    let same = HostRecovered { stream: world.log.stream.clone(), by: Principal("p".to_owned()) };
    assert_eq!(try_append(same.into(), Rest::Busy), Invariant::ReachesRest);
    assert_eq!(try_append(AskOpened { ask: resume() }.into(), Rest::Waiting), Invariant::RestIsTrue);
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
        reserve: Spend::default(),
        request_sha256: Sha256::of(b"other"),
    };
    let mut forged = newest.as_ref().clone();
    forged.draft.body = other.into();
    Arc::make_mut(&mut world.log.events).push(Arc::new(forged));
    assert_eq!(play(&world), Invariant::RequestProven);
}

#[test]
fn a_host_that_sleeps_past_what_is_due_is_told() {
    let wait = crate::scenario::all().into_iter().find(|scenario| scenario.name == "wait").unwrap();
    let mut world = World::new(Arc::new(wait));
    world.play(Move::HostStarts(Opening::Gives(0))).unwrap();
    while !world.moves().contains(&Move::TimePasses) {
        let regular = |a_move: &Move| matches!(a_move, Move::Append(0, AppendFate::Told) | Move::Executes(_, _, _, Step::Next));
        let next = world.moves().into_iter().find(regular).unwrap();
        world.play(next).unwrap();
    }
    world.check(&world.moves()).unwrap();
    world.hosts[0].alarm = None;
    assert_eq!(broken(&world, &world.moves()), Invariant::WakesInTime);
}
