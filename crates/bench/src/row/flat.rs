//! Whether a step stays as cheap: the last steps of a long job over its first ones, by the times in the log.

use crate::job::{self, Model};
use crate::problem::{Problem, wrong};
use crate::stats::Samples;
use crate::table::Line;
use crate::world::{NO_THRU, World};
use std::path::Path;
use throughline::{Home, Throughline};

const BAR: &str = "≤ 1.2";
const BAR_RATIO: f64 = 1.2;
/// The first and the last tenth are compared; the steps at the very start also warm everything up, so as many are left out.
const WINDOWS: usize = 10;

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let steps = world.size.flat.1;
    let Some(thru) = world.thru() else { return Ok(vec![Line::not_yet("a late step over an early one", BAR, NO_THRU)]) };
    let scripts = world.folder()?;
    let [script, http] = Model::both(scripts.path(), steps)?;
    Ok(vec![
        line(world, thru, &http, "a late step over an early one, model over HTTP")?,
        line(world, thru, &script, "the same with a scripted model")?,
    ])
}

fn line(world: &World, thru: &Path, model: &Model, what: &'static str) -> Result<Line, Problem> {
    let (rounds, steps) = world.size.flat;
    let (mut early, mut late, mut ratios) = (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..rounds {
        let home = world.folder()?;
        job::timed(thru, home.path(), model)?;
        let ends = World::runtime()?.block_on(ends(&Home::at(home.path())))?;
        let window = (ends.len() / WINDOWS).max(2);
        let cost = |from: usize| {
            let (first, last) = (ends.get(from).copied(), ends.get(from + window - 1).copied());
            Some(last?.saturating_sub(first?) as f64 / (window - 1) as f64)
        };
        let (Some(first), Some(last)) = (cost(window / 2), cost(ends.len() - window)) else { return Err(wrong("too few steps")) };
        early.push(first);
        late.push(last);
        // Times in the log are whole milliseconds, so a tiny job may seem to cost nothing.
        ratios.push(last.max(0.1) / first.max(0.1));
    }
    Ok(Line {
        what,
        figure: format!("{:.2} ms", late.median()),
        beside: format!("early {:.2} ms", early.median()),
        ratio: Some(ratios.median()),
        bar: BAR,
        met: Some(ratios.median() <= BAR_RATIO),
        note: format!(
            "the last tenth of {steps} steps over a tenth near the start, {rounds} jobs, {:.2} to {:.2}",
            ratios.quantile(0.0),
            ratios.quantile(1.0)
        ),
    })
}

/// When each step of the only session ended, in milliseconds.
async fn ends(home: &Home) -> Result<Vec<u64>, Problem> {
    let throughline = Throughline::open(home)?;
    let session = throughline.last().await?.ok_or_else(|| wrong("there is no session"))?;
    let events = throughline.events(session, contract::units::Version(1), usize::MAX).await?;
    let ended = events.iter().filter(|stored| stored.event.draft.body.name() == "tool.finished");
    Ok(ended.map(|stored| stored.event.time.0).collect())
}
