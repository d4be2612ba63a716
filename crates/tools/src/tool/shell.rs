//! `shell`: a command line under the supervisor.
//!
//! Its time limit, if it has one, is kept by the supervisor, so it holds after adoption too. Patience is not a limit: it
//! says how long the run waits for the command, and the session keeps it.

use super::{Run, Tool, Wanted, finished, refuse};
use crate::supervise::client::Ended;
use crate::supervise::{Exit, Folder, Spec, Streams};
use crate::{args, texts};
use contract::body::{CancelReason, UnknownReason};
use contract::call::{Class, Prepared, Risk, Touches};
use contract::limits::{PATIENCE_MS_DEFAULT, SPOOL_BYTES_MAX, STOP_GRACE_MS, WAIT_MS_MAX};
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use schemars::JsonSchema;
use serde::Deserialize;
use std::ffi::OsString;
use std::sync::OnceLock;

/// Seconds of a time limit at most: a day.
const TIMEOUT_S_MAX: u64 = 86_400;
/// Seconds of patience at most: what any call may wait.
const PATIENCE_S_MAX: u64 = WAIT_MS_MAX / 1_000;

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
    /// Seconds to wait for the end before the command goes on in the background; 600 by default.
    patience_s: Option<u64>,
    /// Whether the command goes on in the background at once; false by default.
    background: Option<bool>,
    /// Whether standard input stays open for process_input; by default as `background` says.
    input: Option<bool>,
    /// Seconds after which the command is ended, at most 86400; it has no limit by default.
    timeout_s: Option<u64>,
    /// Whether the command may use the network; false by default.
    network: Option<bool>,
    /// Whether the command runs on a terminal (120x40, TERM=dumb), for programs that want one; its input stays open. False by default.
    pty: Option<bool>,
}

impl Args {
    fn parse(args: &str) -> Result<Args, PrepareRefused> {
        let args: Args = args::parse(TOOL.name, args)?;
        if args.command.trim().is_empty() {
            return Err(refuse(texts::EMPTY_COMMAND));
        }
        if args.timeout_s.is_some_and(|seconds| !(1..=TIMEOUT_S_MAX).contains(&seconds)) {
            return Err(refuse(texts::bad_timeout(TIMEOUT_S_MAX)));
        }
        if args.patience_s.is_some_and(|seconds| !(1..=PATIENCE_S_MAX).contains(&seconds)) {
            return Err(refuse(texts::bad_patience(PATIENCE_S_MAX)));
        }
        if args.pty() && args.input == Some(false) {
            return Err(refuse(texts::TERMINAL_HAS_INPUT));
        }
        Ok(args)
    }

    fn pty(&self) -> bool {
        self.pty.unwrap_or(false)
    }

    fn network(&self) -> bool {
        self.network.unwrap_or(false)
    }

    fn background(&self) -> bool {
        self.background.unwrap_or(false)
    }

    fn patience_ms(&self) -> u64 {
        if self.background() { 0 } else { self.patience_s.map_or(PATIENCE_MS_DEFAULT, |seconds| seconds * 1_000) }
    }

    /// Nobody can send input to a command that is waited for, and many programs read an input that is open before they
    /// do anything else, so it is open only where somebody may send some.
    fn streams(&self) -> Streams {
        match (self.pty(), self.input.unwrap_or(self.background())) {
            (true, _) => Streams::Terminal,
            (false, true) => Streams::Both,
            (false, false) => Streams::Output,
        }
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args = Args::parse(&call.args)?;
    let patience_ms = Some(args.patience_ms());
    let touches = if args.network() { Touches::PRIVATE.and(Touches::NETWORK) } else { Touches::PRIVATE };
    let prepared = Prepared { patience_ms, touches, network: args.network(), ..commandline::prepared(&args.command) };
    let preview = if args.pty() { texts::on_terminal(&args.command) } else { args.command };
    Ok(Preparation { class: Class::Probe, risk: Risk::High, prepared, preview: Some(preview) })
}

fn spec(job: &ToolJob, spool: &Folder) -> Result<Wanted, String> {
    let args = Args::parse(&job.args).map_err(|refused| refused.message)?;
    let folder = std::path::absolute(&job.folder).map_err(|error| texts::not_started(&error))?;
    let mut spec = Spec {
        argv: vec![shell(), "-c".into(), args.command.clone().into()],
        env: std::env::vars_os().collect(),
        folder: folder.into(),
        spool: spool.path().into(),
        boot: job.boot.clone(),
        streams: args.streams(),
        timeout_ms: args.timeout_s.map(|seconds| seconds * 1_000),
        grace_ms: STOP_GRACE_MS,
        output_bytes_max: SPOOL_BYTES_MAX,
        room: None,
    };
    if args.pty() {
        terminal::suit(&mut spec.env);
    }
    Ok(Wanted { spec, network: args.network() })
}

/// The path of bash if it is installed, else of the shell that always is. Looked for once: every folder of the path is
/// asked.
fn shell() -> OsString {
    static SHELL: OnceLock<OsString> = OnceLock::new();
    let find = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let bash = std::env::split_paths(&path).map(|folder| folder.join("bash")).find(|bash| bash.is_absolute() && bash.is_file());
        bash.map_or_else(|| "/bin/sh".into(), Into::into)
    };
    SHELL.get_or_init(find).clone()
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
    let timed_out = exit.timed_out.then(|| texts::timed_out(Args::parse(&job.args).ok().and_then(|args| args.timeout_s)));
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
    fn preparing_names_the_command_and_the_patience() {
        let desk = desk("shell");
        let expected = |patience_ms: u64| Preparation {
            class: Class::Probe,
            risk: Risk::High,
            prepared: Prepared {
                commands: vec!["ls -l".into()],
                touches: Touches::PRIVATE,
                patience_ms: Some(patience_ms),
                ..Prepared::default()
            },
            preview: Some("ls -l".into()),
        };
        assert_eq!(desk.prepare(&json!({"command": "ls -l"})), Ok(expected(PATIENCE_MS_DEFAULT)));
        assert_eq!(desk.prepare(&json!({"command": "ls -l", "background": false})), Ok(expected(PATIENCE_MS_DEFAULT)));
        assert_eq!(desk.prepare(&json!({"command": "ls -l", "patience_s": 7})), Ok(expected(7_000)));
        assert_eq!(desk.prepare(&json!({"command": "ls -l", "patience_s": PATIENCE_S_MAX})), Ok(expected(WAIT_MS_MAX)));
        assert_eq!(desk.prepare(&json!({"command": "ls -l", "patience_s": 7, "background": true})), Ok(expected(0)));
        let network = |args| desk.prepare(&args).unwrap().prepared.network;
        assert!(network(json!({"command": "ls", "network": true})) && !network(json!({"command": "ls", "network": false})));
    }

