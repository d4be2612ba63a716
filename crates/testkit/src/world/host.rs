//! A process: the shipped driver and the executors it started. All of it dies with the process.
//!
//! The lease and the read that a driver asks for are answered at once. Nobody else sees them: an event that another
//! process appends before such an answer may as well have come before the question, and a crash in between leaves what
//! a crash before it leaves, up to the number of the epoch. Inputs that come in between are covered by [`Opening`].

use super::executor::{Executor, Stepped};
use super::{AppendFate, Move, Step, VirtualLog, World};
use crate::monitor::{Invariant, Monitor, Violation, hold};
use agent::{Agent, State};
use contract::effect::{Effect, EffectId};
use contract::id::{ActionId, CallId, HostId, StreamId};
use contract::input::Input;
use contract::machine::Machine;
use contract::port::{Append, AppendError};
use contract::units::{Time, Version};
use runtime::drive::{Caller, Cause, Do, Driver, Leave, Place};
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, Debug)]
pub struct Host {
    place: Place,
    driver: Driver<Agent>,
    executors: BTreeMap<(EffectId, u16), Executor>,
    /// When it rings.
    pub(super) alarm: Option<Time>,
}

/// A host as far as it can make a difference.
#[derive(Serialize)]
struct View<'a> {
    driver: &'a Driver<Agent>,
    /// What the append under way holds follows from its time, the state it met and the inputs it answers, which the
    /// driver shows.
    flight: Option<(Landing, Time)>,
    /// Only where it matters and is not the fold of the log and the append under way.
    state: Option<&'a State>,
    /// Sorted by call: the order of actions is the order of their hashes, which means nothing.
    executors: Vec<(Option<CallId>, &'a Executor)>,
    begun: Vec<(Option<CallId>, Effect, bool)>,
    alarm: Option<Time>,
}

/// What the log would say to an append, unless its owner is fenced.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
enum Landing {
    Fits,
    Stored,
    Conflicts,
}

impl Host {
    #[must_use]
    pub fn new(stream: StreamId, place: Place) -> Host {
        let driver = Driver::new(stream, place.clone());
        Host { place, driver, executors: BTreeMap::new(), alarm: None }
    }

    #[must_use]
    pub fn id(&self) -> HostId {
        self.place.host
    }

    #[must_use]
    pub fn has_left(&self) -> bool {
        self.driver.has_left()
    }

    #[must_use]
    pub fn state(&self) -> &State {
        self.driver.state()
    }

    /// The append under way.
    #[must_use]
    pub fn in_flight(&self) -> Option<&Append> {
        self.driver.in_flight()
    }

    /// What its executors work on.
    pub fn effects(&self) -> impl Iterator<Item = Effect> {
        self.executors.values().map(|executor| executor.effect)
    }

    /// Actions that an executor of this host may still act for.
    pub fn actions(&self) -> impl Iterator<Item = (ActionId, u16)> {
        self.executors.values().filter_map(|executor| Some((executor.action()?, executor.effect.attempt())))
    }

    #[must_use]
    pub fn view<'a>(&'a self, log: &'a VirtualLog) -> impl Serialize + 'a {
        let state = self.driver.state();
        let flight = self.driver.in_flight().map(|append| match append.expected.version() {
            _ if log.holds(append) => Landing::Stored,
            base if base == log.version() => Landing::Fits,
            _ => Landing::Conflicts,
        });
        let is_needed = match flight {
            None | Some(Landing::Stored) => state.version != log.version(),
            // The one follows from the log; the other is dropped as soon as the log has answered.
            Some(Landing::Fits | Landing::Conflicts) => false,
        };
        let call = |effect: Effect| match effect {
            Effect::Start { action, .. } | Effect::Recover { action, .. } | Effect::Stop { action, .. } => {
                state.call_of(action).or_else(|| log.state.call_of(action)).map(|(call, _)| call)
            }
            Effect::Prepare(_) | Effect::Model { .. } | Effect::Deliver(_) => None,
        };
        let mut executors: Vec<_> = self.executors.values().map(|executor| (executor.call(), executor)).collect();
        executors.sort_by_key(|(call, executor)| (*call, executor.effect.attempt()));
        let mut begun: Vec<_> = self.driver.begun().map(|(effect, ended)| (call(effect), effect, ended)).collect();
        begun.sort_by_key(|(call, effect, _)| (*call, effect.attempt()));
        let flight = flight.zip(self.driver.in_flight().map(|append| append.time));
        View { driver: &self.driver, flight, state: is_needed.then_some(state), executors, begun, alarm: self.alarm }
    }

