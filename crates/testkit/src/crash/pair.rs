//! Two processes on one data folder, each with its own working folder and its own environment. One is killed.

use super::counter::Counter;
use super::desk::{Bench, Desk, Running};
use super::fault::Fault;
use super::person::DONE;
use crate::until::{DEADLINE, within};
use contract::id::{SessionId, derive};
use serde_json::{Value, json};
use std::fs;
use std::sync::atomic::Ordering;

/// What each of them does: a command that waits to be let go, and one after it.
const HELD: &str = "count held after go within 60";
const LAST: &str = "count last";

pub fn run(bench: &Bench, which: u64) -> Result<(), Fault> {
    let first = desk(bench, &format!("pair:{which}"), None)?;
    let second = desk(bench, &format!("pair:{which}:second"), Some(&first))?;
    let (dies, lives) = if which == 0 { (&first, &second) } else { (&second, &first) };
    let (dying, mut living) = (start(dies)?, start(lives)?);
    for desk in [dies, lives] {
        arrived(&bench.counter, &desk.case, "held")?;
    }
    dying.kill()?;
    bench.kills.fetch_add(1, Ordering::Relaxed);
    let before = lives.events()?;

    let resumed = dies.start(dies.command(dies.resume_words()))?;
    let adopted = within(DEADLINE, || resumed.stdout().ok()?.contains("\"tool.adopted\"").then_some(()));
    adopted.ok_or_else(|| Fault::Stuck("the command of the dead process is not adopted".to_owned()))?;
    if living.has_ended()? || lives.events()? != before {
        return Err(Fault::Wrong("the other process is affected".to_owned()));
    }
    bench.counter.arrive(&dies.case, "go")?;
    expect_done(resumed)?;
    if living.has_ended()? || lives.events()? != before {
        return Err(Fault::Wrong("the other process is affected by the end of the first".to_owned()));
    }
    bench.counter.arrive(&lives.case, "go")?;
    expect_done(living)?;

    for (desk, owners) in [(dies, 2), (lives, 1)] {
        check(desk, owners)?;
    }
    dies.verified().map(drop)
}

/// A desk for one of them; the second shares the data folder of the first.
fn desk<'a>(bench: &'a Bench, case: &str, shared: Option<&Desk<'_>>) -> Result<Desk<'a>, Fault> {
    let mut desk = Desk::new(bench, case)?;
    if let Some(first) = shared {
        desk.home = first.home.clone();
    }
    desk.session = SessionId(derive("session", &[case.as_bytes()])).to_string();
    let lines = [HELD, LAST].map(|command| json!({ "calls": [{ "tool": "shell", "args": { "command": command } }] }).to_string());
    fs::write(desk.script(), lines.join("\n"))?;
    Ok(desk)
}

fn start(desk: &Desk<'_>) -> Result<Running, Fault> {
    let mut words = desk.run_words();
    // Two jobs, so two keys.
    words.iter_mut().filter(|word| *word == super::job::KEY).for_each(|key| *key = desk.case.clone().into());
    desk.start(desk.command(words))
}

fn arrived(counter: &Counter, case: &str, step: &str) -> Result<(), Fault> {
    let there = within(DEADLINE, || counter.tally(case).ok()?.contains_key(step).then_some(()));
    there.ok_or_else(|| Fault::Stuck(format!("{step} of {case} does not arrive")))
}

fn expect_done(running: Running) -> Result<(), Fault> {
    let said = running.wait()?;
    if said.status.code() == Some(DONE) { Ok(()) } else { Err(Fault::Wrong(said.told())) }
}

/// Each command arrived once, from the environment of its own process, and was finished by so many owners.
fn check(desk: &Desk<'_>, owners: usize) -> Result<(), Fault> {
    let tally = desk.bench.counter.tally(&desk.case)?;
    for step in ["held", "last"] {
        match tally.get(step) {
            Some(1) => {}
            None => return Err(Fault::Lost(format!("{step} of {}", desk.case))),
            Some(times) => return Err(Fault::Doubled(format!("{step} of {}: {times} times", desk.case))),
        }
    }
    let events: Vec<Value> = desk.events()?.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let count = |name: &str| events.iter().filter(|event| event["type"] == name).count();
    let found = (count("owner.taken"), count("tool.finished"), count("tool.unknown"), count("run.finished"));
    let expected = (owners, 2, 0, 1);
    if found == expected { Ok(()) } else { Err(Fault::Wrong(format!("{}: {found:?}, expected {expected:?}", desk.case))) }
}
