//! What is said of rules and of trust.

use super::en;
use contract::config::Autonomy;
use contract::rule::Rule;
use std::path::Path;
use throughline::policy::{SourcedRule, Verdict};

/// Texts of `--help` of `thru policy` and `thru trust`.
#[derive(Clone, Copy, Debug)]
pub enum PolicyHelp {
    Policy,
    After,
    Test,
    TestAfter,
    Line,
    Tool,
    Network,
    List,
    ListAll,
    Remove,
    RemoveAfter,
    Rule,
    Trust,
    TrustAfter,
    TrustFolder,
    TrustRemove,
    TrustList,
}

#[derive(Clone, Copy, Debug)]
pub enum PolicyLine<'a> {
    Rule(&'a SourcedRule),
    RuleElsewhere { rule: &'a Rule, folder: &'a str },
    NoRules,
    Verdict { verdict: &'a Verdict, autonomy: Autonomy },
    By(&'a SourcedRule),
    Opaque,
    Part(&'a str),
    Removed { rule: &'a str, folder: &'a str },
    Trusted(&'a Path),
    TrustsNow(&'a Path),
    TrustsNoMore(&'a Path),
    Wish(&'a str),
    Follows(&'a Path),
}

#[must_use]
pub fn policy_help(text: PolicyHelp) -> &'static str {
    en::policy_help(text)
}

#[must_use]
pub fn policy_line(what: &PolicyLine<'_>) -> String {
    en::policy_line(what)
}
