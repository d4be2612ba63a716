//! `thru policy` and `thru trust`: what may run, and whose settings count.

use super::talk::required;
use super::{folder, json_lines, run};
use crate::catalog::{PolicyHelp, policy_help};
use crate::fault::Fault;
use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command as Clap, value_parser};
use contract::config::Policy;
use contract::rule::{Rule, RuleEffect};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq)]
pub struct Policies {
    pub what: PolicyOf,
    pub folder: PathBuf,
    /// What a run would be told on its command line.
    pub policy: Policy,
    pub json: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyOf {
    /// Also what was allowed for good in other folders.
    List {
        all: bool,
    },
    /// Take back what was allowed for good.
    Remove {
        rule: Rule,
    },
    Test {
        tool: String,
        line: String,
        network: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trust {
    pub what: TrustOf,
    pub folder: PathBuf,
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustOf {
    Add,
    Remove,
    List,
}

pub fn policy_command() -> Clap {
    let wishes = || run::policy_args().into_iter().filter(|arg| ["mode", "allow", "deny"].contains(&arg.get_id().as_str()));
    Clap::new("policy")
        .about(policy_help(PolicyHelp::Policy))
        .after_help(policy_help(PolicyHelp::After))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([
            Clap::new("test")
                .about(policy_help(PolicyHelp::Test))
                .after_help(policy_help(PolicyHelp::TestAfter))
                .arg(
                    Arg::new("line")
                        .value_name("COMMAND")
                        .required(true)
                        .value_parser(NonEmptyStringValueParser::new())
                        .help(policy_help(PolicyHelp::Line)),
                )
                .arg(Arg::new("tool").long("tool").value_name("TOOL").default_value("shell").help(policy_help(PolicyHelp::Tool)))
                .arg(Arg::new("network").long("network").action(ArgAction::SetTrue).help(policy_help(PolicyHelp::Network)))
                .args(wishes())
                .arg(folder())
                .arg(json_lines()),
            Clap::new("list")
                .about(policy_help(PolicyHelp::List))
                .arg(Arg::new("all").long("all").action(ArgAction::SetTrue).help(policy_help(PolicyHelp::ListAll)))
                .arg(folder())
                .arg(json_lines()),
            Clap::new("remove")
                .about(policy_help(PolicyHelp::Remove))
                .after_help(policy_help(PolicyHelp::RemoveAfter))
                .arg(
                    Arg::new("rule")
                        .value_name("RULE")
                        .required(true)
                        .value_parser(|text: &str| Rule::parse(RuleEffect::Allow, text).map_err(|bad| bad.to_string()))
                        .help(policy_help(PolicyHelp::Rule)),
                )
                .arg(folder())
                .arg(json_lines()),
        ])
}

pub fn policy(sub: &ArgMatches) -> Result<Policies, Fault> {
    let (what, sub) = match sub.subcommand() {
        Some(("test", sub)) => {
            let tool = sub.get_one::<String>("tool").cloned().unwrap_or_default();
            (PolicyOf::Test { tool, line: required(sub, "line")?, network: sub.get_flag("network") }, sub)
        }
        Some(("list", sub)) => (PolicyOf::List { all: sub.get_flag("all") }, sub),
        Some(("remove", sub)) => (PolicyOf::Remove { rule: required(sub, "rule")? }, sub),
        Some((name, _)) => return Err(Fault::bug(name)),
        None => return Err(Fault::bug("no command")),
    };
    let policy = if matches!(what, PolicyOf::Test { .. }) { run::tried(sub) } else { Policy::default() };
    let folder = sub.get_one::<PathBuf>("folder").cloned().unwrap_or_default();
    Ok(Policies { what, folder, policy, json: sub.get_flag("json") })
}

pub fn trust_command() -> Clap {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Clap::new("trust")
        .about(policy_help(PolicyHelp::Trust))
        .after_help(policy_help(PolicyHelp::TrustAfter))
        .arg(
            Arg::new("folder")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .default_value(".")
                .help(policy_help(PolicyHelp::TrustFolder)),
        )
        .arg(flag("remove").help(policy_help(PolicyHelp::TrustRemove)))
        .arg(flag("list").conflicts_with("remove").help(policy_help(PolicyHelp::TrustList)))
        .arg(json_lines())
}

pub fn trust(sub: &ArgMatches) -> Trust {
    let what = match (sub.get_flag("remove"), sub.get_flag("list")) {
        (true, _) => TrustOf::Remove,
        (false, true) => TrustOf::List,
        (false, false) => TrustOf::Add,
    };
    Trust { what, folder: sub.get_one::<PathBuf>("folder").cloned().unwrap_or_default(), json: sub.get_flag("json") }
}
