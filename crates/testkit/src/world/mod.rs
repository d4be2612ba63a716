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
pub use outside::Outside;
pub use people::People;

use crate::canon::{Canon, canon_both};
use crate::monitor::{Invariant, Monitor, Violation, hold};
use crate::scenario::Scenario;
use contract::effect::EffectId;
use contract::id::{BootId, CallId, HostId, MachineId, SessionId, StreamId};
use contract::machine::Rest;
use contract::units::Time;
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
    takeovers_left: u8,
    losses_left: u8,
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
    Append(usize, AppendFate),
    /// The executor of an effect takes its next step.
    Executes(usize, EffectId, u16, Step),
    /// A supervised process takes its next step, whoever watches.
    Process(CallId, u16, Life),
    /// A person sends the next message to a host, or through another process.
    Says {
        to: Option<usize>,
    },
    /// A host notices that another process appended.
    Notices(usize),
    /// The time comes that the session waits for.
    TimePasses,
    /// The alarm of a host rings.
    Rings(usize),
    /// A person lets a parked session go on, or ends it.
    Decides,
}

/// What a process is given before it has the stream, so that it stands in one append with the takeover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    Nothing,
    Message,
    Resume,
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
            takeovers_left: scenario.takeovers,
            losses_left: scenario.losses,
            hosts: Vec::new(),
            hosts_ever: 0,
            scenario,
        }
    }

    /// The part that survives the death of every process.
    #[must_use]
    pub fn durable(&self) -> impl Serialize + '_ {
        (&self.log, &self.outside, self.people.durable(), &self.monitor, (self.clock, self.takeovers_left, self.losses_left))
    }

    /// Canonical form of the durable part, and of everything.
    #[must_use]
    pub fn canon(&self) -> (Canon, Canon) {
        let hosts: Vec<_> = self.hosts.iter().map(|host| host.view(&self.log)).collect();
        canon_both(&self.durable(), &(hosts, self.people.living()))
    }

    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.openings(&mut moves);
        for (index, host) in self.hosts.iter().enumerate() {
            host.moves(index, self, &mut moves);
            moves.push(Move::HostDies(index));
        }
        self.outside.moves(self.scenario.stillbirths, &mut moves);
        self.people.moves(self, &mut moves);
        if agent::rest::due(&self.log.state).is_some_and(|at| at > self.clock) {
            moves.push(Move::TimePasses);
        }
        moves
    }

    fn openings(&self, moves: &mut Vec<Move>) {
        let takes_over = self.hosts.len() == 1 && self.takeovers_left > 0 && self.log.has_owner();
        if self.hosts.is_empty() || takes_over {
            moves.push(Move::HostStarts(Opening::Nothing));
        }
        if self.hosts.is_empty() && self.people.has_message() {
            moves.push(Move::HostStarts(Opening::Message));
        }
        if self.hosts.is_empty() && self.log.has_owner() && self.people.may_resume() && !self.scenario.denies {
            moves.push(Move::HostStarts(Opening::Resume));
        }
    }

    /// Whether the move is a fault or a wish, not the regular course of things.
    fn is_optional(&self, a_move: &Move) -> bool {
        match a_move {
            Move::HostDies(_) | Move::Executes(_, _, _, Step::Lost | Step::Late) => true,
            Move::HostStarts(_) => !self.hosts.is_empty(),
            Move::Append(..)
            | Move::Executes(_, _, _, Step::Next)
            | Move::Process(..)
            | Move::Says { .. }
            | Move::Notices(_)
            | Move::TimePasses
            | Move::Rings(_)
            | Move::Decides => false,
        }
    }

    pub fn play(&mut self, a_move: Move) -> Result<(), Violation> {
        match a_move {
            Move::HostStarts(opening) => self.start_host(opening)?,
            Move::HostDies(index) => {
                let host = self.hosts.remove(index);
                self.people.host_died(host.id());
            }
            Move::Append(index, fate) => self.with_host(index, |host, world| host.append(world, fate))?,
            Move::Executes(index, effect, attempt, step) => {
                self.losses_left -= u8::from(step == Step::Lost);
                self.with_host(index, |host, world| host.execute(world, effect, attempt, step))?;
            }
            Move::Process(call, attempt, life) => self.outside.live(call, attempt, life, &mut self.monitor)?,
            Move::Says { to } => self.say(to)?,
            Move::Notices(index) => self.with_host(index, |host, world| host.on(world, Cause::Changed))?,
            Move::TimePasses => self.clock = agent::rest::due(&self.log.state).unwrap_or(self.clock),
            Move::Rings(index) => self.with_host(index, Host::ring)?,
            Move::Decides => self.decide()?,
        }
        self.forget();
        Ok(())
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
        if moves.iter().all(|a_move| self.is_optional(a_move)) {
            self.check_quiet()?;
        }
        Ok(())
    }

    /// What must hold when nothing is left to happen by itself.
    fn check_quiet(&self) -> Result<(), Violation> {
        let state = &self.log.state;
        let waiting = self.monitor.is_parked();
        let rest = agent::rest::rest(state);
        hold(rest == Rest::Waiting, Invariant::ReachesRest, || format!("quiet while {rest:?}: {state:?}"))?;
        let answered = state.inbox.is_empty() && !self.monitor.has_open_run();
        hold(answered || waiting, Invariant::Answered, || format!("quiet with {:?} open: {state:?}", state.run))?;
        hold(self.monitor.open_actions() == 0 || waiting, Invariant::ActionsEnd, || format!("{:?}", self.monitor))?;
        self.people.check_quiet(&self.monitor)
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
            Opening::Message => self.say_first(&mut host)?,
            Opening::Resume => self.resume_first(&mut host)?,
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
