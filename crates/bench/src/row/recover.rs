//! Recovery in a big log: from `thru resume` of a session that was at work when its owner died to its first effect, with
//! nothing in the caches of the kernel. The effect is seen as on the row `start`.

use crate::many::{self, Kind};
use crate::problem::{Problem, io, wrong};
use crate::stats::Samples;
use crate::table::Line;
use crate::world::{NO_THRU, World};
use crate::{job, seed};
use contract::config::Autonomy;
use contract::event::Event;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const BAR: &str = "≤ 1 s";
const BAR_MS: f64 = 1_000.0;
/// Of a session with about a hundred events.
const STEPS: u32 = 19;
/// Longer than any measurement.
const ANSWERS_AFTER_MS: u64 = 600_000;
const ROUNDS_MAX: usize = 9;
const BUSY: &str = "recover-busy";

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let Some(thru) = world.thru() else { return Ok(vec![Line::not_yet("first effect", BAR, NO_THRU)]) };
    let (home, events) = World::runtime()?.block_on(log(world))?;
    let (mut cold, mut warm) = (Samples::default(), Samples::default());
    let mut dropped = world.size.cold;
    for round in 0..world.size.rounds.min(ROUNDS_MAX) {
        let session = Kind::id(BUSY, round % world.size.recover.1).to_string();
        let last = last_version(thru, &home, &session)?;
        dropped = dropped && drop_caches();
        cold.push(first_effect(thru, &home, &session, last)?);
        // It was killed at its first effect, so it is at work again.
        let last = last_version(thru, &home, &session)?;
        warm.push(first_effect(thru, &home, &session, last)?);
    }
    let caches = if dropped { "caches dropped" } else { "CACHES WARM: not root, or too small to matter" };
    Ok(vec![Line {
        what: "first effect of a session at work",
        figure: format!("{:.0} ms", cold.median()),
        beside: format!("warm {:.0} ms", warm.median()),
        ratio: Some(cold.median() / warm.median()),
        bar: BAR,
        met: dropped.then(|| cold.median() <= BAR_MS),
        note: format!(
            "{events} events, {} sessions, {} at work, {caches}, at most {:.0} ms",
            world.size.recover.0,
            world.size.recover.1,
            cold.quantile(1.0)
        ),
    }])
}

/// Milliseconds to the first effect that the resumed session begins.
fn first_effect(thru: &Path, home: &Path, session: &str, last: u64) -> Result<f64, Problem> {
    let begins =
        |event: &Value| event["version"].as_u64() > Some(last) && (event["type"] == "model.requested" || event["type"] == "tool.started");
    job::until_event(job::thru(thru, home).args(["resume", session, "--json"]), begins)
}

/// The big log and the number of its events.
async fn log(world: &World) -> Result<(PathBuf, usize), Problem> {
    let (sessions, busy) = world.size.recover;
    let home = world.kept(&format!("recover-{sessions}"));
    let scripts = world.kept("recover-scripts");
    fs::create_dir_all(&scripts).map_err(io("a folder for scripts"))?;
    let seed = seed::session(world, &scripts, STEPS, Autonomy::Full).await?;
    // From now on the model takes its time, so that a session which is killed at its first effect is still at work.
    job::script_with(&scripts, STEPS, &json!({ "text": "Done.", "delay_ms": ANSWERS_AFTER_MS }))?;
    let whole: Vec<Event> = seed.events().cloned().collect();
    let last_request = whole.iter().rposition(|event| event.draft.body.name() == "model.requested");
    let at_work = whole[..=last_request.ok_or_else(|| wrong("no model was asked"))?].to_vec();
    let events = whole.len() * (sessions - busy) + at_work.len() * busy;
    let kinds = [(BUSY, Kind { sessions: busy, events: at_work }), ("recover", Kind { sessions: sessions - busy, events: whole })];
    let making = format!("{STEPS} steps, {sessions} sessions, {busy} at work, {}", env!("CARGO_PKG_VERSION"));
    many::make(&home, &making, &kinds, seed.config).await?;
    Ok((home, events))
}

fn last_version(thru: &Path, home: &Path, session: &str) -> Result<u64, Problem> {
    let output = job::thru(thru, home).args(["events", session, "--json"]).output().map_err(io("thru"))?;
    let last = output.stdout.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty());
    let event: Option<Value> = last.and_then(|line| serde_json::from_slice(line).ok());
    event.and_then(|event| event["version"].as_u64()).ok_or_else(|| wrong(format!("the session has no events: {output:?}")))
}

/// Whether the kernel forgot what it had read; only root may ask for it.
fn drop_caches() -> bool {
    // What is not written yet could not be forgotten.
    let synced = std::process::Command::new("sync").status().is_ok_and(|status| status.success());
    synced && fs::write("/proc/sys/vm/drop_caches", "3").is_ok()
}
