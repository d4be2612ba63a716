//! Everything outside a driver: the log, tools and processes, people, and hosts that can die at any moment.
//!
//! A [`World`] is a value. [`World::moves`] lists everything that can happen next, [`World::play`] makes it happen.

mod host;
mod log;
mod outside;
mod people;

pub use host::Host;
pub use log::VirtualLog;
pub use outside::Outside;
pub use people::People;

use crate::monitor::{Invariant, Monitor, Violation, hold};
use crate::scenario::Scenario;
use contract::effect::EffectId;
use contract::id::{BootId, CallId, HostId, MachineId, SessionId, StreamId};
use contract::machine::Rest;
use contract::units::Time;
use runtime::drive::Place;
use serde::Serialize;
use std::sync::Arc;

/// The one time of the virtual world: nothing of what it plays depends on a clock yet.
pub const NOW: Time = Time(1_000);

#[derive(Clone, Debug, Serialize)]
pub struct World {
    #[serde(skip)]
    pub scenario: Arc<Scenario>,
    pub log: VirtualLog,
    pub outside: Outside,
    pub people: People,
    pub monitor: Monitor,
    takeovers_left: u8,
    /// Living processes; the last one is the newest, an earlier one is stale.
    pub hosts: Vec<Host>,
    #[serde(skip)]
    hosts_ever: u8,
    #[serde(skip)]
    pub trail: Option<Arc<Trail>>,
}

/// How a world came about, for the report of a violation.
#[derive(Debug)]
pub struct Trail {
    pub last: Move,
    pub before: Option<Arc<Trail>>,
}

/// Something that can happen next. Hosts are counted from the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A process starts and takes the stream.
    HostStarts,
    /// A process is killed; whatever it held only in memory is gone.
    HostDies(usize),
    /// The lease or the read a host waits for comes back.
    Answered(usize),
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
    /// A person lets a parked session go on, or ends it.
    Decides,
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
            takeovers_left: scenario.takeovers,
            hosts: Vec::new(),
            hosts_ever: 0,
            trail: None,
            scenario,
        }
    }

    /// The part that survives the death of every process.
    #[must_use]
    pub fn durable(&self) -> impl Serialize + '_ {
        (&self.log, &self.outside, &self.people, &self.monitor, self.takeovers_left)
    }

    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        if self.hosts.is_empty() || (self.hosts.len() == 1 && self.takeovers_left > 0 && self.log.has_owner()) {
            moves.push(Move::HostStarts);
        }
        for (index, host) in self.hosts.iter().enumerate() {
            host.moves(index, self.scenario.unknowns, &self.log, &self.outside, &mut moves);
            moves.push(Move::HostDies(index));
        }
        self.outside.moves(&mut moves);
        self.people.moves(self, &mut moves);
        moves
    }

    /// Whether the move is a fault or a wish, not the regular course of things.
    fn is_optional(&self, a_move: &Move) -> bool {
        match a_move {
            Move::HostDies(_) | Move::Executes(_, _, _, Step::Lost | Step::Late) => true,
            Move::HostStarts => !self.hosts.is_empty(),
            Move::Answered(_)
            | Move::Append(..)
            | Move::Executes(_, _, _, Step::Next)
            | Move::Process(..)
            | Move::Says { .. }
            | Move::Notices(_)
            | Move::Decides => false,
        }
    }

    pub fn play(&mut self, a_move: Move) -> Result<(), Violation> {
        self.trail = Some(Arc::new(Trail { last: a_move, before: self.trail.take() }));
        match a_move {
            Move::HostStarts => self.start_host()?,
            Move::HostDies(index) => self.kill(index),
            Move::Answered(index) => self.answer(index)?,
            Move::Append(index, fate) => self.append(index, fate)?,
            Move::Executes(index, effect, attempt, step) => self.execute(index, effect, attempt, step)?,
            Move::Process(call, attempt, life) => self.outside.live(call, attempt, life, &self.monitor)?,
            Move::Says { to } => self.say(to)?,
            Move::Notices(index) => self.notice(index)?,
            Move::Decides => self.decide()?,
        }
        self.check()
    }

    /// What must hold after every move.
    fn check(&self) -> Result<(), Violation> {
        for host in &self.hosts {
            host.check(&self.log, &self.monitor)?;
        }
        if self.moves().iter().all(|a_move| self.is_optional(a_move)) {
            self.check_quiet()?;
        }
        Ok(())
    }

    /// What must hold when nothing is left to happen by itself.
    fn check_quiet(&self) -> Result<(), Violation> {
        let state = &self.log.state;
        let waiting = state.is_parked();
        let rest = agent::rest::rest(state);
        hold(rest == Rest::Waiting || self.hosts.is_empty(), Invariant::ReachesRest, || format!("quiet while {rest:?}: {state:?}"))?;
        let answered = state.inbox.is_empty() && !self.monitor.has_open_run();
        hold(answered || waiting, Invariant::Answered, || format!("quiet with {:?} open: {state:?}", state.run))?;
        hold(self.monitor.open_actions() == 0 || waiting, Invariant::ActionsEnd, || format!("{:?}", self.monitor))?;
        self.people.check_quiet(&self.monitor)
    }

    fn start_host(&mut self) -> Result<(), Violation> {
        if !self.hosts.is_empty() {
            self.takeovers_left -= 1;
        }
        self.hosts_ever += 1;
        let host = HostId([self.hosts_ever; 16]);
        let place = Place { host, machine: MachineId([9; 16]), boot: BootId("boot".to_owned()) };
        let mut host = Host::new(self.log.stream.clone(), place);
        if self.log.state.session.is_none() {
            host.give_first(self.scenario.create());
        }
        host.open(self)?;
        self.hosts.push(host);
        Ok(())
    }

    fn kill(&mut self, index: usize) {
        let host = self.hosts.remove(index);
        self.people.host_died(host.id());
    }

    /// Lets one host work on the world without either borrowing the other.
    fn with_host<T>(&mut self, index: usize, work: impl FnOnce(&mut Host, &mut World) -> Result<T, Violation>) -> Result<T, Violation> {
        let mut host = self.hosts.remove(index);
        let done = work(&mut host, self);
        self.hosts.insert(index, host);
        done
    }

    fn answer(&mut self, index: usize) -> Result<(), Violation> {
        self.with_host(index, Host::answered)
    }

    fn append(&mut self, index: usize, fate: AppendFate) -> Result<(), Violation> {
        self.with_host(index, |host, world| host.append(world, fate))
    }

    fn execute(&mut self, index: usize, effect: EffectId, attempt: u16, step: Step) -> Result<(), Violation> {
        self.with_host(index, |host, world| host.execute(world, effect, attempt, step))
    }

    fn notice(&mut self, index: usize) -> Result<(), Violation> {
        self.with_host(index, Host::notice)
    }
}
