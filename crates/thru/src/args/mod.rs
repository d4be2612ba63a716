//! What can be said on the command line.

mod auth;
mod keep;
mod look;
mod models;
mod policy;
mod run;
mod talk;

pub use auth::Auth;
pub use keep::Fork;
pub use look::StatusOf;
pub use models::{Models, ModelsOf};
pub use policy::{Policies, PolicyOf, Trust, TrustOf};
pub use run::{OnAsk, Run};
pub use talk::{Approval, Approve, Deny, Said, Send};

use crate::catalog::{Help, Problem, WishHelp, help, wish_help};
use crate::fault::Fault;
use auth::auth_command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command as Clap, value_parser};
use contract::body::Scope;
use contract::id::SessionId;
use contract::units::{Position, Version};
use keep::{doctor_command, export_command, fork_command, import_command};
use look::{attach_command, cost_command, daemon_command, status_command};
use models::models_command;
use policy::{policy_command, trust_command};
use run::{resume_command, run_command};
use std::ffi::OsString;
use std::path::PathBuf;
use talk::{approvals_command, approve_command, deny_command, pause_command, send_command, stop_command};
use throughline::Sandboxing;

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Run(Box<Run>),
    Resume {
        which: Which,
        show: Show,
        on_ask: Option<OnAsk>,
        sandboxing: Sandboxing,
    },
    Events {
        session: SessionId,
        from: Version,
        follow: bool,
        json: bool,
    },
    Verify {
        session: Option<SessionId>,
        json: bool,
    },
    Fork(Fork),
    Export {
        session: SessionId,
        dir: PathBuf,
        json: bool,
    },
    Import {
        dir: PathBuf,
        json: bool,
    },
    Doctor {
        fix: bool,
        json: bool,
    },
    Send(Send),
    Attach {
        session: SessionId,
        show: Show,
        sandboxing: Sandboxing,
    },
    Daemon {
        json: bool,
        sandboxing: Sandboxing,
    },
    Auth(Auth),
    Models(Models),
    Policy(Policies),
    Trust(Trust),
    Status {
        what: StatusOf,
        after: Option<Position>,
        json: bool,
    },
    Cost {
        after: Option<Position>,
        json: bool,
    },
    Approvals {
        session: Option<SessionId>,
        after: Option<Position>,
        json: bool,
    },
    Approve(Approve),
    Deny(Deny),
    Stop {
        session: SessionId,
        scope: Scope,
        json: bool,
    },
    Pause {
        session: SessionId,
        json: bool,
    },
    /// Help or version, already rendered.
    Print(String),
}

