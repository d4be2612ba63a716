//! A finished job whose whole history is still in the write-ahead log, opened as every kind of torn disk would leave it.
//!
//! A torn log may lack its end, back to the last transaction that is whole. It may never be refused, have a hole, or
//! hold anything that was not written.

use super::case::Case;
use super::desk::{Bench, Desk, Harm};
use super::fault::Fault;
use super::job::COMMANDS;
use super::person::{CONFIGURATION, DONE, FAILED, Next, see_through};
use super::stored::{self, DATABASE, Frame, WAL};
use crate::dice::Dice;
use crate::threads::in_threads;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of the database of which one is flipped.
const FLIP_EVERY: u64 = 512;
/// Of so many transactions one is where the job goes on.
const REWIND_EVERY: usize = 3;

#[derive(Debug)]
pub struct History {
    /// The data folder without its write-ahead log.
    before: PathBuf,
    wal: Vec<u8>,
    frames: Vec<Frame>,
    /// What was known after each transaction, by where that ends in the log.
    known: Vec<(u64, Known)>,
    /// Events of the whole job.
    events: Vec<String>,
    /// The data folder with all of it in the database.
    after: PathBuf,
    /// What that database holds.
    contents: Vec<String>,
}

/// How much of the job there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    events: u64,
    hash: String,
}

impl History {
    pub fn take(bench: &Bench, threads: usize) -> Result<History, Fault> {
        let desk = Desk::new(bench, "history")?;
        // The database is there before the job, so that all of the job is in its write-ahead log.
        let said = desk.thru(&["run", "--key", "first", "--model", "script:/dev/null", "Begin"])?;
        if said.status.code() != Some(DONE) {
            return Err(Fault::Wrong(format!("a job without a script: {}", said.told())));
        }
        let kept = stored::keep_open(&desk.home)?;
        let mut words = desk.run_words();
        words.splice(1..1, ["--mode".into(), "full".into()]);
        let said = desk.suffer(&words, &Harm::None)?;
        if said.status.code() != Some(DONE) {
            return Err(Fault::Wrong(format!("a job that nobody is asked about: {}", said.told())));
        }
        let [before, after] = ["before", "after"].map(|name| desk.root.join(name));
        let wal = fs::read(desk.home.join(WAL))?;
        stored::copy(&desk.home, &before)?;
        drop(kept);
        let events = desk.events()?;
        stored::copy(&desk.home, &after)?;
        let contents = stored::contents(&after.join(DATABASE))?;
        let frames = stored::frames(&wal);
        let mut history = History { before, wal, frames, known: Vec::new(), events, after, contents };
        history.known = history.learn(bench, threads)?;
        Ok(history)
    }

    /// Opens the log at the end of every transaction: nothing that was there before may be missing.
    fn learn(&self, bench: &Bench, threads: usize) -> Result<Vec<(u64, Known)>, Fault> {
        let ends: Vec<u64> = [0].into_iter().chain(self.frames.iter().filter(|frame| frame.commits).map(|frame| frame.end)).collect();
        let known = in_threads(threads, &ends, |end| {
            let desk = self.opened(bench, &format!("known-{end}"), *end, None)?;
            let (known, events) = (self.known_by(&desk)?, if *end == 0 { Vec::new() } else { desk.events().unwrap_or_default() });
            if events.len() as u64 != known.events || !self.events.starts_with(&events) {
                return Err(Fault::Lost(format!("with {end} bytes of the log: {known:?}, {} events are read", events.len())));
            }
            fs::remove_dir_all(&desk.root)?;
            Ok((*end, known))
        });
        let known = known.into_iter().collect::<Result<Vec<_>, Fault>>()?;
        let grows = known.is_sorted_by_key(|(_, known)| known.events);
        match known.last() {
            Some((_, last)) if grows && last.events == self.events.len() as u64 => Ok(known),
            _ => Err(Fault::Lost(format!("of {} events: {known:?}", self.events.len()))),
        }
    }

    pub fn torn(&self) -> Vec<Case> {
        let mut dice = Dice::new(0, 0);
        let borders = [0, stored::FIRST_FRAME].into_iter().chain(self.frames.iter().map(|frame| frame.end)).map(Case::Cut);
        let begin = |frame: &Frame| frame.end - frame.bytes;
        let mut inside: Vec<Case> = Vec::new();
        for frame in &self.frames {
            inside.push(Case::Cut(begin(frame) + 1 + dice.below(stored::FRAME_HEADER)));
            inside.push(Case::Cut(frame.end - 1 - dice.below(frame.bytes - stored::FRAME_HEADER - 1)));
            inside.push(Case::WalFlip(begin(frame) + dice.below(frame.bytes)));
        }
        let header = (0..stored::FIRST_FRAME).step_by(8).map(Case::WalFlip);
        borders.chain(inside).chain(header).collect()
    }

    pub fn rewound(&self) -> Vec<Case> {
        self.known.iter().step_by(REWIND_EVERY).map(|(end, _)| Case::Rewound(*end)).collect()
    }

    pub fn flipped(&self) -> Vec<Case> {
        let mut dice = Dice::new(0, 1);
        let bytes = fs::metadata(self.after.join(DATABASE)).map_or(0, |metadata| metadata.len());
        (0..bytes).step_by(FLIP_EVERY as usize).map(|at| Case::Flip(at + dice.below(FLIP_EVERY))).collect()
    }