    #[test]
    fn a_command_that_cannot_be_meant_is_refused() {
        let desk = desk("shell");
        assert_eq!(desk.prepare(&json!({"command": " "})), Err(texts::EMPTY_COMMAND.into()));
        for timeout_s in [0, TIMEOUT_S_MAX + 1] {
            assert_eq!(desk.prepare(&json!({"command": "x", "timeout_s": timeout_s})), Err(texts::bad_timeout(TIMEOUT_S_MAX)));
        }
        for patience_s in [0, PATIENCE_S_MAX + 1] {
            assert_eq!(desk.prepare(&json!({"command": "x", "patience_s": patience_s})), Err(texts::bad_patience(PATIENCE_S_MAX)));
        }
        assert!(
            desk.prepare(&json!({"command": "x", "timeout_s": -1})).unwrap_err().contains("/timeout_s: expected integer of at least 0")
        );
    }

    #[test]
    fn only_a_limit_that_was_named_ends_a_command() {
        let desk = desk("shell");
        let timeout_ms = |args| spec(&desk.job(&args), &desk.spool).unwrap().spec.timeout_ms;
        assert_eq!(timeout_ms(json!({"command": "x", "patience_s": 7})), None);
        assert_eq!(timeout_ms(json!({"command": "x", "timeout_s": 7})), Some(7_000));
    }

    #[test]
    fn input_is_open_where_somebody_may_send_some() {
        let desk = desk("shell");
        let streams = |args| spec(&desk.job(&args), &desk.spool).unwrap().spec.streams;
        assert_eq!(streams(json!({"command": "x"})), Streams::Output);
        assert_eq!(streams(json!({"command": "x", "background": true})), Streams::Both);
        assert_eq!(streams(json!({"command": "x", "input": true})), Streams::Both);
        assert_eq!(streams(json!({"command": "x", "background": true, "input": false})), Streams::Output);
        assert_eq!(streams(json!({"command": "x", "input": true, "pty": false})), Streams::Both);
        for input in [json!(true), json!(null)] {
            assert_eq!(streams(json!({"command": "x", "input": input, "pty": true})), Streams::Terminal);
        }
        let deaf = json!({"command": "x", "input": false, "pty": true});
        assert_eq!(desk.prepare(&deaf), Err(texts::TERMINAL_HAS_INPUT.into()));
    }

    #[test]
    fn a_terminal_changes_what_is_shown_and_nothing_that_is_judged() {
        let desk = desk("shell");
        let plain = desk.prepare(&json!({"command": "ls -l; rm x", "network": true})).unwrap();
        let on_terminal = desk.prepare(&json!({"command": "ls -l; rm x", "network": true, "pty": true})).unwrap();
        assert_eq!(on_terminal, Preparation { preview: Some("ls -l; rm x\n[on a terminal]".into()), ..plain });
    }

    #[test]
    fn a_command_on_a_terminal_is_told_of_that_one() {
        let desk = desk("shell");
        let kind = |args| {
            let env = spec(&desk.job(&args), &desk.spool).unwrap().spec.env;
            env.into_iter().filter(|(name, _)| name == "TERM").map(|(_, value)| value).collect::<Vec<_>>()
        };
        assert_eq!(kind(json!({"command": "x", "pty": true})), ["dumb"]);
        assert_eq!(kind(json!({"command": "x"})), std::env::var_os("TERM").into_iter().collect::<Vec<_>>());
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
        let late = texts::timed_out(Some(7));
        assert_eq!(text("a", Exit { timed_out: true, ..done.clone() }), (false, format!("a\n{late}")));
        assert_eq!(text("", Exit { timed_out: true, ..done.clone() }), (false, late));
        let no_longer_named = desk("shell").job(&json!({"command": "x"}));
        let late = RawOutcome::Finished { ok: false, output: texts::timed_out(None), exit: Some(0), signal: None };
        assert_eq!(exited(&no_longer_named, Exit { timed_out: true, ..done.clone() }, String::new()), late);
        let full = Exit { output_error: Some("disk full".into()), ..done };
        assert_eq!(text("a\n", full), (true, format!("a\n{}", texts::output_lost("disk full"))));
    }
}
