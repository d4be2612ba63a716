//! Commands that say something to a session, whoever drives it: send, approve, deny, stop, pause.

use super::look::after;
use super::{json_lines, said, session};
use crate::catalog::{TalkHelp, talk_help};
use crate::fault::Fault;
use clap::builder::{NonEmptyStringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command as Clap, value_parser};
use contract::ask::Grant;
use contract::body::{Mode, Scope};
use contract::id::{AskId, SessionId};
use contract::units::Version;

#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    pub session: SessionId,
    pub what: Said,
    pub key: Option<String>,
    pub json: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Message {
        text: String,
        mode: Mode,
    },
    /// The message of that event, said anew; meant as before unless a mode is named.
    Edit {
        event: Version,
        text: String,
        mode: Option<Mode>,
    },
    /// The message of that event is taken back.
    Withdraw {
        event: Version,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Approve {
    pub ask: AskId,
    pub how: Approval,
    pub key: Option<String>,
    pub json: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    Grant(Grant),
    /// With these arguments instead.
    Edit(String),
    /// With this much more.
    Extend(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Deny {
    pub ask: AskId,
    pub message: Option<String>,
    pub stop: bool,
    pub key: Option<String>,
    pub json: bool,
}

pub fn send_command() -> Clap {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let event = |name: &'static str| Arg::new(name).long(name).value_name("EVENT").value_parser(value_parser!(u64).range(1..));
    Clap::new("send")
        .about(talk_help(TalkHelp::Send))
        .after_help(talk_help(TalkHelp::SendAfter))
        .arg(session().required(true))
        .arg(
            Arg::new("text")
                .value_name("TEXT")
                .required_unless_present("withdraw")
                .conflicts_with("withdraw")
                .value_parser(NonEmptyStringValueParser::new().try_map(said))
                .help(talk_help(TalkHelp::Text)),
        )
        .arg(flag("steer").help(talk_help(TalkHelp::Steer)))
        .arg(flag("queue").help(talk_help(TalkHelp::Queue)))
        .arg(flag("interrupt").help(talk_help(TalkHelp::Interrupt)))
        .group(ArgGroup::new("how").args(["steer", "queue", "interrupt", "withdraw"]).multiple(false))
        .arg(event("edit").conflicts_with("withdraw").help(talk_help(TalkHelp::Edit)))
        .arg(event("withdraw").help(talk_help(TalkHelp::Withdraw)))
        .arg(key().conflicts_with("withdraw").help(talk_help(TalkHelp::SendKey)))
        .arg(json_lines())
}

pub fn approvals_command() -> Clap {
    Clap::new("approvals")
        .about(talk_help(TalkHelp::Approvals))
        .after_help(talk_help(TalkHelp::ApprovalsAfter))
        .arg(session())
        .arg(after())
        .arg(json_lines())
}

pub fn approve_command() -> Clap {
    Clap::new("approve")
        .about(talk_help(TalkHelp::Approve))
        .after_help(talk_help(TalkHelp::ApproveAfter))
        .arg(ask())
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("SCOPE")
                .value_parser(["once", "session", "always"])
                .default_value("once")
                .help(talk_help(TalkHelp::GrantScope)),
        )
        .arg(Arg::new("args").long("args").value_name("JSON").conflicts_with_all(["scope", "amount"]).help(talk_help(TalkHelp::EditArgs)))
        .arg(
            Arg::new("amount")
                .long("amount")
                .value_name("AMOUNT")
                .value_parser(NonEmptyStringValueParser::new())
                .conflicts_with("scope")
                .help(talk_help(TalkHelp::Amount)),
        )
        .arg(key().help(talk_help(TalkHelp::AnswerKey)))
        .arg(json_lines())
}

pub fn deny_command() -> Clap {
    Clap::new("deny")
        .about(talk_help(TalkHelp::DenyAsk))
        .after_help(talk_help(TalkHelp::DenyAfter))
        .arg(ask())
        .arg(Arg::new("text").value_name("TEXT").value_parser(NonEmptyStringValueParser::new()).help(talk_help(TalkHelp::DenyText)))
        .arg(Arg::new("stop").long("stop").action(ArgAction::SetTrue).help(talk_help(TalkHelp::DenyStop)))
        .arg(key().help(talk_help(TalkHelp::AnswerKey)))
        .arg(json_lines())
}

pub fn stop_command() -> Clap {
    Clap::new("stop")
        .about(talk_help(TalkHelp::Stop))
        .after_help(talk_help(TalkHelp::StopAfter))
        .arg(session().required(true))
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("SCOPE")
                .value_parser(["turn", "all"])
                .default_value("turn")
                .help(talk_help(TalkHelp::StopScope)),
        )
        .arg(json_lines())
}

pub fn pause_command() -> Clap {
    Clap::new("pause")
        .about(talk_help(TalkHelp::Pause))
        .after_help(talk_help(TalkHelp::PauseAfter))
        .arg(session().required(true))
        .arg(json_lines())
}

fn ask() -> Arg {
    Arg::new("ask").value_name("ASK").required(true).value_parser(value_parser!(AskId)).help(talk_help(TalkHelp::Ask))
}

pub fn key() -> Arg {
    Arg::new("key").long("key").value_name("KEY").value_parser(NonEmptyStringValueParser::new())
}

pub fn send(sub: &ArgMatches) -> Result<Send, Fault> {
    let text = sub.get_one::<String>("text").cloned().unwrap_or_default();
    let event = |name: &str| sub.get_one::<u64>(name).copied().map(Version);
    let what = match (event("withdraw"), event("edit")) {
        (Some(event), _) => Said::Withdraw { event },
        (None, Some(event)) => Said::Edit { event, mode: named_mode(sub), text },
        (None, None) => Said::Message { mode: mode(sub, &text), text },
    };
    Ok(Send { session: required(sub, "session")?, what, key: sub.get_one::<String>("key").cloned(), json: sub.get_flag("json") })
}

/// A leading question mark asks how things stand.
fn mode(sub: &ArgMatches, text: &str) -> Mode {
    named_mode(sub).unwrap_or(if text.starts_with('?') { Mode::Status } else { Mode::Steer })
}

fn named_mode(sub: &ArgMatches) -> Option<Mode> {
    let modes = [("queue", Mode::Queue), ("interrupt", Mode::Interrupt), ("steer", Mode::Steer)];
    modes.into_iter().find(|(name, _)| sub.get_flag(name)).map(|(_, mode)| mode)
}

pub fn approve(sub: &ArgMatches) -> Result<Approve, Fault> {
    let grant = match sub.get_one::<String>("scope").map(String::as_str) {
        Some("session") => Grant::Session,
        Some("always") => Grant::Always,
        Some(_) | None => Grant::Once,
    };
    let how = match (sub.get_one::<String>("args"), sub.get_one::<String>("amount")) {
        (Some(args), _) => Approval::Edit(args.clone()),
        (None, Some(amount)) => Approval::Extend(amount.clone()),
        (None, None) => Approval::Grant(grant),
    };
    Ok(Approve { ask: required(sub, "ask")?, how, key: sub.get_one::<String>("key").cloned(), json: sub.get_flag("json") })
}

pub fn deny(sub: &ArgMatches) -> Result<Deny, Fault> {
    Ok(Deny {
        ask: required(sub, "ask")?,
        message: sub.get_one::<String>("text").cloned(),
        stop: sub.get_flag("stop"),
        key: sub.get_one::<String>("key").cloned(),
        json: sub.get_flag("json"),
    })
}

pub fn scope(sub: &ArgMatches) -> Scope {
    if sub.get_one::<String>("scope").is_some_and(|scope| scope == "all") { Scope::All } else { Scope::Turn }
}

/// An argument that clap has demanded already.
pub fn required<T: Clone + std::marker::Send + Sync + 'static>(sub: &ArgMatches, name: &str) -> Result<T, Fault> {
    sub.get_one::<T>(name).cloned().ok_or_else(|| Fault::bug(name))
}
