//! `shell`: a command line under the supervisor.
//!
//! Its time limit is kept by the supervisor, so it holds after adoption too.

use super::{Run, Tool, finished, refuse};
use crate::supervise::client::Ended;
use crate::supervise::{Exit, Folder, Spec};
use crate::{args, texts};
use contract::body::{CancelReason, UnknownReason};
use contract::call::{Class, Prepared, Risk};
use contract::limits::{SPOOL_BYTES_MAX, STOP_GRACE_MS};
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use schemars::JsonSchema;
use serde::Deserialize;
use std::ffi::OsString;

/// Seconds a command may run if the model names none.
const TIMEOUT_S_DEFAULT: u64 = 600;
/// Seconds a command may run at most: a day.
const TIMEOUT_S_MAX: u64 = 86_400;

pub(super) const TOOL: Tool = Tool {
    name: "shell",
    description: texts::SHELL,
    class: Class::Probe,
    risk: Risk::High,
    schema: args::schema::<Args>,
    prepare,
    run: Run::Supervised { spec, outcome },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The command line.
    command: String,
    /// Seconds after which the command is ended; 600 by default, at most 86400.
    timeout_s: Option<u64>,
}

impl Args {
    fn parse(args: &str) -> Result<Args, PrepareRefused> {
        let args: Args = args::parse(TOOL.name, args)?;
        if args.command.trim().is_empty() {
            return Err(refuse(texts::EMPTY_COMMAND));
        }
        if !(1..=TIMEOUT_S_MAX).contains(&args.timeout_s()) {
            return Err(refuse(texts::bad_timeout(TIMEOUT_S_MAX)));
        }
        Ok(args)
    }

    fn timeout_s(&self) -> u64 {
        self.timeout_s.unwrap_or(TIMEOUT_S_DEFAULT)
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args = Args::parse(&call.args)?;
    let prepared = Prepared { commands: vec![args.command.clone()], ..Prepared::default() };
    Ok(Preparation { class: Class::Probe, risk: Risk::High, prepared, preview: Some(args.command) })
}

fn spec(job: &ToolJob, spool: &Folder) -> Result<Spec, String> {
    let args = Args::parse(&job.args).map_err(|refused| refused.message)?;
    let folder = std::path::absolute(&job.folder).map_err(|error| texts::not_started(&error))?;
    Ok(Spec {
        argv: vec![shell(), "-c".into(), args.command.clone().into()],
        env: std::env::vars_os().collect(),
        folder: folder.into(),
        spool: spool.path().into(),
        boot: job.boot.clone(),
        stdin: false,
        timeout_ms: Some(args.timeout_s() * 1_000),
        grace_ms: STOP_GRACE_MS,
        output_bytes_max: SPOOL_BYTES_MAX,
    })
}

/// The path of bash if it is installed, else of the shell that always is.
fn shell() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let bash = std::env::split_paths(&path).map(|folder| folder.join("bash")).find(|bash| bash.is_absolute() && bash.is_file());
    bash.map_or_else(|| "/bin/sh".into(), Into::into)
}

fn outcome(job: &ToolJob, ended: Ended) -> RawOutcome {
    match ended {
        Ended::Exited { exit, output } => exited(job, exit, output),
        Ended::NeverStarted => RawOutcome::Cancelled(CancelReason::NeverStarted),
        Ended::Failed(reason) => finished(Err(texts::not_started(&reason))),
        Ended::Died { output } => RawOutcome::Unknown { reason: UnknownReason::Died, output },
        Ended::OtherBoot { output } => RawOutcome::Unknown { reason: UnknownReason::OtherBoot, output },
        Ended::Lost(reason) => RawOutcome::Unknown { reason: UnknownReason::Lost, output: texts::spool_lost(&reason) },
    }
}

/// The output, and below it what the fields of a result cannot say.
fn exited(job: &ToolJob, exit: Exit, mut output: String) -> RawOutcome {
    let ok = exit.code == Some(0) && exit.error.is_none() && !exit.timed_out;
    let seconds = Args::parse(&job.args).map_or(TIMEOUT_S_DEFAULT, |args| args.timeout_s());
    let timed_out = exit.timed_out.then(|| texts::timed_out(seconds));
    let lost = exit.output_error.map(|error| texts::output_lost(&error));
    for note in [exit.error, timed_out, lost].into_iter().flatten() {
        if !output.is_empty() && !output.ends_with('\n') {
            output.push('\n');
        }
        output.push_str(&note);
    }
    RawOutcome::Finished { ok, output, exit: exit.code, signal: exit.signal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::desk;
    use serde_json::json;

    #[test]
    fn preparing_names_the_command() {
        let desk = desk("shell");
        let expected = Preparation {
            class: Class::Probe,
            risk: Risk::High,
            prepared: Prepared { commands: vec!["ls -l".into()], ..Prepared::default() },
            preview: Some("ls -l".into()),
        };
        assert_eq!(desk.prepare(&json!({"command": "ls -l"})), Ok(expected));
        assert_eq!(desk.prepare(&json!({"command": " "})), Err(texts::EMPTY_COMMAND.into()));
        for timeout_s in [0, TIMEOUT_S_MAX + 1] {
            assert_eq!(desk.prepare(&json!({"command": "x", "timeout_s": timeout_s})), Err(texts::bad_timeout(TIMEOUT_S_MAX)));
        }
        assert!(desk.prepare(&json!({"command": "x", "timeout_s": -1})).unwrap_err().contains("at `timeout_s`"));
    }

    #[test]
    fn a_note_stands_on_a_line_of_its_own() {
        let job = desk("shell").job(&json!({"command": "x", "timeout_s": 7}));
        let text = |output: &str, exit: Exit| match exited(&job, exit, output.into()) {
            RawOutcome::Finished { ok, output, .. } => (ok, output),
            other @ (RawOutcome::Cancelled(_) | RawOutcome::Unknown { .. }) => panic!("{other:?}"),
        };
        let done = Exit { code: Some(0), ..Exit::default() };
        assert_eq!(text("a", done.clone()), (true, "a".into()));
        let late = texts::timed_out(7);
        assert_eq!(text("a", Exit { timed_out: true, ..done.clone() }), (false, format!("a\n{late}")));
        assert_eq!(text("", Exit { timed_out: true, ..done.clone() }), (false, late));
        let full = Exit { output_error: Some("disk full".into()), ..done };
        assert_eq!(text("a\n", full), (true, format!("a\n{}", texts::output_lost("disk full"))));
    }
}
