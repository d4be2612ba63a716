//! `thru fork`, `thru export`, `thru import` and `thru doctor`: what can be done with a session, or all data, as a whole.

use super::run::{chosen_on_ask, on_ask};
use super::talk::{key, required};
use super::{OnAsk, Show, json, json_lines, quiet, said, session, show};
use crate::catalog::{KeepHelp, keep_help};
use crate::fault::Fault;
use clap::builder::{NonEmptyStringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command as Clap, value_parser};
use contract::id::SessionId;
use contract::units::Version;
use std::path::PathBuf;

/// A session that begins as another one was.
#[derive(Clone, Debug, PartialEq)]
pub struct Fork {
    pub from: SessionId,
    /// Its last event that counts; none is the newest.
    pub at: Option<Version>,
    /// What is said to the new session at once.
    pub text: Option<String>,
    /// The same key again is the same fork.
    pub key: Option<String>,
    pub show: Show,
    pub on_ask: Option<OnAsk>,
}

pub fn fork_command() -> Clap {
    Clap::new("fork")
        .about(keep_help(KeepHelp::Fork))
        .after_help(keep_help(KeepHelp::ForkAfter))
        .arg(session().required(true))
        .arg(
            Arg::new("text")
                .value_name("TEXT")
                .value_parser(NonEmptyStringValueParser::new().try_map(said))
                .help(keep_help(KeepHelp::ForkText)),
        )
        .arg(Arg::new("at").long("at").value_name("EVENT").value_parser(value_parser!(u64)).help(keep_help(KeepHelp::ForkAt)))
        .arg(key().help(keep_help(KeepHelp::ForkKey)))
        .arg(on_ask())
        .arg(json().help(keep_help(KeepHelp::ForkJson)))
        .arg(quiet())
}

pub fn export_command() -> Clap {
    Clap::new("export")
        .about(keep_help(KeepHelp::Export))
        .after_help(keep_help(KeepHelp::ExportAfter))
        .arg(session().required(true))
        .arg(dir().help(keep_help(KeepHelp::ExportFolder)))
        .arg(json_lines())
}

pub fn import_command() -> Clap {
    Clap::new("import")
        .about(keep_help(KeepHelp::Import))
        .after_help(keep_help(KeepHelp::ImportAfter))
        .arg(dir().help(keep_help(KeepHelp::ImportFolder)))
        .arg(json_lines())
}

pub fn doctor_command() -> Clap {
    Clap::new("doctor")
        .about(keep_help(KeepHelp::Doctor))
        .after_help(keep_help(KeepHelp::DoctorAfter))
        .arg(Arg::new("fix").long("fix").action(ArgAction::SetTrue).help(keep_help(KeepHelp::DoctorFix)))
        .arg(json_lines())
}

fn dir() -> Arg {
    Arg::new("dir").value_name("DIR").value_parser(value_parser!(PathBuf)).required(true)
}

pub fn fork(sub: &ArgMatches) -> Result<Fork, Fault> {
    Ok(Fork {
        from: required(sub, "session")?,
        at: sub.get_one::<u64>("at").copied().map(Version),
        text: sub.get_one::<String>("text").cloned(),
        key: sub.get_one::<String>("key").cloned(),
        show: show(sub),
        on_ask: chosen_on_ask(sub),
    })
}
