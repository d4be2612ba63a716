//! `thru run` and `thru resume`: what a person can wish of the work.

use super::{Show, folder, json, no_sandbox, quiet, said, session, session_flag};
use crate::amount;
use crate::catalog::{Help, WishHelp, help, wish_help};
use clap::builder::{NonEmptyStringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command as Clap, value_parser};
use contract::config::{Autonomy, Limits, OnUnknown, Policy, ResumePolicy};
use contract::id::SessionId;
use contract::limits::ASK_VALID_MS_DEFAULT;
use contract::rule::{Rule, RuleEffect};
use std::path::PathBuf;
use throughline::Sandboxing;

#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub task: String,
    pub model: Option<String>,
    pub base_url: Option<String>,
    pub fallback: Vec<String>,
    pub folder: PathBuf,
    pub session: Option<SessionId>,
    pub key: Option<String>,
    pub max_turns: Option<u32>,
    pub resume: ResumePolicy,
    pub policy: Policy,
    pub limits: Limits,
    pub show: Show,
    pub on_ask: Option<OnAsk>,
    pub sandboxing: Sandboxing,
}

/// What happens when the work needs a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnAsk {
    /// Stay until somebody answers, here or from elsewhere.
    Wait,
    /// Leave; the work waits in the log.
    Park,
    /// Say no.
    Deny,
}

pub fn run_command() -> Clap {
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
        .arg(Arg::new("base-url").long("base-url").value_name("URL").conflicts_with("session").help(help(Help::BaseUrl)))
        .arg(Arg::new("fallback").long("fallback").value_name("MODEL").action(ArgAction::Append).help(help(Help::Fallback)))
        .arg(folder())
        .arg(session_flag())
        .arg(Arg::new("key").long("key").value_name("KEY").value_parser(NonEmptyStringValueParser::new()).help(help(Help::Key)))
        .args(policy_args())
        .args(limit_args())
        .arg(choice("on-resume", &["continue", "ask", "paused"]).default_value("continue").help(wish_help(WishHelp::OnResume)))
        .arg(on_ask())
        .arg(no_sandbox())
        .arg(json())
        .arg(quiet())
}

pub fn resume_command() -> Clap {
    Clap::new("resume")
        .about(help(Help::Resume))
        .after_help(help(Help::ResumeAfter))
        .arg(session().required_unless_present("last"))
        .arg(Arg::new("last").long("last").action(ArgAction::SetTrue).conflicts_with("session").help(help(Help::Last)))
        .arg(on_ask())
        .arg(no_sandbox())
        .arg(json())
        .arg(quiet())
}

pub fn policy_args() -> [Arg; 5] {
    let rule = |name: &'static str, effect: RuleEffect| {
        let parser = NonEmptyStringValueParser::new().try_map(move |text: String| Rule::parse(effect, &text));
        Arg::new(name).long(name).value_name("RULE").action(ArgAction::Append).value_parser(parser)
    };
    [
        choice("mode", &["ask", "auto", "full"]).default_value("auto").help(wish_help(WishHelp::Mode)),
        rule("allow", RuleEffect::Allow).help(wish_help(WishHelp::Allow)),
        rule("deny", RuleEffect::Deny).help(wish_help(WishHelp::Deny)),
        choice("on-unknown", &["tell", "ask"]).default_value("tell").help(wish_help(WishHelp::OnUnknown)),
        length("ask-timeout").help(wish_help(WishHelp::AskTimeout)),
    ]
}

fn limit_args() -> [Arg; 5] {
    let number = |name: &'static str| Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u64).range(1..));
    [
        Arg::new("max-turns")
            .long("max-turns")
            .value_name("N")
            .value_parser(value_parser!(u32).range(1..))
            .help(wish_help(WishHelp::MaxTurns)),
        number("max-tool-calls").help(wish_help(WishHelp::MaxToolCalls)),
        number("max-tokens").help(wish_help(WishHelp::MaxTokens)),
        Arg::new("max-cost").long("max-cost").value_name("AMOUNT").value_parser(amount::money).help(wish_help(WishHelp::MaxCost)),
        length("timeout").help(wish_help(WishHelp::Timeout)),
    ]
}

fn choice(name: &'static str, values: &'static [&'static str]) -> Arg {
    Arg::new(name).long(name).value_name("HOW").value_parser(values.to_vec())
}

fn length(name: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("TIME").value_parser(amount::time)
}

pub fn on_ask() -> Arg {
    choice("on-ask", &["wait", "park", "deny"]).help(wish_help(WishHelp::OnAsk))
}

pub fn run(sub: &ArgMatches) -> Run {
    Run {
        task: sub.get_one::<String>("task").cloned().unwrap_or_default(),
        model: sub.get_one::<String>("model").cloned(),
        base_url: sub.get_one::<String>("base-url").cloned(),
        fallback: sub.get_many::<String>("fallback").into_iter().flatten().cloned().collect(),
        folder: sub.get_one::<PathBuf>("folder").cloned().unwrap_or_default(),
        session: sub.get_one::<SessionId>("session").copied(),
        key: sub.get_one::<String>("key").cloned(),
        max_turns: sub.get_one::<u32>("max-turns").copied(),
        resume: match word(sub, "on-resume") {
            Some("ask") => ResumePolicy::Ask,
            Some("paused") => ResumePolicy::Paused,
            Some(_) | None => ResumePolicy::Continue,
        },
        policy: policy(sub),
        limits: Limits {
            tool_calls: sub.get_one::<u64>("max-tool-calls").copied(),
            tokens: sub.get_one::<u64>("max-tokens").copied(),
            cost_micros: sub.get_one::<u64>("max-cost").copied(),
            wall_ms: sub.get_one::<u64>("timeout").copied(),
        },
        show: super::show(sub),
        on_ask: chosen_on_ask(sub),
        sandboxing: super::sandboxing(sub),
    }
}

pub fn chosen_on_ask(sub: &ArgMatches) -> Option<OnAsk> {
    Some(match word(sub, "on-ask")? {
        "wait" => OnAsk::Wait,
        "deny" => OnAsk::Deny,
        _ => OnAsk::Park,
    })
}

fn policy(sub: &ArgMatches) -> Policy {
    Policy {
        on_unknown: if word(sub, "on-unknown") == Some("ask") { OnUnknown::Ask } else { OnUnknown::Tell },
        ask_valid_ms: sub.get_one::<u64>("ask-timeout").copied().unwrap_or(ASK_VALID_MS_DEFAULT),
        ..tried(sub)
    }
}

/// As much of a policy as judges a call.
pub fn tried(sub: &ArgMatches) -> Policy {
    let rules = |name: &str| sub.get_many::<Rule>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    Policy {
        autonomy: match word(sub, "mode") {
            Some("ask") => Autonomy::Ask,
            Some("full") => Autonomy::Full,
            Some(_) | None => Autonomy::Auto,
        },
        rules: [rules("deny"), rules("allow")].concat(),
        ..Policy::default()
    }
}

fn word<'a>(sub: &'a ArgMatches, name: &str) -> Option<&'a str> {
    sub.get_one::<String>(name).map(String::as_str)
}