impl Command {
    /// Whether the outcome must be the last line on stdout, whatever happens.
    pub fn wants_json(&self) -> bool {
        match self {
            Command::Run(run) => run.show.json,
            Command::Resume { show, .. } | Command::Attach { show, .. } => show.json,
            Command::Fork(fork) => fork.text.is_some() && fork.show.json,
            Command::Events { .. }
            | Command::Export { .. }
            | Command::Import { .. }
            | Command::Doctor { .. }
            | Command::Verify { .. }
            | Command::Send(_)
            | Command::Daemon { .. }
            | Command::Auth(_)
            | Command::Models(_)
            | Command::Policy(_)
            | Command::Trust(_)
            | Command::Status { .. }
            | Command::Cost { .. }
            | Command::Approvals { .. }
            | Command::Approve(_)
            | Command::Deny(_)
            | Command::Stop { .. }
            | Command::Pause { .. }
            | Command::Print(_) => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Last,
    Session(SessionId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show {
    pub json: bool,
    /// With the JSON, also what is said right now and never stored.
    pub deltas: bool,
    pub quiet: bool,
}

/// What clap calls an error although somebody asked for it.
const PRINTED: &[ErrorKind] = &[ErrorKind::DisplayHelp, ErrorKind::DisplayVersion, ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand];

pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, Fault> {
    let args: Vec<OsString> = args.into_iter().collect();
    match clap().try_get_matches_from(&args) {
        Ok(matches) => command(&matches),
        Err(error) if PRINTED.contains(&error.kind()) => Ok(Command::Print(error.render().to_string())),
        Err(error) => Err(usage(&error, args.get(1).and_then(|command| command.to_str()))),
    }
}

/// Whether a line that is not understood would have wanted the outcome as its last one.
pub fn would_want_json(args: impl IntoIterator<Item = OsString>) -> bool {
    let args: Vec<OsString> = args.into_iter().take_while(|arg| arg != "--").collect();
    let tells_outcome = args.get(1).is_some_and(|command| command == "run" || command == "resume" || command == "attach");
    tells_outcome && args.iter().any(|arg| arg == "--json")
}

fn usage(error: &clap::Error, command: Option<&str>) -> Fault {
    let what = first_line(error);
    let plain_word = matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(arg)) if !arg.starts_with('-'));
    Fault::new(match (command, error.kind()) {
        (Some("run"), ErrorKind::UnknownArgument) if plain_word => Problem::TaskUsage(&what),
        (Some("resume"), ErrorKind::MissingRequiredArgument) => Problem::WhichSession,
        _ => Problem::Usage(&what),
    })
}

fn first_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let is_said = |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more information");
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(is_said).filter(|line| !line.is_empty()).collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

fn clap() -> Clap {
    Clap::new("thru")
        .version(env!("CARGO_PKG_VERSION"))
        .about(help(Help::About))
        .after_help(help(Help::After))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([
            run_command(),
            resume_command(),
            attach_command(),
            send_command(),
            status_command(),
            cost_command(),
            approvals_command(),
            approve_command(),
            deny_command(),
            stop_command(),
            pause_command(),
            fork_command(),
            export_command(),
            import_command(),
            events_command(),
            verify_command(),
            doctor_command(),
            daemon_command(),
            auth_command(),
            models_command(),
            policy_command(),
            trust_command(),
        ])
}

fn events_command() -> Clap {
    Clap::new("events")
        .about(help(Help::Events))
        .after_help(help(Help::EventsAfter))
        .arg(session().required(true))
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("VERSION")
                .value_parser(value_parser!(u64).range(1..))
                .default_value("1")
                .help(help(Help::From)),
        )
        .arg(Arg::new("follow").long("follow").short('f').action(ArgAction::SetTrue).help(help(Help::Follow)))
        .arg(json_lines())
}

fn verify_command() -> Clap {
    Clap::new("verify").about(help(Help::Verify)).after_help(help(Help::VerifyAfter)).arg(session()).arg(json_lines())
}

/// A text that says something.
fn said(text: String) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err(help(Help::EmptyText)) } else { Ok(text) }
}

fn folder() -> Arg {
    Arg::new("folder").short('C').value_name("DIR").value_parser(value_parser!(PathBuf)).default_value(".").help(help(Help::Folder))
}

fn session() -> Arg {
    Arg::new("session").value_name("ID").value_parser(value_parser!(SessionId)).help(help(Help::Session))
}

fn session_flag() -> Arg {
    let of_the_session = [
        "model",
        "fallback",
        "folder",
        "mode",
        "allow",
        "deny",
        "on-unknown",
        "ask-timeout",
        "max-turns",
        "max-tool-calls",
        "max-tokens",
        "max-cost",
        "timeout",
        "on-resume",
    ];
    session().long("session").conflicts_with_all(of_the_session).help(help(Help::SessionFlag))
}

/// JSON of work that is followed, which may also tell what is said right now.
fn json() -> Arg {
    let values = [EVENTS, DELTAS];
    let json = Arg::new("json").long("json").value_name("WHAT").value_parser(values).help(help(Help::Json));
    json.num_args(0..=1).require_equals(true).default_missing_value(EVENTS)
}

const EVENTS: &str = "events";
const DELTAS: &str = "deltas";

/// JSON without an outcome, for commands that only look.
fn json_lines() -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue).help(help(Help::JsonLines))
}