    pub fn moves(&self, index: usize, world: &World, moves: &mut Vec<Move>) {
        match self.driver.in_flight() {
            Some(_) => {
                moves.push(Move::Append(index, AppendFate::Told));
                if world.scenario.unknowns {
                    moves.push(Move::Append(index, AppendFate::StoredUntold));
                    moves.push(Move::Append(index, AppendFate::LostUntold));
                }
            }
            None if world.log.version() > self.driver.state().version => moves.push(Move::Notices(index)),
            None => {}
        }
        if self.alarm.is_some_and(|at| at <= world.clock) {
            moves.push(Move::Rings(index));
        }
        for ((effect, attempt), executor) in &self.executors {
            let steps =
                executor.steps(&world.outside, self.place.machine).iter().filter(|step| **step != Step::Lost || world.losses_left > 0);
            moves.extend(steps.map(|step| Move::Executes(index, *effect, *attempt, *step)));
        }
    }

    pub fn on(&mut self, world: &mut World, cause: Cause) -> Result<(), Violation> {
        let mut causes = VecDeque::from([cause]);
        while let Some(cause) = causes.pop_front() {
            let dos = self.driver.on(cause, world.clock);
            // What a host says is looked at before what it does, because the one may be the reason of the other.
            for a_do in &dos {
                if let Do::Append { append, .. } = a_do {
                    world.monitor.offered(append)?;
                }
            }
            for a_do in dos {
                causes.extend(self.perform(world, a_do)?);
            }
        }
        if self.driver.is_settled() {
            // Nobody would hear of them any more: no attempt of their call is open, here or in the log.
            let state = self.driver.state();
            self.executors
                .retain(|_, executor| !executor.is_given_up() || executor.action().is_some_and(|action| state.call_of(action).is_some()));
        }
        Ok(())
    }

    /// What a driver reads: from the first version on also what its session inherits.
    fn read(log: &VirtualLog, from: Version) -> Vec<Cause> {
        let inherited = log.inherited().filter(|_| from == Version::NONE.next());
        let inherited = inherited.map(|event| Cause::Inherited(Box::new(event.as_ref().clone())));
        inherited.chain([Cause::Read { events: log.read(from), more: false }]).collect()
    }

    fn perform(&mut self, world: &mut World, a_do: Do) -> Result<Vec<Cause>, Violation> {
        match a_do {
            Do::Acquire => return Ok(vec![Cause::Acquired(world.log.acquire())]),
            Do::Read { from } => return Ok(Self::read(&world.log, from)),
            // It is under way in the driver until its fate is played.
            Do::Append { .. } | Do::Release { .. } => {}
            Do::Start(effect) => {
                let executor = Executor::new(effect, self.driver.state())?;
                self.executors.insert((effect.id(), effect.attempt()), executor);
            }
            Do::Stop(effect) => drop(self.executors.remove(&(effect.id(), effect.attempt()))),
            Do::Answer { caller, answer } => world.people.answered(caller, &answer, &world.scenario, &world.log, &world.monitor)?,
            Do::Wake { at } => self.alarm = Some(at),
            Do::Again => return Ok(vec![Cause::Again]),
            Do::Quarantine { reason, .. } => return Err(Violation::new(Invariant::ReachesRest, format!("quarantined: {reason}"))),
            Do::Leave(leave) => {
                let as_told = matches!(leave, Leave::Fenced | Leave::Drained);
                hold(as_told, Invariant::ReachesRest, || format!("left: {leave:?}"))?;
                // What they would still do after this they may as well do before it: leaving is seen by nobody.
                self.executors.clear();
            }
        }
        Ok(Vec::new())
    }

