//! The coding job under `kill -9` at random moments, until it has come to its end.
//!
//! Three things can be killed. The process and its process group are what people and schedulers kill: supervisors stand in
//! sessions of their own, so both leave every outcome known, and each line is there once. Everything at once, as when a
//! container is ended, takes the supervisors too: then a command may have an outcome that nobody knows, or be seen to fail
//! if it died before its supervisor. Either is told to the model and nothing is run again: a line may be missing only where
//! the log does not say that its command was done, and is never doubled.
//!
//! `CODING_KILLS` is the number of jobs, `CODING_SEED` the first of their seeds.

use super::job::Lines;
use super::{Bench, checkout};
use crate::process;
use crate::providers::PROTOCOLS;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ExitStatus};
use testkit::dice::Dice;
use testkit::threads::in_threads;
use testkit::until::until;

/// Jobs unless told otherwise.
const SEEDS_DEFAULT: u64 = 20;
/// Jobs whose supervisors die too, for each of the others.
const SEEDS_PER_WHOLE: u64 = 4;
/// Jobs at the same time for each core: half of the time a job waits for another process.
const JOBS_PER_CORE: usize = 2;
/// Kills of one job at most.
const KILLS_MAX: usize = 6;
/// Of the processes that go on with a job this share is not killed: one of so many.
const SPARED_ONE_OF: u64 = 5;
/// How far a process comes before it is killed: each at most about a third of the job, so that most jobs are hit several times.
const PRINTED_MAX: u64 = 60;
const ASKED_MAX: u64 = 8;
const APPENDED_MAX: u64 = 3;
/// Not found, which is what a resume says when the job died before it was in the log.
const NOT_FOUND: i32 = 8;

/// Who is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whom {
    Process,
    Group,
    /// Everything of this desk, these before the others.
    Everything(First),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Driver,
    Supervisors,
    Commands,
}

/// When it is killed, counted from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// It has printed so many lines.
    Printed(usize),
    /// It has asked the model so many times.
    Asked(usize),
    /// Commands have appended so many lines since, whoever started them.
    Appended(usize),
}

impl Moment {
    fn roll(dice: &mut Dice) -> Moment {
        let mut up_to = |max: u64| dice.below(max) as usize + 1;
        match up_to(4) {
            1 => Moment::Asked(up_to(ASKED_MAX)),
            2 => Moment::Appended(up_to(APPENDED_MAX)),
            _ => Moment::Printed(up_to(PRINTED_MAX)),
        }
    }
}

/// How one job went.
#[derive(Debug)]
struct Went {
    seed: u64,
    kills: usize,
    lines: Lines,
    faults: Vec<String>,
}

#[test]
fn killed_at_random_every_step_of_a_coding_job_happens_once_and_in_order() {
    let all = all_jobs(seeds(), |dice| if dice.below(2) == 0 { Whom::Process } else { Whom::Group });
    let bad: Vec<&Went> = all.iter().filter(|went| (went.lines.unknown, went.lines.failed) != (0, 0)).collect();
    assert!(bad.is_empty(), "supervisors lived, so every command ended well and that is known: {bad:?}");
}

#[test]
fn killed_with_its_supervisors_a_coding_job_repeats_nothing_and_says_what_nobody_knows() {
    all_jobs(seeds().div_ceil(SEEDS_PER_WHOLE), |dice| {
        Whom::Everything([First::Driver, First::Supervisors, First::Commands][dice.below(3) as usize])
    });
}

fn seeds() -> u64 {
    number("CODING_KILLS", SEEDS_DEFAULT)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, which is no number")))
}

/// Runs so many jobs and tells how they went; the printed line is for people and scripts.
#[expect(clippy::print_stdout, reason = "the line is part of the proof")]
fn all_jobs(count: u64, whom: impl Fn(&mut Dice) -> Whom + Sync) -> Vec<Went> {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("tally");
    checkout::make(&project);
    let first = number("CODING_SEED", 1);
    let seeds: Vec<u64> = (first..first + count).collect();
    let threads = JOBS_PER_CORE * std::thread::available_parallelism().map_or(1, usize::from);
    let all = in_threads(threads, &seeds, |seed| job(&project, *seed, &whom));
    let sum = |of: fn(&Went) -> usize| all.iter().map(of).sum::<usize>();
    let (kills, lost, doubled) = (sum(|went| went.kills), sum(|went| went.lines.lost), sum(|went| went.lines.doubled));
    let more = match (sum(|went| went.lines.unknown), sum(|went| went.lines.failed)) {
        (0, 0) => String::new(),
        (unknown, failed) => format!(" unknown {unknown} failed {failed}"),
    };
    println!("coding: seeds {count} kills {kills} lost {lost} doubled {doubled}{more}");
    for went in &all {
        let lines = (went.lines.lost, went.lines.doubled);
        assert!(
            went.faults.is_empty() && lines == (0, 0),
            "seed {}, {} kills: {:?}\n{}",
            went.seed,
            went.kills,
            went.lines,
            went.faults.join("\n")
        );
    }
    assert!(kills > 0, "somebody was killed");
    all
}

