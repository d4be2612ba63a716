//! What may run by itself, what a person is asked about, and what is refused.
//!
//! A rule that denies wins; then one that asks in any case; then the taint: a conversation that has seen what is private
//! and what strangers wrote tells nobody outside without a person's word. Then comes what a person allowed when they were
//! asked; then rules that ask; then rules that allow; then the risk, by the autonomy of the session. What could tell
//! somebody outside is of high risk once something private was seen: whoever wrote that may have asked for it.

use crate::state::{Call, State};
use contract::call::{Prepared, Risk, Touches};
use contract::config::{Autonomy, ConfigRef, Policy};
use contract::planted::{self, Bug};
use contract::rule::{Rule, RuleEffect, allowing};
use std::borrow::Cow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement<'a> {
    Allow(Why<'a>),
    Ask(Why<'a>),
    Deny(&'a Rule),
}

/// What decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why<'a> {
    /// Rules of the policy; several when each allows a part of the call.
    Rules(Vec<&'a Rule>),
    /// What a person allowed when they were asked.
    Granted(Vec<&'a Rule>),
    /// It could carry what is private to where a stranger wants it.
    Taint,
    /// It could carry out what is private, and no rule speaks of it.
    Leak,
    /// No rule speaks of it.
    Risk(Risk),
    /// The session may do everything.
    Full,
    /// Nothing is started without a run.
    NoRun,
}

impl Judgement<'_> {
    #[must_use]
    pub fn asks(&self) -> bool {
        matches!(self, Judgement::Ask(_))
    }
}

/// What a call is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    pub policy: &'a Policy,
    /// What people allowed in this session.
    pub granted: &'a [Rule],
    /// What people allowed in its folder for good.
    pub standing: &'a [Rule],
    /// What the session has seen.
    pub seen: Touches,
    /// What people allowed knowing that it has seen what is private and what strangers wrote.
    pub knowing: &'a [Rule],
}

impl<'a> Ground<'a> {
    #[must_use]
    pub fn of(state: &'a State, config: &'a ConfigRef) -> Ground<'a> {
        let seen = if planted::active(Bug::TaintForgotten) { Touches::default() } else { state.taint.seen };
        let knowing = state.taint.allowed.as_slice();
        Ground { policy: &config.policy, granted: &state.rules, standing: &config.standing, seen, knowing }
    }
}

/// Judges an open call by the policy of its run and by what people allowed in this session.
#[must_use]
pub fn judge<'a>(state: &'a State, call: &Call) -> Judgement<'a> {
    match &state.run {
        Some(run) => judge_call(Ground::of(state, &run.config), &call.tool, &reaching(state, call), call.risk),
        None => Judgement::Ask(Why::NoRun),
    }
}

/// What the call touches, with all that it reaches through another call: what is typed into a command with the network is
/// told to whoever that command talks to.
fn reaching<'c>(state: &State, call: &'c Call) -> Cow<'c, Prepared> {
    let through = call.prepared.target.and_then(|target| state.calls.get(&target));
    let is_told = !call.prepared.commands.is_empty() && through.is_some_and(|target| target.prepared.touches.egress);
    if !is_told || call.prepared.touches.egress {
        return Cow::Borrowed(&call.prepared);
    }
    let mut prepared = Prepared::clone(&call.prepared);
    prepared.touches.egress = true;
    // So a rule for it says the same as one for a command with the network.
    prepared.network = true;
    Cow::Owned(prepared)
}

/// The rule that approving this call for longer than once would add; none when it must be asked about each time, or
/// cannot be told by a rule.
#[must_use]
pub fn grantable(state: &State, call: &Call) -> Option<Rule> {
    let confirm = match judge(state, call) {
        Judgement::Ask(Why::Rules(rules)) => rules.iter().any(|rule| rule.effect == RuleEffect::Confirm),
        Judgement::Ask(_) | Judgement::Allow(_) | Judgement::Deny(_) => false,
    };
    if confirm { None } else { Rule::exactly(&call.tool, &reaching(state, call)) }
}