fn quiet() -> Arg {
    Arg::new("quiet").long("quiet").short('q').action(ArgAction::SetTrue).help(help(Help::Quiet))
}

fn no_sandbox() -> Arg {
    Arg::new("unsafe-no-sandbox").long("unsafe-no-sandbox").action(ArgAction::SetTrue).help(wish_help(WishHelp::NoSandbox))
}

fn sandboxing(sub: &ArgMatches) -> Sandboxing {
    if sub.get_flag("unsafe-no-sandbox") { Sandboxing::Off } else { Sandboxing::On }
}

fn show(sub: &ArgMatches) -> Show {
    let json = sub.get_one::<String>("json");
    Show { json: json.is_some(), deltas: json.is_some_and(|what| what == DELTAS), quiet: sub.get_flag("quiet") }
}

fn command(matches: &ArgMatches) -> Result<Command, Fault> {
    let session = |sub: &ArgMatches| sub.get_one::<SessionId>("session").copied();
    let json = |sub: &ArgMatches| sub.get_flag("json");
    Ok(match matches.subcommand() {
        Some(("run", sub)) => Command::Run(Box::new(run::run(sub))),
        Some(("resume", sub)) => {
            let which = session(sub).map_or(Which::Last, Which::Session);
            Command::Resume { which, show: show(sub), on_ask: run::chosen_on_ask(sub), sandboxing: sandboxing(sub) }
        }
        Some(("events", sub)) => {
            let from = Version(sub.get_one::<u64>("from").copied().unwrap_or(1));
            Command::Events { session: talk::required(sub, "session")?, from, follow: sub.get_flag("follow"), json: json(sub) }
        }
        Some(("send", sub)) => Command::Send(talk::send(sub)?),
        Some(("attach", sub)) => Command::Attach { session: talk::required(sub, "session")?, show: show(sub), sandboxing: sandboxing(sub) },
        Some(("models", sub)) => Command::Models(models::models(sub)),
        Some(("policy", sub)) => Command::Policy(policy::policy(sub)?),
        Some(("trust", sub)) => Command::Trust(policy::trust(sub)),
        Some(("auth", sub)) => Command::Auth(auth::auth(sub)?),
        Some(("daemon", sub)) => Command::Daemon { json: json(sub), sandboxing: sandboxing(sub) },
        Some(("status", sub)) => Command::Status { what: look::status_of(sub), after: look::after_of(sub), json: json(sub) },
        Some(("cost", sub)) => Command::Cost { after: look::after_of(sub), json: json(sub) },
        Some(("approvals", sub)) => Command::Approvals { session: session(sub), after: look::after_of(sub), json: json(sub) },
        Some(("approve", sub)) => Command::Approve(talk::approve(sub)?),
        Some(("deny", sub)) => Command::Deny(talk::deny(sub)?),
        Some(("stop", sub)) => Command::Stop { session: talk::required(sub, "session")?, scope: talk::scope(sub), json: json(sub) },
        Some(("pause", sub)) => Command::Pause { session: talk::required(sub, "session")?, json: json(sub) },
        Some(("fork", sub)) => Command::Fork(keep::fork(sub)?),
        Some(("export", sub)) => {
            Command::Export { session: talk::required(sub, "session")?, dir: talk::required(sub, "dir")?, json: json(sub) }
        }
        Some(("import", sub)) => Command::Import { dir: talk::required(sub, "dir")?, json: json(sub) },
        Some(("doctor", sub)) => Command::Doctor { fix: sub.get_flag("fix"), json: json(sub) },
        Some(("verify", sub)) => Command::Verify { session: session(sub), json: json(sub) },
        Some((name, _)) => return Err(Fault::bug(name)),
        None => return Err(Fault::bug("no command")),
    })
}

