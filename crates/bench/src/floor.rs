//! The floor: the least that a durable step can cost.

use crate::problem::{Problem, io, wrong};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// About what a step of the product stores before and after its command.
const RECORD_BYTES: usize = 1_500;

/// Milliseconds of a step: a record and its sync, `echo` through the shell, another record and its sync.
pub fn step_ms(folder: &Path, steps: u32) -> Result<f64, Problem> {
    let path = folder.join("floor");
    let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(io("the file of the floor"))?;
    let record = [b'x'; RECORD_BYTES];
    let began = Instant::now();
    for step in 0..steps {
        file.write_all(&record).and_then(|()| file.sync_data()).map_err(io("a record"))?;
        let echo = Command::new("bash").arg("-c").arg(format!("echo {step}")).output().map_err(io("bash"))?;
        if echo.stdout != format!("{step}\n").as_bytes() {
            return Err(wrong("echo said something else"));
        }
        file.write_all(&record).and_then(|()| file.sync_data()).map_err(io("a record"))?;
    }
    Ok(began.elapsed().as_secs_f64() * 1_000.0 / f64::from(steps))
}
