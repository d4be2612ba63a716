//! Sessions that wait for an ask: what a process that waits for all of them has and uses, beside one with none.

use crate::many::{self, Kind};
use crate::problem::{Problem, io};
use crate::table::Line;
use crate::world::{NO_THRU, World};
use crate::{job, process, seed};
use contract::config::Autonomy;
use std::path::Path;
use std::time::Duration;

const WHAT: &str = "waiting for many sessions";
const BAR: &str = "≤ 50 MB, 0 % CPU";
const BAR_MB: f64 = 50.0;
/// Share of a core that counts as none: less than a tick of the kernel's clock in the time it is watched.
const BAR_CPU: f64 = 0.001;
/// Time to take all sessions over, and time it is watched for.
const SETTLE: Duration = Duration::from_secs(20);
const WATCH: Duration = Duration::from_secs(10);
/// Instead of both where the figure means nothing.
const BRIEF: Duration = Duration::from_millis(200);
const KIB_PER_MB: f64 = 1_000_000.0 / 1_024.0;

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let Some(thru) = world.thru() else { return Ok(vec![Line::not_yet(WHAT, BAR, NO_THRU)]) };
    let empty = world.folder()?;
    job::timed(thru, empty.path(), &job::Model::script(empty.path(), 0)?)?;
    let Some(alone) = watch(world, thru, empty.path())? else {
        return Ok(vec![Line::not_yet(WHAT, BAR, format!("`thru {}` does not stay", world.parked.join(" ")))]);
    };
    let home = world.kept(&format!("parked-{}", world.size.parked));
    let scripts = world.kept("parked-scripts");
    std::fs::create_dir_all(&scripts).map_err(io("a folder for scripts"))?;
    World::runtime()?.block_on(async {
        let seed = seed::session(world, &scripts, 1, Autonomy::Auto).await?;
        let kind = Kind { sessions: world.size.parked, events: seed.events().cloned().collect() };
        many::make(&home, &format!("{} parked, {}", world.size.parked, env!("CARGO_PKG_VERSION")), &[("parked", kind)], seed.config).await
    })?;
    let Some(full) = watch(world, thru, &home)? else {
        return Ok(vec![Line::not_yet(WHAT, BAR, "it stays with no sessions and ends with many")]);
    };
    Ok(vec![Line {
        what: WHAT,
        figure: format!("{:.1} MB, {:.2} % CPU", full.mb, full.cpu * 100.0),
        beside: format!("empty {:.1} MB, {:.2} % CPU", alone.mb, alone.cpu * 100.0),
        ratio: Some(full.mb / alone.mb),
        bar: BAR,
        met: Some(full.mb <= BAR_MB && full.cpu <= BAR_CPU),
        note: format!("{} sessions, `thru {}`, watched for {} s", world.size.parked, world.parked.join(" "), WATCH.as_secs()),
    }])
}

struct Idle {
    mb: f64,
    /// Share of one core.
    cpu: f64,
}

/// Nothing when the process does not stay.
fn watch(world: &World, thru: &Path, home: &Path) -> Result<Option<Idle>, Problem> {
    let (settle, watch) = if world.size.cold { (SETTLE, WATCH) } else { (BRIEF, BRIEF) };
    let mut child = job::thru(thru, home).args(&world.parked).spawn().map_err(io("thru"))?;
    let used = |pid: u32| process::cpu(&pid.to_string()).map(|cpu| cpu.own_ms);
    std::thread::sleep(Duration::from_millis(500));
    let mut idle = None;
    if child.try_wait().map_err(io("thru"))?.is_none() {
        std::thread::sleep(settle);
        let before = used(child.id());
        std::thread::sleep(watch);
        let cpu = before.zip(used(child.id())).map(|(before, after)| (after - before) / 1_000.0 / watch.as_secs_f64());
        let mb = process::resident_kib(child.id()).map(|kib| kib as f64 / KIB_PER_MB);
        idle = mb.zip(cpu).map(|(mb, cpu)| Idle { mb, cpu });
        if child.try_wait().map_err(io("thru"))?.is_some() {
            idle = None;
        }
    }
    // It may have ended by itself, which the wait tells as well.
    let _ = child.kill();
    child.wait().map_err(io("thru"))?;
    Ok(idle)
}
