//! The floor: the least that a durable step can cost.

use crate::problem::{Problem, io, wrong};
use crate::server::{self, Server};
use crate::stats::Samples;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

/// About what a step of the product stores before and after its command.
const RECORD_BYTES: usize = 1_500;
/// About what the product tells a model first, and more with each step.
const FIRST_BYTES: usize = 16 * 1024;
const STEP_BYTES: usize = 250;

/// Milliseconds of a step in the mean.
pub fn step_ms(folder: &Path, steps: u32) -> Result<f64, Problem> {
    let taken = steps_ms(&folder.join("floor"), steps)?;
    Ok(taken.iter().sum::<f64>() / f64::from(steps))
}

/// The same with a model that is asked over HTTP before each step, and told all that happened before.
pub fn step_over_http_ms(folder: &Path, steps: u32) -> Result<f64, Problem> {
    let server = Server::start(steps)?;
    let mut stream = TcpStream::connect(server.address()).map_err(io("the model"))?;
    stream.set_nodelay(true).map_err(io("the model"))?;
    let mut reader = BufReader::new(stream.try_clone().map_err(io("the model"))?);
    let (mut told, began) = (vec![b'x'; FIRST_BYTES], Instant::now());
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join("floor")).map_err(io("the file of the floor"))?;
    for number in 0..steps {
        let head = format!("POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {}\r\n\r\n", told.len());
        stream.write_all(&[head.as_bytes(), &told].concat()).map_err(io("the model"))?;
        let length = server::head(&mut reader).map_err(io("the model"))?.ok_or_else(|| wrong("the model has gone"))?;
        std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).map_err(io("the model"))?;
        told.extend([b'x'; STEP_BYTES]);
        step(&mut file, number)?;
    }
    Ok(began.elapsed().as_secs_f64() * 1_000.0 / f64::from(steps))
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
    let mut taken = Vec::new();
    for number in 0..steps {
        let began = Instant::now();
        step(&mut file, number)?;
        taken.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    Ok(taken)
}

fn step(file: &mut File, number: u32) -> Result<(), Problem> {
    let record = [b'x'; RECORD_BYTES];
    file.write_all(&record).and_then(|()| file.sync_data()).map_err(io("a record"))?;
    let echo = Command::new("bash").arg("-c").arg(format!("echo {number}")).output().map_err(io("bash"))?;
    if echo.stdout != format!("{number}\n").as_bytes() {
        return Err(wrong("echo said something else"));
    }
    file.write_all(&record).and_then(|()| file.sync_data()).map_err(io("a record"))
}
