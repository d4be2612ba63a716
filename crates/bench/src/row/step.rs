//! A step: a reply of the model and its `echo` in the shell tool, (t100 − t20) / 80, over HTTP, with
//! a scripted model, and without the sandbox.

use crate::floor;
use crate::job::{self, Model};
use crate::problem::Problem;
use crate::stats::Samples;
use crate::table::Line;
use crate::world::{NO_THRU, World};

const BAR: &str = "≤ 5 ms and ≤ 2 × the floor";
const BAR_MS: f64 = 5.0;
const BAR_FLOORS: f64 = 2.0;

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let Some(thru) = world.thru() else { return Ok(vec![Line::not_yet("a step", BAR, NO_THRU)]) };
    let (few, many) = world.size.steps;
    let scripts = world.folder()?;
    let ([short, short_http], [long, long_http]) = (Model::both(scripts.path(), few)?, Model::both(scripts.path(), many)?);
    let (mut over_http, mut held, mut free) = (Steps::default(), Steps::default(), Steps::default());
    let (mut floors, mut floors_over_http) = (Samples::default(), Samples::default());
    for _ in 0..world.size.rounds {
        let sides = [
            (&mut over_http, &short_http, &long_http, &[][..]),
            (&mut held, &short, &long, &[]),
            (&mut free, &short, &long, &["--unsafe-no-sandbox"]),
        ];
        for (steps, short, long, more) in sides {
            let took = |model| job::timed_with(thru, world.folder()?.path(), model, more);
            let (t_few, t_many) = (took(short)?, took(long)?);
            let between = f64::from(many - few);
            steps.walls.push((t_many.wall_ms - t_few.wall_ms) / between);
            steps.cpus.push((t_many.cpu_ms - t_few.cpu_ms) / between);
        }
        floors.push(floor::step_ms(world.folder()?.path(), many)?);
        floors_over_http.push(floor::step_over_http_ms(world.folder()?.path(), many)?);
    }
    let met =
        |steps: &Steps, floors: &Samples| Some(steps.walls.median() <= BAR_MS && steps.walls.median() <= BAR_FLOORS * floors.median());
    Ok(vec![
        over_http.line("a step with `echo` in the shell, model over HTTP", &floors_over_http, BAR, met(&over_http, &floors_over_http)),
        held.line("the same with a scripted model", &floors, BAR, met(&held, &floors)),
        free.line("the same without the sandbox", &floors, "", None),
    ])
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
