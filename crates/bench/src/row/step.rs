//! A step: a reply of the model and its `echo` in the shell tool, (t100 − t20) / 80.

use crate::problem::Problem;
use crate::stats::Samples;
use crate::table::Line;
use crate::world::{NO_THRU, World};
use crate::{floor, job};

const BAR: &str = "≤ 5 ms and ≤ 2 × the floor";
const BAR_MS: f64 = 5.0;
const BAR_FLOORS: f64 = 2.0;

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let Some(thru) = world.thru() else { return Ok(vec![Line::not_yet("a step", BAR, NO_THRU)]) };
    let (few, many) = world.size.steps;
    let scripts = world.folder()?;
    let (short, long) = (job::script(scripts.path(), few)?, job::script(scripts.path(), many)?);
    let (mut steps, mut floors, mut cpus) = (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..world.size.rounds {
        let took = |script| job::timed(thru, world.folder()?.path(), script);
        let (t_few, t_many) = (took(&short)?, took(&long)?);
        floors.push(floor::step_ms(world.folder()?.path(), many)?);
        let between = f64::from(many - few);
        steps.push((t_many.wall_ms - t_few.wall_ms) / between);
        cpus.push((t_many.cpu_ms - t_few.cpu_ms) / between);
    }
    let (step, floor) = (steps.median(), floors.median());
    Ok(vec![Line {
        what: "a step with `echo` in the shell",
        figure: format!("{step:.2} ms"),
        beside: format!("floor {floor:.2} ms"),
        ratio: Some(step / floor),
        bar: BAR,
        met: Some(step <= BAR_MS && step <= BAR_FLOORS * floor),
        note: format!(
            "noise ±{:.0} % and ±{:.0} %, best {:.2} ms beside {:.2} ms, processor time {:.1} ms a step",
            steps.noise() * 100.0,
            floors.noise() * 100.0,
            steps.quantile(0.0),
            floors.quantile(0.0),
            cpus.median()
        ),
    }])
}
