//! The floor: the least that a durable step can cost.

use crate::problem::{Problem, io, wrong};
use crate::stats::Samples;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

/// About what a step of the product stores before and after its command.
const RECORD_BYTES: usize = 1_500;

/// Milliseconds of a step in the mean.
pub fn step_ms(folder: &Path, steps: u32) -> Result<f64, Problem> {
    let taken = steps_ms(&folder.join("floor"), steps)?;
    Ok(taken.iter().sum::<f64>() / f64::from(steps))
}

/// Milliseconds of every step of so many loops at once, each on a thread and a file of its own.
pub fn at_once_ms(folder: &Path, loops: usize, steps: u32) -> Result<Samples, Problem> {
    let taken = thread::scope(|scope| {
        let run = |number: usize| scope.spawn(move || steps_ms(&folder.join(format!("floor-{number}")), steps));
        let running: Vec<_> = (0..loops).map(run).collect();
        running.into_iter().map(|one| one.join().map_err(|_| wrong("a floor fell in"))?).collect::<Result<Vec<_>, Problem>>()
    })?;
    Ok(taken.into_iter().flatten().collect())
}

/// Milliseconds of each step: a record and its sync, `echo` through the shell, another record and its sync.
fn steps_ms(path: &Path, steps: u32) -> Result<Vec<f64>, Problem> {
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(io("the file of the floor"))?;
    let record = [b'x'; RECORD_BYTES];
    let mut taken = Vec::new();
    for step in 0..steps {
        let began = Instant::now();
        file.write_all(&record).and_then(|()| file.sync_data()).map_err(io("a record"))?;
        let echo = Command::new("bash").arg("-c").arg(format!("echo {step}")).output().map_err(io("bash"))?;
        if echo.stdout != format!("{step}\n").as_bytes() {
            return Err(wrong("echo said something else"));
        }
        file.write_all(&record).and_then(|()| file.sync_data()).map_err(io("a record"))?;
        taken.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    Ok(taken)
}