#[must_use]
pub fn judge_call<'a>(ground: Ground<'a>, tool: &str, prepared: &Prepared, risk: Risk) -> Judgement<'a> {
    let Ground { policy, granted, standing, seen, knowing } = ground;
    let speaking = |effect: RuleEffect| {
        let all = policy.rules.iter();
        all.filter(move |rule| rule.effect == effect).filter(|rule| rule.matches(tool, prepared))
    };
    if let Some(rule) = speaking(RuleEffect::Deny).next() {
        return Judgement::Deny(rule);
    }
    if let Some(rule) = speaking(RuleEffect::Confirm).next() {
        return Judgement::Ask(Why::Rules(vec![rule]));
    }
    // What strangers wrote may be why the call itself looks at what is private.
    if prepared.touches.egress && seen.untrusted && (seen.private || prepared.touches.private) {
        return match allowing(knowing, tool, prepared) {
            Some(rules) => Judgement::Allow(Why::Granted(rules)),
            None => Judgement::Ask(Why::Taint),
        };
    }
    if policy.autonomy == Autonomy::Full {
        return Judgement::Allow(Why::Full);
    }
    let said = || granted.iter().chain(standing);
    if let Some(rules) = allowing(said(), tool, prepared) {
        return Judgement::Allow(Why::Granted(rules));
    }
    if let Some(rule) = speaking(RuleEffect::Ask).next() {
        return Judgement::Ask(Why::Rules(vec![rule]));
    }
    if let Some(rules) = allowing(policy.rules.iter().chain(said()), tool, prepared) {
        return Judgement::Allow(Why::Rules(rules));
    }
    if prepared.touches.egress && seen.private {
        return Judgement::Ask(Why::Leak);
    }
    let asks_from = match policy.autonomy {
        Autonomy::Ask => Risk::Medium,
        Autonomy::Auto | Autonomy::Full => Risk::High,
    };
    if risk >= asks_from { Judgement::Ask(Why::Risk(risk)) } else { Judgement::Allow(Why::Risk(risk)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(effect: RuleEffect, text: &str) -> Rule {
        Rule::parse(effect, text).unwrap()
    }

    fn judged(policy: &Policy, granted: &[Rule], command: &str, risk: Risk) -> String {
        let list = |rules: Vec<&Rule>| rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let why = |why| match why {
            Why::Rules(rules) => list(rules),
            Why::Granted(rules) => format!("{}, granted", list(rules)),
            Why::Taint => "taint".to_owned(),
            Why::Leak => "leak".to_owned(),
            Why::Risk(_) => "risk".to_owned(),
            Why::Full => "full".to_owned(),
            Why::NoRun => "no run".to_owned(),
        };
        let prepared = Prepared { commands: vec![command.to_owned()], ..Prepared::default() };
        match judge_call(Ground { policy, granted, standing: &[], seen: Touches::default(), knowing: &[] }, "shell", &prepared, risk) {
            Judgement::Allow(by) => format!("allow by {}", why(by)),
            Judgement::Ask(by) => format!("ask by {}", why(by)),
            Judgement::Deny(rule) => format!("deny by {rule}"),
        }
    }

    #[test]
    fn without_rules_the_risk_decides() {
        let by = |autonomy| {
            let policy = Policy { autonomy, ..Policy::default() };
            [Risk::Low, Risk::Medium, Risk::High].map(|risk| judged(&policy, &[], "ls", risk))
        };
        assert_eq!(by(Autonomy::Ask), ["allow by risk", "ask by risk", "ask by risk"]);
        assert_eq!(by(Autonomy::Auto), ["allow by risk", "allow by risk", "ask by risk"]);
        assert_eq!(by(Autonomy::Full), ["allow by full", "allow by full", "allow by full"]);
    }

    #[test]
    fn a_rule_that_denies_wins_over_everything() {
        let rules = vec![rule(RuleEffect::Allow, "shell"), rule(RuleEffect::Deny, "shell(*rm *)")];
        for autonomy in [Autonomy::Ask, Autonomy::Auto, Autonomy::Full] {
            let policy = Policy { autonomy, rules: rules.clone(), ..Policy::default() };
            assert_eq!(judged(&policy, &rules, "rm -rf /", Risk::High), "deny by shell(*rm *)");
            assert!(judged(&policy, &[], "ls", Risk::High).starts_with("allow"));
        }
    }

    #[test]
    fn a_rule_that_asks_wins_over_one_that_allows_until_a_person_has_allowed_the_call() {
        let rules = vec![rule(RuleEffect::Allow, "shell(git *)"), rule(RuleEffect::Ask, "shell(git push*)")];
        let policy = Policy { rules, ..Policy::default() };
        let granted = [rule(RuleEffect::Allow, "shell(git push)")];
        assert_eq!(judged(&policy, &[], "git status", Risk::High), "allow by shell(git *)");
        assert_eq!(judged(&policy, &[], "git push", Risk::Low), "ask by shell(git push*)");
        assert_eq!(judged(&policy, &granted, "git push", Risk::Low), "allow by shell(git push), granted");
        assert_eq!(judged(&policy, &granted, "git push --force", Risk::Low), "ask by shell(git push*)");
        let full = Policy { autonomy: Autonomy::Full, ..policy };
        assert_eq!(judged(&full, &[], "git push", Risk::High), "allow by full");
    }

    #[test]
    fn what_is_to_be_confirmed_is_asked_about_every_time_and_in_every_mode() {
        let confirm = rule(RuleEffect::Confirm, "shell(git push*)");
        let granted = [rule(RuleEffect::Allow, "shell(git push)")];
        for autonomy in [Autonomy::Ask, Autonomy::Auto, Autonomy::Full] {
            let policy = Policy { autonomy, rules: vec![confirm.clone()], ..Policy::default() };
            assert_eq!(judged(&policy, &granted, "git push", Risk::Low), "ask by shell(git push*)");
        }
    }

    #[test]
    fn a_tainted_session_tells_nobody_outside_without_a_word() {
        let policy = Policy { autonomy: Autonomy::Full, rules: vec![rule(RuleEffect::Allow, "fetch_url")], ..Policy::default() };
        let host = |touches| Prepared { hosts: vec!["docs.rs".to_owned()], touches, ..Prepared::default() };
        let known = [rule(RuleEffect::Allow, "fetch_url(docs.rs)")];
        const BOTH: Touches = Touches { private: true, untrusted: true, egress: false };
        const STRANGE: Touches = Touches { private: false, ..BOTH };
        let judged = |seen, knowing, touches| {
            let ground = Ground { policy: &policy, granted: &known, standing: &known, seen, knowing };
            judge_call(ground, "fetch_url", &host(touches), Risk::Low)
        };
        assert_eq!(judged(BOTH, &[], Touches::NETWORK), Judgement::Ask(Why::Taint), "whatever the mode, the rules and earlier answers");
        assert_eq!(judged(BOTH, &known, Touches::NETWORK), Judgement::Allow(Why::Granted(vec![&known[0]])), "allowed since");
        assert_eq!(judged(BOTH, &[], Touches::PRIVATE), Judgement::Allow(Why::Full), "it stays inside");
        assert_eq!(judged(STRANGE, &[], Touches::NETWORK), Judgement::Allow(Why::Full), "there is nothing to tell");
        let looks_and_tells = Touches::PRIVATE.and(Touches::NETWORK);
        assert_eq!(judged(STRANGE, &[], looks_and_tells), Judgement::Ask(Why::Taint), "what it tells, it finds itself");
        assert_eq!(judged(Touches::PRIVATE, &[], looks_and_tells), Judgement::Allow(Why::Full), "no stranger has spoken");
    }

    #[test]
    fn who_has_seen_what_is_private_tells_somebody_outside_only_by_a_rule_or_a_word() {
        let page = Prepared { hosts: vec!["docs.rs".to_owned()], touches: Touches::NETWORK, ..Prepared::default() };
        let known = [rule(RuleEffect::Allow, "fetch_url(docs.rs)")];
        let judged = |policy: &Policy, granted: &[Rule], private| {
            let seen = Touches { private, ..Touches::default() };
            let ground = Ground { policy, granted, standing: &[], seen, knowing: &[] };
            match judge_call(ground, "fetch_url", &page, Risk::Medium) {
                Judgement::Allow(_) => "allow",
                Judgement::Ask(Why::Leak) => "leak",
                Judgement::Ask(_) => "ask",
                Judgement::Deny(_) => "deny",
            }
        };
        let by = |autonomy| Policy { autonomy, ..Policy::default() };
        assert_eq!(judged(&by(Autonomy::Auto), &[], false), "allow", "nothing to tell");
        assert_eq!(judged(&by(Autonomy::Auto), &[], true), "leak");
        assert_eq!(judged(&by(Autonomy::Full), &[], true), "allow", "which is what this mode is for");
        assert_eq!(judged(&by(Autonomy::Auto), &known, true), "allow", "a person's word");
        assert_eq!(judged(&Policy { rules: known.to_vec(), ..by(Autonomy::Auto) }, &[], true), "allow", "a rule");
        assert_eq!(judged(&by(Autonomy::Ask), &[], false), "ask");
    }
}
