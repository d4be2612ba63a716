//! Commands that look at sessions, and those that look after them.

use super::{json, json_lines, no_sandbox, quiet, session};
use crate::catalog::{LookHelp, look_help};
use clap::{Arg, ArgAction, ArgMatches, Command as Clap, value_parser};
use contract::id::SessionId;
use contract::units::Position;

/// What `thru status` is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusOf {
    Work,
    Running,
    Session(SessionId),
}

pub fn attach_command() -> Clap {
    Clap::new("attach")
        .about(look_help(LookHelp::Attach))
        .after_help(look_help(LookHelp::AttachAfter))
        .arg(session().required(true))
        .arg(no_sandbox())
        .arg(json())
        .arg(quiet())
}

pub fn daemon_command() -> Clap {
    Clap::new("daemon").about(look_help(LookHelp::Daemon)).after_help(look_help(LookHelp::DaemonAfter)).arg(no_sandbox()).arg(json_lines())
}

pub fn status_command() -> Clap {
    Clap::new("status")
        .about(look_help(LookHelp::Status))
        .after_help(look_help(LookHelp::StatusAfter))
        .arg(session())
        .arg(Arg::new("running").long("running").action(ArgAction::SetTrue).conflicts_with("session").help(look_help(LookHelp::Running)))
        .arg(after())
        .arg(json_lines())
}

pub fn cost_command() -> Clap {
    Clap::new("cost").about(look_help(LookHelp::Cost)).after_help(look_help(LookHelp::CostAfter)).arg(after()).arg(json_lines())
}

/// A position that the list must have reached.
pub fn after() -> Arg {
    Arg::new("after").long("after").value_name("POSITION").value_parser(value_parser!(u64)).help(look_help(LookHelp::After))
}

pub fn after_of(sub: &ArgMatches) -> Option<Position> {
    sub.get_one::<u64>("after").copied().map(Position)
}

pub fn status_of(sub: &ArgMatches) -> StatusOf {
    match sub.get_one::<SessionId>("session") {
        Some(session) => StatusOf::Session(*session),
        None if sub.get_flag("running") => StatusOf::Running,
        None => StatusOf::Work,
    }
}
