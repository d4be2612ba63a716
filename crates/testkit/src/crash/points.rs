//! Deaths at named points: of the program, of supervisors, of both, and again while somebody recovers.

use super::case::Case;
use super::desk::{Bench, Desk, Harm};
use super::fault::Fault;
use super::judge::judge;
use super::person::{DONE, Next, WAITING, say_yes, see_through};
use super::processes;
use std::fs;
use std::path::Path;

/// Points at which a recovery is killed: each of the first ones, where it finds out how things stand, and some later.
const AGAIN: [u64; 20] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 19, 23, 28, 36, 48, 64];
/// Of so many points one is tried with the death of supervisors too.
const BOTH_EVERY: usize = 6;

/// How many points the undisturbed job passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Points {
    /// Up to the ask.
    run: u64,
    /// After it.
    resume: u64,
    /// Of each supervisor.
    supervisor: u64,
}

impl Points {
    /// Runs the job undisturbed.
    pub fn measure(bench: &Bench) -> Result<Points, Vec<Fault>> {
        let desk = Desk::new(bench, "undisturbed").map_err(|fault| vec![fault])?;
        let points = measured(&desk).map_err(|fault| vec![fault])?;
        judge(&desk)?;
        Ok(points)
    }

    pub fn all(&self) -> u64 {
        self.of_owner() + self.supervisor
    }

    fn of_owner(&self) -> u64 {
        self.run + self.resume
    }

    pub fn cases(&self) -> Vec<Case> {
        (1..=self.of_owner()).map(Case::Point).chain((1..=self.supervisor).map(Case::Supervisor)).collect()
    }

    /// Every point is combined with one of the others, and these take turns.
    pub fn combined(&self) -> Vec<Case> {
        let again = (1..=self.of_owner()).zip(AGAIN.into_iter().cycle()).map(|(at, again)| Case::Recovery(at, again));
        let both = (1..=self.of_owner()).step_by(BOTH_EVERY).zip((1..=self.supervisor).cycle());
        again.chain(both.map(|(at, supervisor)| Case::Both(at, supervisor))).collect()
    }

    /// Which process of the undisturbed job passes the point, and as its which.
    fn place(&self, at: u64) -> (usize, u64) {
        if at <= self.run { (0, at) } else { (1, at - self.run) }
    }

    /// The program dies once.
    pub fn once(&self, desk: &Desk<'_>, at: u64) -> Result<(), Fault> {
        let (process, at) = self.place(at);
        see_through(desk, Next::Run, |number| if number == process { owner(at) } else { Harm::None })
    }

    /// The program dies, and whoever recovers dies too.
    pub fn again(&self, desk: &Desk<'_>, at: u64, again: u64) -> Result<(), Fault> {
        let (process, at) = self.place(at);
        see_through(desk, Next::Run, |number| match number.checked_sub(process) {
            Some(0) => owner(at),
            Some(1) => owner(again),
            Some(_) | None => Harm::None,
        })
    }

    /// The program dies, and so do the supervisors that it started.
    pub fn with_supervisors(&self, desk: &Desk<'_>, at: u64, supervisor: u64) -> Result<(), Fault> {
        let (process, at) = self.place(at);
        let both = Harm::At { owner: Some(at), supervisor: Some(supervisor) };
        see_through(desk, Next::Run, |number| if number == process { both.clone() } else { Harm::None })
    }
}

/// Every supervisor dies.
pub fn supervisors(desk: &Desk<'_>, at: u64) -> Result<(), Fault> {
    see_through(desk, Next::Run, |_| Harm::At { owner: None, supervisor: Some(at) })
}

fn owner(at: u64) -> Harm {
    Harm::At { owner: Some(at), supervisor: None }
}

fn measured(desk: &Desk<'_>) -> Result<Points, Fault> {
    let lists = ["run", "resume", "supervisor"].map(|name| desk.root.join(format!("points-{name}")));
    let [run, resume, supervisor] = &lists;
    let mut first = desk.command(desk.run_words());
    first.env("CRASH_LIST", run).env("CRASH_LIST_SUPERVISOR", supervisor);
    let said = desk.start(first)?.wait()?;
    if said.status.code() != Some(WAITING) {
        return Err(Fault::Wrong(format!("undisturbed, the job did not ask: {}", said.told())));
    }
    say_yes(desk)?;
    let mut second = desk.command(desk.resume_words());
    second.env("CRASH_LIST", resume);
    let said = desk.start(second)?.wait()?;
    if said.status.code() != Some(DONE) {
        return Err(Fault::Wrong(format!("undisturbed, the job did not end: {}", said.told())));
    }
    processes::until_none(&desk.root)?;
    // Every line begins with the number of the point; several supervisors write one list.
    let last = |list: &Path| -> Result<u64, Fault> {
        let text = fs::read_to_string(list)?;
        Ok(text.lines().filter_map(|line| line.split(' ').next()?.parse().ok()).max().unwrap_or_default())
    };
    Ok(Points { run: last(run)?, resume: last(resume)?, supervisor: last(supervisor)? })
}
