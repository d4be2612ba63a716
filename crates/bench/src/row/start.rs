//! The start: from the moment before the process is made to the line of the first `model.requested` on its `--json`
//! output. That line is printed after the request is durable, at the moment in which the model is asked.

use crate::job::{self, Model};
use crate::problem::{Problem, io};
use crate::stats::Samples;
use crate::table::Line;
use crate::world::{NO_THRU, World};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const BAR: &str = "≤ 15 ms";
const BAR_MS: f64 = 15.0;
/// It is short, so more repetitions fit into the same time.
const ROUNDS_FACTOR: usize = 3;

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let Some(thru) = world.thru() else { return Ok(vec![Line::not_yet("first model request", BAR, NO_THRU)]) };
    let scripts = world.folder()?;
    let [script, http] = Model::both(scripts.path(), 0)?;
    let used = world.folder()?;
    job::timed(thru, used.path(), &script)?;
    let first_request = |home: &Path, model: &Model| {
        job::until_event(&mut job::run(thru, home, model, "--json"), |event| event["type"] == "model.requested")
    };
    let (mut again, mut fresh, mut over_http) = (Samples::default(), Samples::default(), Samples::default());
    let mut nothing = Samples::default();
    for _ in 0..world.size.rounds * ROUNDS_FACTOR {
        again.push(first_request(used.path(), &script)?);
        fresh.push(first_request(world.folder()?.path(), &script)?);
        over_http.push(first_request(used.path(), &http)?);
        let began = Instant::now();
        Command::new("true").status().map_err(io("true"))?;
        nothing.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    Ok(vec![
        line("first model request, folder in use", &again, &nothing),
        line("first model request, new folder", &fresh, &nothing),
        line("first model request over HTTP, folder in use", &over_http, &nothing),
    ])
}

fn line(what: &'static str, samples: &Samples, nothing: &Samples) -> Line {
    Line {
        what,
        figure: format!("{:.1} ms", samples.median()),
        beside: format!("`true` {:.1} ms", nothing.median()),
        ratio: Some(samples.median() / nothing.median()),
        bar: BAR,
        met: Some(samples.median() <= BAR_MS),
        note: format!("noise ±{:.0} %; seen on its --json output", samples.noise() * 100.0),
    }
}
