//! Tools as the world has them: what ran, what runs under a supervisor, and what a probe would find.

use super::{BEGIN, Life, Move};
use crate::monitor::{Acted, Invariant, Monitor, Violation};
use agent::standing::{Said, Standing};
use agent::state::Delivery;
use contract::body::{Parcel, RuleSource};
use contract::event::Event;
use contract::id::{ActionId, CallId, Sha256, StreamId};
use contract::units::Time;
use serde::Serialize;
use std::collections::BTreeMap;

/// An attempt; the call comes first, because the order of actions is the order of their hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Slot {
    pub call: CallId,
    pub action: ActionId,
    pub attempt: u16,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Outside {
    attempts: BTreeMap<Slot, Attempt>,
    /// How often the effect of an action happened.
    ran: BTreeMap<(CallId, ActionId), u16>,
    /// The stream that rules are brought to.
    standing: Standing,
}

#[derive(Clone, Debug, Serialize)]
struct Attempt {
    process: Process,
    args_hash: Sha256,
    /// It was told to end, and is killed at this time.
    deadline: Option<Time>,
}

/// A supervised process and its spool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Process {
    /// Spawned; its supervisor has not claimed yet.
    Spawned,
    /// Claimed and running.
    Running,
    /// The exit record is written.
    Exited,
    /// The exit record is written, and names a signal.
    Killed,
    /// Claimed, and dead without an exit record.
    Dead,
    /// Recovery claimed first: nothing ran or ever will.
    Void,
    /// Spawned and killed before it claimed.
    Stillborn,
}

impl Process {
    fn is_over(self) -> bool {
        match self {
            Process::Spawned | Process::Running => false,
            Process::Exited | Process::Killed | Process::Dead | Process::Void | Process::Stillborn => true,
        }
    }
}

/// How processes of a scenario behave.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// Supervisors may die before they run anything.
    pub stillbirths: bool,
    /// What is told to end goes on until its deadline.
    pub stubborn: bool,
}

impl Outside {
    pub fn moves(&self, habits: Habits, now: Time, moves: &mut Vec<Move>) {
        for (slot, found) in &self.attempts {
            let heeds = |deadline: Time| !habits.stubborn || deadline <= now;
            let lives: &[Life] = match (found.process, found.deadline) {
                (Process::Spawned, _) if habits.stillbirths => &[Life::Claims, Life::Dies],
                (Process::Spawned, _) => &[Life::Claims],
                (Process::Running, Some(deadline)) if heeds(deadline) => &[Life::Exits, Life::Heeds],
                (Process::Running, _) => &[Life::Exits, Life::Dies],
                (Process::Exited | Process::Killed | Process::Dead | Process::Void | Process::Stillborn, _) => &[],
            };
            moves.extend(lives.iter().map(|life| Move::Process(*slot, *life)));
        }
    }

    /// When a supervisor kills what was told to end.
    pub fn deadlines(&self) -> impl Iterator<Item = Time> {
        self.attempts.values().filter(|found| found.process == Process::Running).filter_map(|found| found.deadline)
    }

    pub fn live(&mut self, slot: Slot, life: Life, monitor: &mut Monitor) -> Result<(), Violation> {
        let Some(found) = self.attempts.get(&slot) else { return Ok(()) };
        let next = match (found.process, life) {
            (Process::Spawned, Life::Claims) => {
                self.run(slot, found.args_hash, monitor)?;
                Process::Running
            }
            (Process::Spawned, Life::Dies) => Process::Stillborn,
            (Process::Running, Life::Exits) => Process::Exited,
            (Process::Running, Life::Heeds) => Process::Killed,
            (Process::Running, Life::Dies) => Process::Dead,
            (process, _) => process,
        };
        if let Some(found) = self.attempts.get_mut(&slot) {
            found.process = next;
        }
        Ok(())
    }

    /// The effect of a call happens now.
    pub fn run(&mut self, slot: Slot, args_hash: Sha256, monitor: &mut Monitor) -> Result<(), Violation> {
        let Slot { call, action, attempt } = slot;
        let is_other = |other: &Slot| other.call == call && *other != slot;
        let live = self.attempts.iter().any(|(other, found)| is_other(other) && found.process == Process::Running);
        monitor.acted(&Acted { action, attempt, args_hash, ran_before: self.ran(call, action), live })?;
        // More than two is no more wrong than two, and would keep equal worlds apart.
        let ran = self.ran.entry((call, action)).or_default();
        *ran = (*ran + 1).min(2);
        Ok(())
    }

    /// A rule is brought; the other stream takes it once.
    pub fn deliver(&mut self, delivery: &Delivery, from: &StreamId, monitor: &mut Monitor) -> Result<(), Violation> {
        let Parcel::Rule { rule, folder, ask, by } = delivery.parcel.clone();
        let said = Said::Add { rule, folder, from: RuleSource { stream: from.clone(), ask } };
        let Ok(draft) = self.standing.accept(&delivery.key, said, by) else { return Ok(()) };
        let event = Event { version: self.standing.version.next(), time: BEGIN, draft };
        let folded = self.standing.fold(&event);
        folded.map_err(|illegal| Violation::new(Invariant::ReachesRest, illegal.to_string()))?;
        monitor.arrived(&delivery.key)
    }

    #[must_use]
    pub fn ran(&self, call: CallId, action: ActionId) -> u16 {
        self.ran.get(&(call, action)).copied().unwrap_or_default()
    }

    #[must_use]
    pub fn process(&self, slot: Slot) -> Option<Process> {
        self.attempts.get(&slot).map(|found| found.process)
    }

    /// Whether a watcher of this attempt has nothing to do yet.
    #[must_use]
    pub fn runs(&self, slot: Slot) -> bool {
        self.process(slot).is_some_and(|process| !process.is_over())
    }

    /// Whether it listens to its control socket and was not told to end yet.
    #[must_use]
    pub fn can_be_told(&self, slot: Slot) -> bool {
        self.attempts.get(&slot).is_some_and(|found| found.process == Process::Running && found.deadline.is_none())
    }

    pub fn tell(&mut self, slot: Slot, deadline: Time) {
        if let Some(found) = self.attempts.get_mut(&slot) {
            found.deadline = Some(deadline);
        }
    }

    /// A supervisor is spawned, unless recovery has claimed the attempt already.
    pub fn spawn(&mut self, slot: Slot, args_hash: Sha256) {
        self.attempts.entry(slot).or_insert(Attempt { process: Process::Spawned, args_hash, deadline: None });
    }

    /// Recovery claims the attempt for itself: whatever was or would be spawned refuses to run.
    pub fn make_void(&mut self, slot: Slot, args_hash: Sha256) {
        self.attempts.insert(slot, Attempt { process: Process::Void, args_hash, deadline: None });
    }

    /// Drops what nobody can ask about any more, so that equal worlds look equal: ended processes of attempts that
    /// nobody works on, and counts of calls that nobody can run again.
    pub fn forget(&mut self, is_worked_on: impl Fn(ActionId, u16) -> bool, is_open: impl Fn(CallId) -> bool) {
        self.attempts.retain(|slot, attempt| !attempt.process.is_over() || is_worked_on(slot.action, slot.attempt));
        let attempts = &self.attempts;
        self.ran.retain(|(call, _), _| is_open(*call) || attempts.keys().any(|slot| slot.call == *call));
    }

    /// Actions with a process that has not ended.
    pub fn actions(&self) -> impl Iterator<Item = ActionId> {
        self.attempts.iter().filter(|(_, attempt)| !attempt.process.is_over()).map(|(slot, _)| slot.action)
    }
}
