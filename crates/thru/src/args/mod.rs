//! What can be said on the command line.

use crate::catalog::{Help, help};
use crate::fault::Fault;
use clap::builder::{NonEmptyStringValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command as Clap, value_parser};
use contract::body::Mode;
use contract::config::ResumePolicy;
use contract::id::SessionId;
use contract::units::Version;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Run(Run),
    Resume {
        which: Which,
        show: Show,
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
    Send {
        session: SessionId,
        text: String,
        mode: Mode,
        key: Option<String>,
        json: bool,
    },
    Status {
        session: Option<SessionId>,
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
            Command::Resume { show, .. } => show.json,
            Command::Events { .. } | Command::Verify { .. } | Command::Send { .. } | Command::Status { .. } | Command::Print(_) => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub task: String,
    pub model: Option<String>,
    pub fallback: Vec<String>,
    pub folder: PathBuf,
    pub session: Option<SessionId>,
    pub key: Option<String>,
    pub max_turns: Option<u32>,
    pub resume: ResumePolicy,
    pub show: Show,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Last,
    Session(SessionId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show {
    pub json: bool,
    pub quiet: bool,
}

/// What clap calls an error although somebody asked for it.
const PRINTED: &[ErrorKind] = &[ErrorKind::DisplayHelp, ErrorKind::DisplayVersion, ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand];

pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, Fault> {
    match clap().try_get_matches_from(args) {
        Ok(matches) => command(&matches),
        Err(error) if PRINTED.contains(&error.kind()) => Ok(Command::Print(error.render().to_string())),
        Err(error) => Err(Fault::usage(&first_line(&error))),
    }
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
        .subcommands([run_command(), resume_command(), events_command(), send_command(), status_command(), verify_command()])
}

fn run_command() -> Clap {
    Clap::new("run")
        .about(help(Help::Run))
        .after_help(help(Help::RunAfter))
        .arg(
            Arg::new("task")
                .value_name("TASK")
                .required(true)
                .value_parser(NonEmptyStringValueParser::new().try_map(said))
                .help(help(Help::Task)),
        )
        .arg(Arg::new("model").long("model").value_name("MODEL").help(help(Help::Model)))
        .arg(Arg::new("fallback").long("fallback").value_name("MODEL").action(ArgAction::Append).help(help(Help::Fallback)))
        .arg(folder())
        .arg(session_flag())
        .arg(Arg::new("key").long("key").value_name("KEY").value_parser(NonEmptyStringValueParser::new()).help(help(Help::Key)))
        .arg(Arg::new("max-turns").long("max-turns").value_name("N").value_parser(value_parser!(u32).range(1..)).help(help(Help::MaxTurns)))
        .arg(
            Arg::new("on-resume")
                .long("on-resume")
                .value_name("POLICY")
                .value_parser(["continue", "ask", "paused"])
                .default_value("continue")
                .help(help(Help::OnResume)),
        )
        .arg(json())
        .arg(quiet())
}

fn resume_command() -> Clap {
    Clap::new("resume")
        .about(help(Help::Resume))
        .after_help(help(Help::ResumeAfter))
        .arg(session().required_unless_present("last"))
        .arg(Arg::new("last").long("last").action(ArgAction::SetTrue).conflicts_with("session").help(help(Help::Last)))
        .arg(json())
        .arg(quiet())
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

fn send_command() -> Clap {
    Clap::new("send")
        .about(help(Help::Send))
        .after_help(help(Help::SendAfter))
        .arg(session().required(true))
        .arg(
            Arg::new("text")
                .value_name("TEXT")
                .required(true)
                .value_parser(NonEmptyStringValueParser::new().try_map(said))
                .help(help(Help::Text)),
        )
        .arg(Arg::new("steer").long("steer").action(ArgAction::SetTrue).conflicts_with("queue").help(help(Help::Steer)))
        .arg(Arg::new("queue").long("queue").action(ArgAction::SetTrue).help(help(Help::Queue)))
        .arg(Arg::new("key").long("key").value_name("KEY").value_parser(NonEmptyStringValueParser::new()).help(help(Help::SendKey)))
        .arg(json_lines())
}

fn status_command() -> Clap {
    Clap::new("status").about(help(Help::Status)).after_help(help(Help::StatusAfter)).arg(session()).arg(json_lines())
}

fn verify_command() -> Clap {
    Clap::new("verify").about(help(Help::Verify)).after_help(help(Help::VerifyAfter)).arg(session()).arg(json_lines())
}

/// A task that says something.
fn said(task: String) -> Result<String, &'static str> {
    if task.trim().is_empty() { Err(help(Help::EmptyTask)) } else { Ok(task) }
}

fn folder() -> Arg {
    Arg::new("folder").short('C').value_name("DIR").value_parser(value_parser!(PathBuf)).default_value(".").help(help(Help::Folder))
}

fn session() -> Arg {
    Arg::new("session").value_name("ID").value_parser(value_parser!(SessionId)).help(help(Help::Session))
}

fn session_flag() -> Arg {
    let of_the_session = ["model", "fallback", "folder", "max-turns", "on-resume"];
    session().long("session").conflicts_with_all(of_the_session).help(help(Help::SessionFlag))
}

fn json() -> Arg {
    json_lines().help(help(Help::Json))
}

/// JSON without an outcome, for commands that only look.
fn json_lines() -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue).help(help(Help::JsonLines))
}

fn quiet() -> Arg {
    Arg::new("quiet").long("quiet").short('q').action(ArgAction::SetTrue).help(help(Help::Quiet))
}

fn command(matches: &ArgMatches) -> Result<Command, Fault> {
    let show = |sub: &ArgMatches| Show { json: sub.get_flag("json"), quiet: sub.get_flag("quiet") };
    let session = |sub: &ArgMatches| sub.get_one::<SessionId>("session").copied();
    Ok(match matches.subcommand() {
        Some(("run", sub)) => Command::Run(Run {
            task: sub.get_one::<String>("task").cloned().unwrap_or_default(),
            model: sub.get_one::<String>("model").cloned(),
            fallback: sub.get_many::<String>("fallback").into_iter().flatten().cloned().collect(),
            folder: sub.get_one::<PathBuf>("folder").cloned().unwrap_or_default(),
            session: session(sub),
            key: sub.get_one::<String>("key").cloned(),
            max_turns: sub.get_one::<u32>("max-turns").copied(),
            resume: match sub.get_one::<String>("on-resume").map(String::as_str) {
                Some("ask") => ResumePolicy::Ask,
                Some("paused") => ResumePolicy::Paused,
                Some(_) | None => ResumePolicy::Continue,
            },
            show: show(sub),
        }),
        Some(("resume", sub)) => {
            let which = session(sub).map_or(Which::Last, Which::Session);
            Command::Resume { which, show: show(sub) }
        }
        Some(("events", sub)) => {
            let Some(session) = session(sub) else { return Err(Fault::bug("events without a session")) };
            let from = Version(sub.get_one::<u64>("from").copied().unwrap_or(1));
            Command::Events { session, from, follow: sub.get_flag("follow"), json: sub.get_flag("json") }
        }
        Some(("send", sub)) => {
            let Some(session) = session(sub) else { return Err(Fault::bug("send without a session")) };
            Command::Send {
                session,
                text: sub.get_one::<String>("text").cloned().unwrap_or_default(),
                mode: if sub.get_flag("queue") { Mode::Queue } else { Mode::Steer },
                key: sub.get_one::<String>("key").cloned(),
                json: sub.get_flag("json"),
            }
        }
        Some(("status", sub)) => Command::Status { session: session(sub), json: sub.get_flag("json") },
        Some(("verify", sub)) => Command::Verify { session: session(sub), json: sub.get_flag("json") },
        Some((name, _)) => return Err(Fault::bug(name)),
        None => return Err(Fault::bug("no command")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, Fault> {
        parse(line.split(' ').map(OsString::from))
    }

    #[test]
    fn a_task_and_its_wishes_are_understood() {
        let Ok(Command::Run(run)) = parsed("thru run --model script:x -C /tmp --max-turns 3 --on-resume ask --json hello") else {
            panic!("it is a run")
        };
        assert_eq!((run.task.as_str(), run.model.as_deref(), run.max_turns), ("hello", Some("script:x"), Some(3)));
        assert_eq!((run.resume, run.show.json, run.show.quiet), (ResumePolicy::Ask, true, false));
    }

    #[test]
    fn bad_usage_is_one_line_that_names_it() {
        for (line, names) in [
            ("thru run --modle x task", "--modle"),
            ("thru run", "TASK"),
            ("thru fly", "fly"),
            ("thru events nonsense", "ses_"),
            ("thru run --max-turns 0 x", "--max-turns"),
            ("thru resume", "ID"),
        ] {
            let fault = parsed(line).unwrap_err();
            assert_eq!(fault.code, 2, "{line}");
            assert!(fault.message.contains(names) && !fault.message.contains('\n'), "{line}: {}", fault.message);
        }
    }

    #[test]
    fn help_is_printed_and_is_no_fault() {
        assert!(matches!(parsed("thru --help"), Ok(Command::Print(text)) if text.contains("resume")));
        assert!(matches!(parsed("thru --version"), Ok(Command::Print(text)) if text.contains(env!("CARGO_PKG_VERSION"))));
    }
}
