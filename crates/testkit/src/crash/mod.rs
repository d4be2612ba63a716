//! The proof on the real binary: a job whose effects are counted in another process, killed at every place.
//!
//! It tries the `thru` beside it, or `--thru BINARY`, which must have been built with the feature `crash-points`.
//! `--only CASE` tries one case by the name that a failure prints. `CRASH_RANDOM` is the number of jobs that are killed at
//! random, `CRASH_SEED` chooses the moments.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its lines are its purpose; scripts read them")]

mod case;
mod counter;
mod desk;
mod disk;
mod fault;
mod history;
mod job;
mod judge;
mod pair;
mod person;
mod points;
mod processes;
mod random;
mod stored;

use crate::threads::in_threads;
use case::Case;
use counter::Counter;
use desk::{Bench, Desk};
use fault::Fault;
use history::History;
use points::Points;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Cases at the same time for each core: half of the time a case waits for a disk or for another process.
const CASES_PER_CORE: usize = 2;
/// Points below which the job proves too little.
const POINTS_MIN: u64 = 100;
/// Random kills unless told otherwise.
const RANDOM_DEFAULT: u64 = 50;
const SEED_DEFAULT: u64 = 1;
/// Cases that may fail before no more are tried: a program that is broken everywhere says nothing new.
const FAILURES_MAX: usize = 12;

/// What is asked for.
struct Wish {
    thru: PathBuf,
    only: Option<Case>,
    random: u64,
    seed: u64,
}

/// How it went.
#[derive(Default)]
struct Found {
    runs: usize,
    failed: Vec<(Case, Vec<Fault>)>,
}

/// What the cases are made from.
struct Stage {
    bench: Bench,
    points: Points,
    history: History,
    threads: usize,
    seed: u64,
}

pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [name, rest @ ..] if Path::new(name).file_name() == Some(OsStr::new(counter::CLIENT)) => counter::client(rest),
        [_, counter::DAEMON, folder] => counter::serve(Path::new(folder)).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS),
        [_, rest @ ..] => match wish(rest) {
            Ok(wish) => prove(&wish),
            Err(error) => {
                eprintln!("crash: {error}\nusage: crash [--thru BINARY] [--only CASE]");
                ExitCode::from(2)
            }
        },
        [] => ExitCode::from(2),
    }
}

fn wish(words: &[&str]) -> Result<Wish, String> {
    let number = |name: &str, default: u64| match std::env::var(name) {
        Ok(text) => text.parse().map_err(|_| format!("{name} is `{text}`, which is no number")),
        Err(_) => Ok(default),
    };
    let (thru, only) = match words {
        [] => (None, None),
        ["--thru", thru] => (Some(*thru), None),
        ["--only", case] => (None, Some(case.parse()?)),
        ["--thru", thru, "--only", case] => (Some(*thru), Some(case.parse()?)),
        _ => return Err("it does not know what to do".to_owned()),
    };
    let beside = || Ok(std::env::current_exe()?.with_file_name("thru"));
    let thru = thru.map_or_else(beside, |thru| Path::new(thru).canonicalize()).map_err(|error| format!("no binary: {error}"))?;
    Ok(Wish { thru, only, random: number("CRASH_RANDOM", RANDOM_DEFAULT)?, seed: number("CRASH_SEED", SEED_DEFAULT)? })
}

