//! Whether each request to the model is a byte prefix of the next, as `thru verify` recomputes them from the log.

use crate::job;
use crate::problem::{Problem, io};
use crate::table::Line;
use crate::world::{NO_THRU, World};
use serde_json::Value;

const WHAT: &str = "request n begins request n+1";
const BAR: &str = "always";

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let Some(thru) = world.thru() else { return Ok(vec![Line::not_yet(WHAT, BAR, NO_THRU)]) };
    let steps = world.size.steps.1;
    let home = world.folder()?;
    let script = job::script(home.path(), steps)?;
    job::timed(thru, home.path(), &script)?;
    let output = job::thru(thru, home.path()).args(["verify", "--json"]).output().map_err(io("thru"))?;
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let requests = found["requests"].as_u64().unwrap_or(0);
    Ok(vec![Line {
        what: WHAT,
        figure: format!("{requests} requests"),
        bar: BAR,
        met: Some(output.status.success() && found["ok"] == true && requests == u64::from(steps) + 1),
        note: format!("{} events verified by `thru verify`", found["events"]),
        ..Line::default()
    }])
}
