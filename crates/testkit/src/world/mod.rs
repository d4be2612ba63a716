//! Everything outside a driver: the log, tools and processes, people, and hosts that can die at any moment.
//!
//! A [`World`] is a value. [`World::moves`] lists everything that can happen next, [`World::play`] makes it happen.

mod executor;
mod host;
mod log;
mod outside;
mod people;
#[cfg(test)]
mod tests;

pub use host::Host;
pub use log::VirtualLog;
pub use outside::{Outside, Slot};
pub use people::People;

use crate::canon::{Canon, Spending, canon_both};
use crate::monitor::{Invariant, Monitor, Violation, hold};
use crate::scenario::Scenario;
use agent::Agent;
use agent::state::Call;
use contract::config::Limits;
use contract::effect::EffectId;
use contract::id::{BootId, HostId, MachineId, SessionId, StreamId};
use contract::machine::{Machine, Rest};
use contract::units::Time;
use outside::Habits;
use runtime::drive::{Cause, Place};
use serde::Serialize;
use std::sync::Arc;

/// When the virtual world begins. Its time stands still until nothing but time can go on.
pub const BEGIN: Time = Time(1_000);

#[derive(Clone, Debug)]
pub struct World {
    pub scenario: Arc<Scenario>,
    pub log: VirtualLog,
    pub outside: Outside,
    pub people: People,
    pub monitor: Monitor,
    pub clock: Time,
    crashes_left: Option<u8>,
    drains_left: u8,
    takeovers_left: u8,
    losses_left: u8,
    lapses_left: u8,
    forks_left: u8,
    /// Living processes; the last one is the newest, an earlier one is stale.
    pub hosts: Vec<Host>,
    hosts_ever: u16,
}

/// Something that can happen next. Hosts are counted from the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A process starts and takes the stream.
    HostStarts(Opening),
    /// A process is killed; whatever it held only in memory is gone.
    HostDies(usize),
    /// A process lets go of the stream as soon as everything it was told is stored.
    HostDrains(usize),
    Append(usize, AppendFate),
    /// The executor of an effect takes its next step.
    Executes(usize, EffectId, u16, Step),
    /// A supervised process takes its next step, whoever watches.
    Process(Slot, Life),
    /// A person does the next thing at a host, or through another process.
    Gives {
        person: usize,
        to: Option<usize>,
    },
    /// A host notices that another process appended.
    Notices(usize),
    /// The time comes that the session or a process waits for.
    TimePasses,
    /// Nobody does anything for so long that an approval may lapse.
    Lapses,
    /// The alarm of a host rings.
    Rings(usize),
    /// A person forks the session, and from now on the world is that of the fork.
    Forks,
}