#[cfg(test)]
mod any_argv_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use contract::body::Mode;
    use contract::config::{Autonomy, ResumePolicy};

    fn parsed(line: &str) -> Result<Command, Fault> {
        parse(line.split(' ').map(OsString::from))
    }

    #[test]
    fn a_task_and_its_wishes_are_understood() {
        let line = "thru run --model script:x -C /tmp --max-turns 3 --on-resume ask --json --mode full --allow shell(ls*) --deny shell(rm*) \
                    --timeout 2m --max-cost 0.5 --ask-timeout 10m --on-ask park hello";
        let Ok(Command::Run(run)) = parsed(&line.split_whitespace().collect::<Vec<_>>().join(" ")) else { panic!("it is a run") };
        assert_eq!((run.task.as_str(), run.model.as_deref(), run.max_turns), ("hello", Some("script:x"), Some(3)));
        assert_eq!((run.resume, run.show.json, run.show.quiet), (ResumePolicy::Ask, true, false));
        let rules: Vec<String> = run.policy.rules.iter().map(ToString::to_string).collect();
        assert_eq!((run.policy.autonomy, rules), (Autonomy::Full, vec!["shell(rm*)".to_owned(), "shell(ls*)".to_owned()]));
        assert_eq!((run.limits.wall_ms, run.limits.cost_micros), (Some(120_000), Some(500_000)));
        assert_eq!((run.policy.ask_valid_ms, run.on_ask), (600_000, Some(OnAsk::Park)));
    }

    #[test]
    fn how_a_message_is_meant_is_said_by_one_flag_or_a_question_mark() {
        let id = "ses_00000000000000000000000000";
        for (line, mode) in [
            (format!("thru send {id} x"), Mode::Steer),
            (format!("thru send {id} x --queue"), Mode::Queue),
            (format!("thru send {id} x --interrupt"), Mode::Interrupt),
            (format!("thru send {id} ?"), Mode::Status),
            (format!("thru send {id} ?x --steer"), Mode::Steer),
        ] {
            let Ok(Command::Send(Send { what: Said::Message { mode: parsed, .. }, .. })) = parsed(&line) else { panic!("{line}") };
            assert_eq!(parsed, mode, "{line}");
        }
        let withdrawn = parsed(&format!("thru send {id} --withdraw 7"));
        assert!(matches!(withdrawn, Ok(Command::Send(Send { what: Said::Withdraw { event: Version(7) }, .. }))));
        for wrong in ["x --withdraw 7", "--withdraw 7 --key k"] {
            assert!(parsed(&format!("thru send {id} {wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bad_usage_is_one_line_that_names_it() {
        for (line, names) in [
            ("thru run --modle x task", "--modle"),
            ("thru run", "TASK"),
            ("thru run --model x one too many", "too"),
            ("thru fly", "fly"),
            ("thru events nonsense", "ses_"),
            ("thru run --max-turns 0 x", "--max-turns"),
            ("thru resume", "ID"),
            ("thru run --allow shell( x", "shell("),
            ("thru run --timeout 5x x", "5x"),
            ("thru approve nonsense", "ask_"),
        ] {
            let fault = parsed(line).unwrap_err();
            assert_eq!(fault.code, 2, "{line}");
            assert!(fault.message.contains(names) && !fault.message.contains('\n'), "{line}: {}", fault.message);
            assert_eq!(fault.hint.contains("quotes"), line.ends_with("too many"), "{line}: {}", fault.hint);
            assert_eq!(fault.hint.contains("--last"), line == "thru resume", "{line}: {}", fault.hint);
        }
    }

    #[test]
    fn a_script_hears_the_outcome_of_a_line_that_is_not_understood() {
        let wants = |line: &str| would_want_json(line.split(' ').map(OsString::from));
        assert!(wants("thru run --json --bad x") && wants("thru resume --json"));
        assert!(!wants("thru run x -- --json") && !wants("thru status --json --bad") && !wants("thru run --bad"));
    }

    #[test]
    fn help_is_printed_and_is_no_fault() {
        assert!(matches!(parsed("thru --help"), Ok(Command::Print(text)) if text.contains("resume")));
        assert!(matches!(parsed("thru --version"), Ok(Command::Print(text)) if text.contains(env!("CARGO_PKG_VERSION"))));
    }
}
