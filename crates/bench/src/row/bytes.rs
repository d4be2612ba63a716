//! Whether each request to the model is a byte prefix of the next, as `thru verify` recomputes them from the log.

use crate::job::{self, Model};
use crate::problem::{Problem, io};
use crate::table::Line;
use crate::world::{NO_THRU, World};
use serde_json::Value;
use std::path::Path;

const WHAT: &str = "request n begins request n+1";
const BAR: &str = "always";

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let Some(thru) = world.thru() else { return Ok(vec![Line::not_yet(WHAT, BAR, NO_THRU)]) };
    let scripts = world.folder()?;
    let [script, http] = Model::both(scripts.path(), world.size.steps.1)?;
    Ok(vec![line(world, thru, &http, "request n begins request n+1, model over HTTP")?, line(world, thru, &script, WHAT)?])
}

fn line(world: &World, thru: &Path, model: &Model, what: &'static str) -> Result<Line, Problem> {
    let (steps, home) = (world.size.steps.1, world.folder()?);
    job::timed(thru, home.path(), model)?;
    let output = job::thru(thru, home.path()).args(["verify", "--json"]).output().map_err(io("thru"))?;
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let requests = found["requests"].as_u64().unwrap_or(0);
    Ok(Line {
        what,
        figure: format!("{requests} requests"),
        bar: BAR,
        met: Some(output.status.success() && found["ok"] == true && requests == u64::from(steps) + 1),
        note: format!("{} events verified by `thru verify`", found["events"]),
        ..Line::default()
    })
}
