//! `thru auth`: keys of models, by name.

use super::json_lines;
use super::talk::required;
use crate::catalog::{AuthHelp, auth_help};
use crate::fault::Fault;
use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, Command as Clap};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// The value comes over standard input, so that no list of processes shows it.
    Set {
        name: String,
    },
    List {
        json: bool,
    },
    Remove {
        name: String,
    },
}

pub fn auth_command() -> Clap {
    let name = || Arg::new("name").value_name("NAME").required(true).value_parser(NonEmptyStringValueParser::new());
    Clap::new("auth").about(auth_help(AuthHelp::Auth)).after_help(auth_help(AuthHelp::After)).subcommand_required(true).subcommands([
        Clap::new("set").about(auth_help(AuthHelp::Set)).arg(name().help(auth_help(AuthHelp::Name))),
        Clap::new("list").about(auth_help(AuthHelp::List)).arg(json_lines()),
        Clap::new("rm").about(auth_help(AuthHelp::Remove)).arg(name().help(auth_help(AuthHelp::Name))),
    ])
}

pub fn auth(sub: &ArgMatches) -> Result<Auth, Fault> {
    Ok(match sub.subcommand() {
        Some(("set", sub)) => Auth::Set { name: required(sub, "name")? },
        Some(("list", sub)) => Auth::List { json: sub.get_flag("json") },
        Some(("rm", sub)) => Auth::Remove { name: required(sub, "name")? },
        Some((name, _)) => return Err(Fault::bug(name)),
        None => return Err(Fault::bug("no command")),
    })
}