/// What a process is given before it has the stream, so that it stands in one append with the takeover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    Nothing,
    /// What this person does next.
    Gives(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendFate {
    /// The log does what its contract says, and says so.
    Told,
    /// It does so, and the answer is lost.
    StoredUntold,
    /// Nothing is stored, and the answer is lost.
    LostUntold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The next regular step of an effect.
    Next,
    /// The executor ends without an outcome; what it did may still come to light later.
    Lost,
    /// The result of an executor that was given up arrives after all.
    Late,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    Claims,
    Exits,
    /// It ends because it was told to, or is killed at the deadline.
    Heeds,
    /// Killed together with its supervisor.
    Dies,
}

impl World {
    #[must_use]
    pub fn new(scenario: Arc<Scenario>) -> World {
        let stream = StreamId::session(SessionId([1; 16]));
        World {
            log: VirtualLog::new(stream),
            outside: Outside::default(),
            people: People::new(&scenario),
            monitor: Monitor::default(),
            clock: BEGIN,
            crashes_left: scenario.crashes,
            drains_left: scenario.drains,
            takeovers_left: scenario.takeovers,
            losses_left: scenario.losses,
            lapses_left: scenario.lapses.0,
            forks_left: scenario.forks,
            hosts: Vec::new(),
            hosts_ever: 0,
            scenario,
        }
    }

    /// The part that survives the death of every process.
    #[must_use]
    pub fn durable(&self) -> impl Serialize + '_ {
        let left = (self.crashes_left, self.drains_left, self.takeovers_left, self.losses_left, self.lapses_left, self.forks_left);
        (&self.log, self.clock, &self.outside, self.people.durable(), &self.monitor, left)
    }

    /// Canonical form of the durable part, and of everything.
    #[must_use]
    pub fn canon(&self) -> (Canon, Canon) {
        let hosts: Vec<_> = self.hosts.iter().map(|host| host.view(&self.log)).collect();
        canon_both(&self.durable(), &(hosts, self.people.living()), self.spending())
    }

    /// Without a limit nothing depends on what was spent.
    fn spending(&self) -> Spending {
        let Limits { tokens, cost_micros, .. } = self.scenario.options.limits;
        if tokens.or(cost_micros).is_none() { Spending::Ignored } else { Spending::Counts }
    }

    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.openings(&mut moves);
        for (index, host) in self.hosts.iter().enumerate() {
            host.moves(index, self, &mut moves);
            if self.crashes_left != Some(0) {
                moves.push(Move::HostDies(index));
            }
            if self.drains_left > 0 {
                moves.push(Move::HostDrains(index));
            }
        }
        let habits = Habits { stillbirths: self.scenario.stillbirths, stubborn: self.scenario.stubborn };
        self.outside.moves(habits, self.clock, &mut moves);
        self.people.moves(self, &mut moves);
        if self.next_time().is_some() {
            moves.push(Move::TimePasses);
        }
        let approved = |call: &Call| call.approved_until.is_some_and(|until| until > self.clock);
        let sleeps = self.hosts.is_empty() && self.log.has_owner();
        if self.lapses_left > 0 && (sleeps || self.log.state.calls.values().any(approved)) {
            moves.push(Move::Lapses);
        }
        if self.forks_left > 0 && self.log.state.session.is_some() {
            moves.push(Move::Forks);
        }
        moves
    }

    /// The next time that makes a difference to anybody. What is due already comes first.
    fn next_time(&self) -> Option<Time> {
        let due = Agent::due(&self.log.state);
        let deadlines = self.outside.deadlines().filter(|_| self.scenario.stubborn);
        let next = due.into_iter().chain(deadlines.filter(|at| *at > self.clock)).min();
        next.filter(|at| *at > self.clock)
    }

    fn openings(&self, moves: &mut Vec<Move>) {
        let takes_over = self.hosts.len() == 1 && self.takeovers_left > 0 && self.log.has_owner();
        if self.hosts.is_empty() || takes_over {
            moves.push(Move::HostStarts(Opening::Nothing));
        }
        if self.hosts.is_empty() {
            moves.extend(self.people.openers(self).map(|person| Move::HostStarts(Opening::Gives(person))));
        }
    }

    /// Whether the move is a fault or a wish, not the regular course of things.
    fn is_optional(&self, a_move: &Move) -> bool {
        match a_move {
            Move::HostDies(_)
            | Move::HostDrains(_)
            | Move::Executes(_, _, _, Step::Lost | Step::Late)
            | Move::Gives { .. }
            | Move::Lapses
            | Move::Forks => true,
            Move::HostStarts(_) => !self.hosts.is_empty(),
            Move::Append(..)
            | Move::Executes(_, _, _, Step::Next)
            | Move::Process(..)
            | Move::Notices(_)
            | Move::TimePasses
            | Move::Rings(_) => false,
        }
    }

    pub fn play(&mut self, a_move: Move) -> Result<(), Violation> {
        match a_move {
            Move::HostStarts(opening) => self.start_host(opening)?,
            Move::HostDies(index) => {
                self.crashes_left = self.crashes_left.map(|left| left - 1);
                let host = self.hosts.remove(index);
                self.people.host_died(host.id());
            }
            Move::HostDrains(index) => {
                self.drains_left -= 1;
                self.with_host(index, |host, world| host.on(world, Cause::Drain))?;
            }
            Move::Append(index, fate) => self.with_host(index, |host, world| host.append(world, fate))?,
            Move::Executes(index, effect, attempt, step) => {
                self.losses_left -= u8::from(step == Step::Lost);
                self.with_host(index, |host, world| host.execute(world, effect, attempt, step))?;
            }
            Move::Process(slot, life) => self.outside.live(slot, life, &mut self.monitor)?,
            Move::Gives { person, to } => self.give(person, to)?,
            Move::Notices(index) => self.with_host(index, |host, world| host.on(world, Cause::Changed))?,
            Move::TimePasses => self.clock = self.next_time().unwrap_or(self.clock),
            Move::Lapses => {
                self.lapses_left -= 1;
                self.clock = self.clock.plus_ms(self.scenario.lapses.1);
            }
            Move::Rings(index) => self.with_host(index, Host::ring)?,
            Move::Forks => self.fork()?,
        }
        self.forget();
        Ok(())
    }

    /// Whoever drives the other session, and whatever runs for it, is no part of the fork's world.
    fn fork(&mut self) -> Result<(), Violation> {
        self.forks_left -= 1;
        self.people.turn_to_fork(&self.scenario, &self.monitor);
        self.hosts.clear();
        self.outside = Outside::default();
        let (stream, by) = (StreamId::session(SessionId([2 + self.forks_left; 16])), self.scenario.person());
        self.log.fork(stream, by, self.clock, &mut self.monitor)
    }

    /// Drops what can make no difference any more.
    fn forget(&mut self) {
        let World { monitor, outside, hosts, .. } = self;
        monitor.forget(|action| {
            outside.actions().any(|other| other == action) || hosts.iter().flat_map(Host::actions).any(|(other, _)| other == action)
        });
        let executes = |action, attempt| hosts.iter().flat_map(Host::actions).any(|other| other == (action, attempt));
        outside.forget(|action, attempt| monitor.is_running(action, attempt) || executes(action, attempt), |call| monitor.knows(call));
    }

    /// What must hold in every world; `moves` is all that can happen in it.
    pub fn check(&self, moves: &[Move]) -> Result<(), Violation> {
        for host in &self.hosts {
            host.check(&self.log, &self.monitor)?;
        }
        let needed = |a_move: &&Move| !self.is_optional(a_move);
        match moves.iter().filter(needed).collect::<Vec<_>>().as_slice() {
            [] => self.check_quiet(),
            [Move::TimePasses] => self.check_waiting(),
            _ => Ok(()),
        }
    }

    /// What must hold when only time can go on.
    fn check_waiting(&self) -> Result<(), Violation> {
        let state = &self.log.state;
        let rest = agent::rest::rest(state);
        let at_rest = rest != Rest::Busy || self.outside.deadlines().next().is_some();
        hold(at_rest, Invariant::ReachesRest, || format!("busy, and only time goes on: {state:?}"))
    }

    /// What must hold when nothing is left to happen by itself. People may still have something to say.
    fn check_quiet(&self) -> Result<(), Violation> {
        let state = &self.log.state;
        let rest = agent::rest::rest(state);
        hold(rest == Rest::Waiting, Invariant::ReachesRest, || format!("quiet while {rest:?}: {state:?}"))?;
        let waits = self.monitor.waits_for_person();
        let answered = !self.monitor.has_open_run() && !self.monitor.has_unanswered();
        hold(answered || waits, Invariant::Answered, || format!("quiet with {:?} open: {state:?}", state.run))?;
        hold(!self.monitor.has_undelivered(), Invariant::DeliveredOnce, || format!("{:?}", self.monitor))?;
        hold(self.monitor.open_actions() == 0 || waits, Invariant::ActionsEnd, || format!("{:?}", self.monitor))
    }

    fn start_host(&mut self, opening: Opening) -> Result<(), Violation> {
        let takes_over = !self.hosts.is_empty();
        self.takeovers_left -= u8::from(takes_over);
        self.hosts_ever += 1;
        let mut id = [0; 16];
        id[..2].copy_from_slice(&self.hosts_ever.to_be_bytes());
        let machine = MachineId([if takes_over && self.scenario.elsewhere { 2 } else { 1 }; 16]);
        let place = Place { host: HostId(id), machine, boot: BootId("boot".to_owned()) };
        let mut host = Host::new(self.log.stream.clone(), place);
        if self.log.state.session.is_none() {
            let create = self.scenario.create();
            host.input(self, None, create)?;
        }
        match opening {
            Opening::Nothing => {}
            Opening::Gives(person) => self.give_first(person, &mut host)?,
        }
        host.on(self, Cause::Open)?;
        self.hosts.push(host);
        Ok(())
    }

    /// Lets one host work on the world without either borrowing the other. One that has left is no host any more.
    fn with_host(&mut self, index: usize, work: impl FnOnce(&mut Host, &mut World) -> Result<(), Violation>) -> Result<(), Violation> {
        let mut host = self.hosts.remove(index);
        let done = work(&mut host, self);
        if !host.has_left() {
            self.hosts.insert(index, host);
        }
        done
    }
}
