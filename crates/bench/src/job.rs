//! A job of `echo` commands, run by the real binary in a data folder of its own.

use crate::problem::{Problem, io, wrong};
use crate::process;
use crate::server::Server;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// More turns than any job here has.
pub const TURNS_MAX: u32 = 1_000_000;

/// Who is asked in a job: a script that the program plays itself, or a model behind an address.
#[derive(Debug)]
pub enum Model {
    Script(PathBuf),
    Http { server: Server, folder: PathBuf },
}

impl Model {
    /// A script of so many `echo` commands and a last word.
    pub fn script(folder: &Path, steps: u32) -> Result<Model, Problem> {
        Ok(Model::Script(script(folder, steps)?))
    }

    /// The same over HTTP, for work in this folder.
    pub fn http(folder: &Path, steps: u32) -> Result<Model, Problem> {
        Ok(Model::Http { server: Server::start(steps)?, folder: folder.to_owned() })
    }

    /// Both, for the same job.
    pub fn both(folder: &Path, steps: u32) -> Result<[Model; 2], Problem> {
        Ok([Model::script(folder, steps)?, Model::http(folder, steps)?])
    }

    fn of_job(&self, command: &mut Command) {
        match self {
            Model::Script(script) => {
                command.arg("--model").arg(format!("script:{}", script.display()));
                command.current_dir(script.parent().unwrap_or(Path::new("/")));
            }
            Model::Http { server, folder } => {
                server.begin();
                command.args(["--model", "zero", "--base-url", &server.base_url()]).current_dir(folder);
            }
        }
    }
}

/// Writes a script of so many `echo` commands and a last word.
pub fn script(folder: &Path, steps: u32) -> Result<PathBuf, Problem> {
    script_with(folder, steps, &json!({ "text": "Done." }))
}

/// The same with another last line.
pub fn script_with(folder: &Path, steps: u32, done: &Value) -> Result<PathBuf, Problem> {
    let path = folder.join(format!("{steps}-steps.jsonl"));
    let echo = json!({ "calls": [{ "tool": "shell", "args": { "command": "echo {i}" } }], "repeat": steps });
    let lines = if steps == 0 { format!("{done}\n") } else { format!("{echo}\n{done}\n") };
    fs::write(&path, lines).map_err(io("a script"))?;
    Ok(path)
}

/// `thru` on a data folder.
pub fn thru(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("THRU_HOME", home).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// `thru run` of a job, which asks no person.
pub fn run(program: &Path, home: &Path, model: &Model, show: &str) -> Command {
    let mut command = thru(program, home);
    command.args(["run", show, "--mode", "full", "--max-turns", &TURNS_MAX.to_string()]);
    model.of_job(&mut command);
    command.arg("Go");
    command
}

/// What a job took.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    pub wall_ms: f64,
    /// Processor time of `thru` and of everything below it.
    pub cpu_ms: f64,
}

/// Runs a job to its end.
pub fn timed(program: &Path, home: &Path, model: &Model) -> Result<Took, Problem> {
    timed_with(program, home, model, &[])
}

/// The same with more arguments.
pub fn timed_with(program: &Path, home: &Path, model: &Model, more: &[&str]) -> Result<Took, Problem> {
    let waited = || process::cpu_of_this().map_or(0.0, |cpu| cpu.children_ms);
    let (before, began) = (waited(), Instant::now());
    let output = run(program, home, model, "--quiet").args(more).output().map_err(io("thru"))?;
    let wall_ms = began.elapsed().as_secs_f64() * 1_000.0;
    process::wait_for_orphans();
    let took = Took { wall_ms, cpu_ms: waited() - before };
    if output.stdout == b"Done.\n" { Ok(took) } else { Err(wrong(format!("the job ended otherwise: {output:?}"))) }
}

/// Milliseconds from the start of a `--json` command to the first event that `is_it`; then the process is killed.
pub fn until_event(command: &mut Command, is_it: impl Fn(&Value) -> bool) -> Result<f64, Problem> {
    let began = Instant::now();
    let mut child = command.spawn().map_err(io("thru"))?;
    let found = first(&mut child, is_it).map(|()| began.elapsed().as_secs_f64() * 1_000.0);
    // It may have ended by itself, which the wait tells as well.
    let _ = child.kill();
    let output = child.wait_with_output().map_err(io("thru"))?;
    found.ok_or_else(|| wrong(format!("the event did not come: {}", String::from_utf8_lossy(&output.stderr))))
}

fn first(child: &mut Child, is_it: impl Fn(&Value) -> bool) -> Option<()> {
    let lines = BufReader::new(child.stdout.take()?).lines();
    lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok()).find(is_it).map(drop)
}
