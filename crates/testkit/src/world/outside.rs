//! Tools as the world has them: what ran, what runs under a supervisor, and what a probe would find.

use super::{Life, Move};
use crate::monitor::{Monitor, Violation};
use contract::id::{ActionId, CallId};
use serde::Serialize;
use std::collections::BTreeMap;

/// By call and not by action, because the order of actions is the order of their hashes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Outside {
    attempts: BTreeMap<(CallId, u16), Attempt>,
    /// How often the effect of a call happened.
    ran: BTreeMap<CallId, u16>,
}

#[derive(Clone, Debug, Serialize)]
struct Attempt {
    action: ActionId,
    process: Process,
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
            Process::Exited | Process::Dead | Process::Void | Process::Stillborn => true,
        }
    }
}

impl Outside {
    pub fn moves(&self, stillbirths: bool, moves: &mut Vec<Move>) {
        for ((call, attempt), found) in &self.attempts {
            let lives: &[Life] = match found.process {
                Process::Spawned if stillbirths => &[Life::Claims, Life::Dies],
                Process::Spawned => &[Life::Claims],
                Process::Running => &[Life::Exits, Life::Dies],
                Process::Exited | Process::Dead | Process::Void | Process::Stillborn => &[],
            };
            moves.extend(lives.iter().map(|life| Move::Process(*call, *attempt, *life)));
        }
    }

    pub fn live(&mut self, call: CallId, attempt: u16, life: Life, monitor: &mut Monitor) -> Result<(), Violation> {
        let Some(found) = self.attempts.get(&(call, attempt)) else { return Ok(()) };
        let action = found.action;
        let next = match (found.process, life) {
            (Process::Spawned, Life::Claims) => {
                self.run(call, action, attempt, monitor)?;
                Process::Running
            }
            (Process::Spawned, Life::Dies) => Process::Stillborn,
            (Process::Running, Life::Exits) => Process::Exited,
            (Process::Running, Life::Dies) => Process::Dead,
            (process, _) => process,
        };
        self.set(call, action, attempt, next);
        Ok(())
    }

    /// The effect of a call happens now.
    pub fn run(&mut self, call: CallId, action: ActionId, attempt: u16, monitor: &mut Monitor) -> Result<(), Violation> {
        let live =
            self.attempts.iter().any(|((other, number), found)| *other == call && *number != attempt && found.process == Process::Running);
        monitor.effect(action, attempt, self.ran(call), live)?;
        // More than two is no more wrong than two, and would keep equal worlds apart.
        let ran = self.ran.entry(call).or_default();
        *ran = (*ran + 1).min(2);
        Ok(())
    }

    #[must_use]
    pub fn ran(&self, call: CallId) -> u16 {
        self.ran.get(&call).copied().unwrap_or_default()
    }

    #[must_use]
    pub fn process(&self, call: CallId, attempt: u16) -> Option<Process> {
        self.attempts.get(&(call, attempt)).map(|found| found.process)
    }

    /// Whether a watcher of this attempt has nothing to do yet.
    #[must_use]
    pub fn runs(&self, call: CallId, attempt: u16) -> bool {
        self.process(call, attempt).is_some_and(|process| !process.is_over())
    }

    /// A supervisor is spawned, unless recovery has claimed the attempt already.
    pub fn spawn(&mut self, call: CallId, action: ActionId, attempt: u16) {
        if self.process(call, attempt).is_none() {
            self.set(call, action, attempt, Process::Spawned);
        }
    }

    /// Recovery claims the attempt for itself: whatever was or would be spawned refuses to run.
    pub fn make_void(&mut self, call: CallId, attempt: u16, action: Option<ActionId>) {
        if let Some(action) = action {
            self.set(call, action, attempt, Process::Void);
        }
    }

    /// Drops what nobody can ask about any more, so that equal worlds look equal: ended processes of attempts that
    /// nobody works on, and counts of calls that nobody can run again.
    pub fn forget(&mut self, is_worked_on: impl Fn(ActionId, u16) -> bool, is_open: impl Fn(CallId) -> bool) {
        self.attempts.retain(|(_, number), attempt| !attempt.process.is_over() || is_worked_on(attempt.action, *number));
        let attempts = &self.attempts;
        self.ran.retain(|call, _| is_open(*call) || attempts.keys().any(|(other, _)| other == call));
    }

    /// Actions with a process that has not ended.
    pub fn actions(&self) -> impl Iterator<Item = ActionId> {
        self.attempts.values().filter(|attempt| !attempt.process.is_over()).map(|attempt| attempt.action)
    }

    fn set(&mut self, call: CallId, action: ActionId, attempt: u16, process: Process) {
        self.attempts.insert((call, attempt), Attempt { action, process });
    }
}