    pub fn ring(&mut self, world: &mut World) -> Result<(), Violation> {
        self.alarm = None;
        self.on(world, Cause::Due)?;
        let again = self.driver.is_settled() && self.alarm.is_some_and(|at| at <= world.clock);
        hold(!again, Invariant::ReachesRest, || format!("due at {:?} and nothing to do: {:?}", self.alarm, self.driver.state()))
    }

    pub fn input(&mut self, world: &mut World, caller: Option<Caller>, input: Input) -> Result<(), Violation> {
        self.on(world, Cause::Input { caller, input })
    }

    pub fn append(&mut self, world: &mut World, fate: AppendFate) -> Result<(), Violation> {
        let Some(append) = self.driver.in_flight().cloned() else { return Ok(()) };
        if fate == AppendFate::LostUntold {
            return self.on(world, Cause::Unknown);
        }
        let done = world.log.append(&append, Some(self.driver.epoch()), &mut world.monitor)?;
        let cause = match done {
            Ok(_) if fate == AppendFate::StoredUntold => Cause::Unknown,
            Ok(appended) => Cause::Appended { last: appended.last },
            Err(AppendError::Fenced { .. }) => Cause::Fenced,
            Err(_) => Cause::Conflict,
        };
        self.on(world, cause)
    }

    pub fn execute(&mut self, world: &mut World, effect: EffectId, attempt: u16, step: Step) -> Result<(), Violation> {
        let Some(executor) = self.executors.get_mut(&(effect, attempt)) else { return Ok(()) };
        match executor.step(world, self.place.machine, step)? {
            Stepped::On => Ok(()),
            Stepped::Says(outcome) => self.on(world, Cause::Outcome { effect, attempt, outcome }),
            Stepped::Ends(outcome) => {
                self.executors.remove(&(effect, attempt));
                self.on(world, Cause::Outcome { effect, attempt, outcome })
            }
        }
    }

    /// What must hold of a host in every world.
    pub fn check(&self, log: &VirtualLog, monitor: &Monitor) -> Result<(), Violation> {
        let state = self.driver.state();
        if !self.driver.is_settled() || state.version != log.version() {
            return Ok(());
        }
        hold(*state == *log.state, Invariant::FoldEqualsLive, || format!("{state:?}\nand\n{:?}", log.state))?;
        monitor.check_ended()?;
        let due = Agent::due(state);
        let wakes = due.is_none_or(|due| self.alarm.is_some_and(|at| at <= due));
        hold(wakes, Invariant::WakesInTime, || format!("due at {due:?}, wakes at {:?}", self.alarm))?;
        let wanted = Agent::effects(state);
        let expected = monitor.expected_effects();
        let foreign = wanted.iter().find(|effect| !expected.contains(effect));
        let begins = monitor.is_parked() && foreign.is_some();
        hold(!begins, Invariant::ParkedBeginsNothing, || format!("{foreign:?}"))?;
        let missing = expected.iter().find(|effect| !wanted.contains(effect));
        let exact = foreign.is_none() && missing.is_none() && wanted.len() == expected.len();
        hold(exact, Invariant::WantedOrDone, || format!("{wanted:?} wanted, {expected:?} open"))?;
        let begun: Vec<Effect> = self.driver.begun().map(|(effect, _)| effect).collect();
        let all_begun = begun.len() == wanted.len() && begun.iter().all(|effect| wanted.contains(effect));
        hold(all_begun, Invariant::WantedOrDone, || format!("{wanted:?} wanted, {begun:?} begun"))
    }
}
