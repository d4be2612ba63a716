//! Peak memory of the long job. The kernel's own high-water mark is read until the process ends, so a peak cannot fall
//! between two looks; only what the last milliseconds add is missed.

use crate::job::{self, Model};
use crate::problem::{Problem, io, wrong};
use crate::process;
use crate::stats::Samples;
use crate::table::Line;
use crate::world::{NO_THRU, World};
use std::path::Path;
use std::time::Duration;

const BAR: &str = "≤ 30 MB";
const BAR_MB: f64 = 30.0;
/// Pause between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(1);
const KIB_PER_MB: f64 = 1_000_000.0 / 1_024.0;

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let Some(thru) = world.thru() else { return Ok(vec![Line::not_yet("peak of the job", BAR, NO_THRU)]) };
    let steps = world.size.steps.1;
    let scripts = world.folder()?;
    let [script, http] = Model::both(scripts.path(), steps)?;
    Ok(vec![
        line(world, thru, &http, "peak of the long job, model over HTTP")?,
        line(world, thru, &script, "the same with a scripted model")?,
    ])
}

fn line(world: &World, thru: &Path, model: &Model, what: &'static str) -> Result<Line, Problem> {
    let steps = world.size.steps.1;
    let (mut own, mut below) = (Samples::default(), Samples::default());
    for _ in 0..world.size.rounds.min(5) {
        let home = world.folder()?;
        let mut child = job::run(thru, home.path(), model, "--quiet").spawn().map_err(io("thru"))?;
        let (mut peak, mut peak_below) = (0, 0);
        while child.try_wait().map_err(io("thru"))?.is_none() {
            peak = peak.max(process::peak_kib(child.id()).unwrap_or(0));
            let largest = process::children(child.id()).into_iter().filter_map(process::peak_kib).max();
            peak_below = peak_below.max(largest.unwrap_or(0));
            std::thread::sleep(LOOK_EVERY);
        }
        if peak == 0 {
            return Err(wrong("the job ended before it was looked at"));
        }
        own.push(peak as f64 / KIB_PER_MB);
        below.push(peak_below as f64 / KIB_PER_MB);
    }
    Ok(Line {
        what,
        figure: format!("{:.1} MB", own.median()),
        bar: BAR,
        met: Some(own.median() <= BAR_MB),
        note: format!("{steps} steps, thru itself; the largest process right below it {:.1} MB", below.median()),
        ..Line::default()
    })
}