/// Sees one job through. The first process is always to be killed, and after a kill most of those that go on.
fn job(project: &Path, seed: u64, whom: impl Fn(&mut Dice) -> Whom) -> Went {
    let mut dice = Dice::new(seed, seed);
    let bench = Bench::new(project, PROTOCOLS[dice.below(PROTOCOLS.len() as u64) as usize]);
    let (run, resume) = (bench.run_args().to_vec(), vec!["resume", "--last", "--json"]);
    let (mut kills, mut starts) = (0, 0);
    let mut words = &run;
    loop {
        let spared = kills == KILLS_MAX || (starts > 0 && dice.below(SPARED_ONE_OF) == 0);
        let harm = (!spared).then(|| (Moment::roll(&mut dice), whom(&mut dice)));
        let ended = suffer(&bench, words, starts, harm);
        starts += 1;
        match ended.code() {
            Some(0) => break,
            Some(NOT_FOUND) if words == &resume => words = &run,
            None if ended.signal() == Some(Signal::KILL.as_raw()) => {
                kills += 1;
                words = &resume;
            }
            code => panic!("seed {seed}: process {starts} ended with {code:?}: {}", told(&bench, starts - 1)),
        }
    }
    let (faults, lines) = bench.judge();
    Went { seed, kills, lines, faults }
}

/// Runs the program until it is gone.
fn suffer(bench: &Bench, words: &[&str], number: usize, harm: Option<(Moment, Whom)>) -> ExitStatus {
    let [stdout, stderr] = ["stdout", "stderr"].map(|kind| bench.desk.root.join(format!("killed-{kind}-{number}")));
    let mut command = bench.desk.command(words);
    command.envs(bench.variables()).process_group(0);
    let mut child = command.stdout(File::create(&stdout).unwrap()).stderr(File::create(stderr).unwrap()).spawn().unwrap();
    let appended = || bench.desk.read(super::job::JOURNAL).lines().count();
    let (asked_before, appended_before) = (bench.provider.asked(), appended());
    let has_come = |moment: Moment| match moment {
        Moment::Printed(lines) => fs::read(&stdout).unwrap().iter().filter(|byte| **byte == b'\n').count() >= lines,
        Moment::Asked(times) => bench.provider.asked() >= asked_before + times,
        Moment::Appended(lines) => appended() >= appended_before + lines,
    };
    until("the program ends or is to be killed", || {
        let ended = child.try_wait().unwrap();
        let is_time = harm.filter(|(moment, _)| has_come(*moment));
        match (ended, is_time) {
            (Some(status), _) => Some(status),
            (None, Some((_, whom))) => Some(kill(bench, &mut child, whom)),
            (None, None) => None,
        }
    })
}

fn kill(bench: &Bench, child: &mut Child, whom: Whom) -> ExitStatus {
    match whom {
        Whom::Process => child.kill().unwrap(),
        // It may have ended meanwhile, but it is not reaped: its number is still its own.
        Whom::Group => kill_process_group(Pid::from_child(child), Signal::KILL).unwrap(),
        Whom::Everything(first) => {
            match first {
                First::Driver => child.kill().unwrap(),
                First::Supervisors => kill_below(bench, &bench.desk.home.join("spool")),
                First::Commands => kill_below(bench, &bench.desk.work),
            }
            process::kill_all(&bench.desk.root);
        }
    }
    child.wait().unwrap()
}

fn kill_below(bench: &Bench, folder: &Path) {
    let all = bench.desk.living();
    all.iter().filter(|found| found.folder.starts_with(folder)).for_each(|found| process::signal(found.pid, Signal::KILL));
}

fn told(bench: &Bench, number: usize) -> String {
    fs::read_to_string(bench.desk.root.join(format!("killed-stderr-{number}"))).unwrap_or_default()
}