fn prove(wish: &Wish) -> ExitCode {
    let began = Instant::now();
    let stage = match Stage::set(wish) {
        Ok(stage) => stage,
        Err(faults) => {
            faults.iter().for_each(|fault| println!("crash: nothing was tried: {fault}"));
            return ExitCode::FAILURE;
        }
    };
    let mut found = Found::default();
    for (name, cases) in stage.plan(wish) {
        let began = Instant::now();
        let so_far = |found: &Found| (found.runs, found.failed.len(), stage.bench.kills.load(Ordering::Relaxed));
        let before = so_far(&found);
        stage.run_all(&cases, &mut found);
        let after = so_far(&found);
        let (runs, failed, kills) = (after.0 - before.0, after.1 - before.1, after.2 - before.2);
        let seconds = began.elapsed().as_secs();
        println!("{name}: {runs} of {} cases, {kills} kills, {failed} failed ({seconds} s)", cases.len());
    }
    println!("it took {} s", began.elapsed().as_secs());
    let passed = stage.tell(wish, &found);
    if passed {
        // What is left of it has no meaning any more.
        let _ = fs::remove_dir_all(&stage.bench.top);
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

impl Stage {
    fn set(wish: &Wish) -> Result<Stage, Vec<Fault>> {
        let one = |fault: Fault| vec![fault];
        let bench = lay_out(&wish.thru).map_err(one)?;
        let points = Points::measure(&bench)?;
        let threads = CASES_PER_CORE * std::thread::available_parallelism().map_or(1, usize::from);
        let history = History::take(&bench, threads).map_err(one)?;
        Ok(Stage { bench, points, history, threads, seed: wish.seed })
    }

    fn plan(&self, wish: &Wish) -> Vec<(String, Vec<Case>)> {
        if let Some(only) = wish.only {
            return vec![(only.to_string(), vec![only])];
        }
        let read_only = if disk::can_be_read_only() { disk::READ_ONLY.to_vec() } else { Vec::new() };
        if read_only.is_empty() {
            println!("a read-only disk is not tried: this machine allows no mount namespace");
        }
        vec![
            ("every point".to_owned(), self.points.cases()),
            ("every point, then another".to_owned(), self.points.combined()),
            (format!("random kills, seed {}", wish.seed), (1..=wish.random).map(Case::Random).collect()),
            ("one of two processes".to_owned(), vec![Case::Pair(0), Case::Pair(1)]),
            ("torn write-ahead log".to_owned(), self.history.torn()),
            ("going on from a torn log".to_owned(), self.history.rewound()),
            ("flipped byte of the database".to_owned(), self.history.flipped()),
            ("full disk".to_owned(), disk::FULL_KIB.map(Case::Full).to_vec()),
            ("read-only disk".to_owned(), read_only.into_iter().map(Case::ReadOnly).collect()),
        ]
    }

    fn run_all(&self, cases: &[Case], found: &mut Found) {
        let failures = AtomicUsize::new(found.failed.len());
        let results = in_threads(self.threads, cases, |case| {
            if failures.load(Ordering::Relaxed) >= FAILURES_MAX {
                return None;
            }
            let result = self.run(*case);
            if let Err(faults) = &result {
                failures.fetch_add(1, Ordering::Relaxed);
                faults.iter().for_each(|fault| println!("  {case} {fault}"));
            }
            Some(result)
        });
        for (case, result) in cases.iter().zip(results) {
            let Some(result) = result else { continue };
            found.runs += 1;
            found.failed.extend(result.err().map(|faults| (*case, faults)));
        }
    }

    /// Runs one case; its folder stays when it failed.
    fn run(&self, case: Case) -> Result<(), Vec<Fault>> {
        let one = |fault: Fault| vec![fault];
        let name = case.to_string();
        let judged = |work: &dyn Fn(&Desk<'_>) -> Result<(), Fault>| {
            let desk = Desk::new(&self.bench, &name).map_err(one)?;
            work(&desk).map_err(one)?;
            judge::judge(&desk)
        };
        let (bench, points, history) = (&self.bench, &self.points, &self.history);
        match case {
            Case::Point(at) => judged(&|desk| points.once(desk, at))?,
            Case::Supervisor(at) => judged(&|desk| points::supervisors(desk, at))?,
            Case::Both(at, supervisor) => judged(&|desk| points.with_supervisors(desk, at, supervisor))?,
            Case::Recovery(at, again) => judged(&|desk| points.again(desk, at, again))?,
            Case::Random(number) => judged(&|desk| random::run(desk, self.seed, number))?,
            Case::Full(kib) => judged(&|desk| disk::full(desk, kib))?,
            Case::ReadOnly(when) => judged(&|desk| disk::read_only(desk, when))?,
            Case::Pair(which) => pair::run(bench, which).map_err(one)?,
            Case::Cut(bytes) => history.cut(bench, case, bytes).map_err(one)?,
            Case::WalFlip(at) => history.flip_in_wal(bench, case, at).map_err(one)?,
            Case::Rewound(end) => history.rewind(bench, case, end).map_err(one)?,
            Case::Flip(at) => history.flip_in_database(bench, case, at).map_err(one)?,
        }
        fs::remove_dir_all(self.bench.folder(&name)).map_err(|error| one(error.into()))
    }

    /// Prints how it went; the last line is the one that scripts read.
    fn tell(&self, wish: &Wish, found: &Found) -> bool {
        if let Some((case, faults)) = found.failed.first() {
            println!("the first failure is {case}:");
            faults.iter().for_each(|fault| println!("  {fault}"));
            println!("  its folder: {}", self.bench.folder(&case.to_string()).display());
            println!("  again: CRASH_SEED={} crash --thru {} --only {case}", wish.seed, wish.thru.display());
        }
        let points = self.points.all();
        let enough = points >= POINTS_MIN || wish.only.is_some();
        if !enough {
            println!("the job passes {points} points, and {POINTS_MIN} are needed");
        }
        let count = |is: fn(&Fault) -> bool| found.failed.iter().flat_map(|(_, faults)| faults).filter(|fault| is(fault)).count();
        let lost = count(|fault| matches!(fault, Fault::Lost(_)));
        let doubled = count(|fault| matches!(fault, Fault::Doubled(_)));
        let stuck = count(|fault| matches!(fault, Fault::Stuck(_)));
        let wrong = count(|fault| matches!(fault, Fault::Wrong(_)));
        let more = if wrong > 0 { format!(" wrong {wrong}") } else { String::new() };
        println!("crash: points {points} runs {} lost {lost} doubled {doubled} stuck {stuck}{more}", found.runs);
        enough && found.failed.is_empty()
    }
}

/// Makes the folder of all cases, with the counter and the program that commands call to be counted.
fn lay_out(thru: &Path) -> Result<Bench, Fault> {
    let top = std::env::temp_dir().canonicalize()?.join(format!("crash-{}", std::process::id()));
    let (bin, arrivals) = (top.join("bin"), top.join("counter"));
    fs::create_dir_all(&bin)?;
    fs::create_dir_all(&arrivals)?;
    std::os::unix::fs::symlink(std::env::current_exe()?, bin.join(counter::CLIENT))?;
    Ok(Bench { thru: thru.to_owned(), counter: Counter::start(&arrivals)?, top, bin, kills: AtomicUsize::new(0) })
}