    /// A data folder whose write-ahead log has so many bytes, one of which may be another.
    fn opened<'a>(&self, bench: &'a Bench, name: &str, bytes: u64, flip: Option<u64>) -> Result<Desk<'a>, Fault> {
        let desk = Desk::new(bench, name)?;
        stored::copy(&self.before, &desk.home)?;
        let mut wal = self.wal.get(..bytes as usize).unwrap_or(&self.wal).to_vec();
        flip.and_then(|at| wal.get_mut(at as usize)).into_iter().for_each(|byte| *byte ^= 0x10);
        fs::write(desk.home.join(WAL), wal)?;
        Ok(desk)
    }

    fn known_by(&self, desk: &Desk<'_>) -> Result<Known, Fault> {
        let streams = desk.verified()?;
        let ours = streams.iter().find(|stream| stream["stream"] == desk.session.as_str());
        let known = |stream: &Value| Some(Known { events: stream["events"].as_u64()?, hash: stream["hash"].as_str()?.to_owned() });
        Ok(ours.and_then(known).unwrap_or_default())
    }

    /// The log ends after so many bytes.
    pub fn cut(&self, bench: &Bench, case: Case, bytes: u64) -> Result<(), Fault> {
        self.opens_as(bench, case, bytes, None, bytes)
    }

    /// A byte of the log is another: its frame and all that follow do not count.
    pub fn flip_in_wal(&self, bench: &Bench, case: Case, at: u64) -> Result<(), Fault> {
        let frame = self.frames.iter().find(|frame| at < frame.end);
        let whole = frame.map_or(0, |frame| frame.end - frame.bytes).min(at);
        self.opens_as(bench, case, self.wal.len() as u64, Some(at), whole)
    }

    /// What is found must be what was known at the last transaction that is whole.
    fn opens_as(&self, bench: &Bench, case: Case, bytes: u64, flip: Option<u64>, whole: u64) -> Result<(), Fault> {
        let desk = self.opened(bench, &case.to_string(), bytes, flip)?;
        let expected = self.known.iter().rfind(|(end, _)| *end <= whole).map(|(_, known)| known.clone()).unwrap_or_default();
        let found = self.known_by(&desk)?;
        if found == expected { Ok(()) } else { Err(Fault::Lost(format!("known is {found:?}, and it was {expected:?}"))) }
    }

    /// The job goes on from there. What it forgot it may do again, but nothing twice from here on.
    pub fn rewind(&self, bench: &Bench, case: Case, end: u64) -> Result<(), Fault> {
        let desk = self.opened(bench, &case.to_string(), end, None)?;
        see_through(&desk, Next::Resume, |_| Harm::None)?;
        let tally = bench.counter.tally(&desk.case)?;
        if let Some((step, times)) = tally.iter().find(|(_, times)| **times > 1) {
            return Err(Fault::Doubled(format!("step {step} arrived {times} times")));
        }
        let events = desk.events()?;
        let kept = self.known.iter().rfind(|(at, _)| *at <= end).map_or(0, |(_, known)| known.events as usize);
        if self.events.get(..kept) != events.get(..kept) {
            return Err(Fault::Lost(format!("the first {kept} events are not what they were")));
        }
        let missing = COMMANDS.iter().find(|(_, command)| !events.iter().any(|event| event.contains(command)));
        desk.verified()?;
        missing.map_or(Ok(()), |(step, _)| Err(Fault::Lost(format!("step {step} is not in the log"))))
    }

    /// A changed byte is refused, or it is one that means nothing.
    pub fn flip_in_database(&self, bench: &Bench, case: Case, at: u64) -> Result<(), Fault> {
        let desk = Desk::new(bench, &case.to_string())?;
        stored::copy(&self.after, &desk.home)?;
        let flipped = flip(&desk.home.join(DATABASE), at)?;
        let said = desk.thru(&["verify"])?;
        match said.status.code() {
            Some(FAILED | CONFIGURATION) => Ok(()),
            Some(DONE) => {
                let looked_at = desk.root.join("looked-at.db");
                fs::write(&looked_at, flipped)?;
                let found = stored::contents(&looked_at)?;
                let other = self.contents.iter().zip(&found).find(|(was, is)| was != is);
                match other {
                    None if self.contents.len() == found.len() => Ok(()),
                    Some((was, is)) => Err(Fault::Lost(format!("verify praises byte {at}: {}", difference(was, is)))),
                    None => Err(Fault::Lost(format!("verify praises byte {at}: of {} rows {}", self.contents.len(), found.len()))),
                }
            }
            _ => Err(Fault::Wrong(said.told())),
        }
    }
}

/// Changes one bit, and gives the file as it is then.
fn flip(file: &Path, at: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = fs::read(file)?;
    bytes.get_mut(at as usize).into_iter().for_each(|byte| *byte ^= 0x10);
    fs::write(file, &bytes)?;
    Ok(bytes)
}

/// Where two rows differ, and what stands around it: a row may be long.
fn difference(was: &str, is: &str) -> String {
    let same = was.bytes().zip(is.bytes()).take_while(|(was, is)| was == is).count();
    let around = |row: &str| row.chars().skip(same.saturating_sub(40)).take(80).collect::<String>();
    let table = was.split(' ').next().unwrap_or_default();
    format!("a row of {table} had `{}` and has `{}`", around(was), around(is))
}
