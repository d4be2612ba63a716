//! A step: a reply of the model and its `echo` in the shell tool, (t100 − t20) / 80, with and without the sandbox.

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
    let (mut held, mut free, mut floors) = (Steps::default(), Steps::default(), Samples::default());
    for _ in 0..world.size.rounds {
        for (steps, more) in [(&mut held, &[][..]), (&mut free, &["--unsafe-no-sandbox"])] {
            let took = |script| job::timed_with(thru, world.folder()?.path(), script, more);
            let (t_few, t_many) = (took(&short)?, took(&long)?);
            let between = f64::from(many - few);
            steps.walls.push((t_many.wall_ms - t_few.wall_ms) / between);
            steps.cpus.push((t_many.cpu_ms - t_few.cpu_ms) / between);
        }
        floors.push(floor::step_ms(world.folder()?.path(), many)?);
    }
    let (step, floor) = (held.walls.median(), floors.median());
    let met = Some(step <= BAR_MS && step <= BAR_FLOORS * floor);
    Ok(vec![held.line("a step with `echo` in the shell", &floors, BAR, met), free.line("the same without the sandbox", &floors, "", None)])
}

#[derive(Default)]
struct Steps {
    walls: Samples,
    cpus: Samples,
}

impl Steps {
    fn line(&self, what: &'static str, floors: &Samples, bar: &'static str, met: Option<bool>) -> Line {
        let (step, floor) = (self.walls.median(), floors.median());
        Line {
            what,
            figure: format!("{step:.2} ms"),
            beside: format!("floor {floor:.2} ms"),
            ratio: Some(step / floor),
            bar,
            met,
            note: format!(
                "noise ±{:.0} % and ±{:.0} %, best {:.2} ms beside {:.2} ms, processor time {:.1} ms a step",
                self.walls.noise() * 100.0,
                floors.noise() * 100.0,
                self.walls.quantile(0.0),
                floors.quantile(0.0),
                self.cpus.median()
            ),
        }
    }
}
