//! Ending every process below the supervisor, or below the first process of a room, politely first.
//!
//! As a subreaper the supervisor is the parent of every orphan below it, so "no child left" means that nothing of
//! the command is left; in a room its first process is, and says so. Must not look at output or control.

use super::proc::{self, Process};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// Time between two rounds of SIGKILL: a tree that forks while it dies needs more than one.
const ROUND: Duration = Duration::from_millis(20);
/// Time after the first SIGKILL at which a process that the kernel cannot end is left alone.
const GIVE_UP: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Tree {
    /// The process below which everything is to end.
    root: Pid,
    /// Set once the tree is to end.
    ending: Option<Ending>,
    /// Handles of signalled processes; they wake the loop when these end.
    pub dying: Vec<OwnedFd>,
    /// Nothing is left below the supervisor.
    pub gone: bool,
}

#[derive(Debug)]
struct Ending {
    kill_at: Instant,
    give_up_at: Option<Instant>,
    /// Whoever was asked to end, by number and start; a second SIGTERM means something else to some programs.
    asked: BTreeSet<(i32, u64)>,
}

impl Tree {
    pub(super) fn below(root: Pid) -> Tree {
        Tree { root, ending: None, dying: Vec::new(), gone: false }
    }

    pub(super) fn is_ending(&self) -> bool {
        self.ending.is_some()
    }

    /// Asks everything to end now and forces it after the grace; of several graces the shortest counts.
    pub(super) fn end(&mut self, now: Instant, grace: Duration) {
        let kill_at = now + grace;
        match &mut self.ending {
            Some(ending) => ending.kill_at = ending.kill_at.min(kill_at),
            None => {
                self.ending = Some(Ending { kill_at, give_up_at: None, asked: BTreeSet::new() });
                self.ask();
            }
        }
    }

    /// Asks everything to end that was not asked yet. To be called again when one that was asked has ended: it may have
    /// left a child that it made meanwhile, and nobody would tell that one until it is forced.
    pub(super) fn ask(&mut self) {
        let Some(ending) = self.ending.as_mut().filter(|ending| ending.give_up_at.is_none()) else { return };
        for process in descendants(self.root) {
            if ending.asked.insert((process.pid, process.start)) {
                self.dying.extend(proc::signal(&process, Signal::TERM));
            }
        }
    }

    /// Forces what was to end by now; `false` when it is time to give up.
    pub(super) fn press(&mut self, now: Instant) -> bool {
        match &mut self.ending {
            Some(ending) if now >= ending.kill_at => {
                ending.kill_at = now + ROUND;
                let give_up_at = *ending.give_up_at.get_or_insert(now + GIVE_UP);
                self.dying = descendants(self.root).iter().filter_map(|process| proc::signal(process, Signal::KILL)).collect();
                now < give_up_at
            }
            Some(_) | None => true,
        }
    }

    pub(super) fn next_press(&self) -> Option<Instant> {
        self.ending.as_ref().map(|ending| ending.kill_at)
    }

    /// Takes note of every child that ended; gives the status of `main` if it is among them.
    pub(super) fn reap(&mut self, main: Pid) -> Option<WaitStatus> {
        let mut status = None;
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, ended))) if pid == main => status = Some(ended),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return status,
                Err(_) => {
                    self.gone = true;
                    return status;
                }
            }
        }
    }
}

fn descendants(root: Pid) -> Vec<Process> {
    proc::descendants(root.as_raw_pid())
}
