//! What may run by itself, what a person is asked about, and what is refused.
//!
//! A rule that denies wins; then one that asks in any case; then the taint: a conversation that has seen what is private
//! and what strangers wrote tells nobody outside without a person's word. Then comes what a person allowed when they were
//! asked; then rules that ask; then rules that allow; then the risk, by the autonomy of the session.

use crate::state::{Call, State};
use contract::call::{Prepared, Risk};
use contract::config::{Autonomy, ConfigRef, Policy};
use contract::rule::{Rule, RuleEffect, allowing};

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
    /// Set when the session has seen what is private and what strangers wrote: what people allowed knowing that.
    pub tainted: Option<&'a [Rule]>,
}

impl<'a> Ground<'a> {
    #[must_use]
    pub fn of(state: &'a State, config: &'a ConfigRef) -> Ground<'a> {
        let tainted = state.taint.is_whole().then_some(state.taint.allowed.as_slice());
        Ground { policy: &config.policy, granted: &state.rules, standing: &config.standing, tainted }
    }
}

/// Judges an open call by the policy of its run and by what people allowed in this session.
#[must_use]
pub fn judge<'a>(state: &'a State, call: &Call) -> Judgement<'a> {
    match &state.run {
        Some(run) => judge_call(Ground::of(state, &run.config), &call.tool, &call.prepared, call.risk),
        None => Judgement::Ask(Why::NoRun),
    }
}

/// The rule that approving this call for longer than once would add; none when it must be asked about each time, or
/// cannot be told by a rule.
#[must_use]
pub fn grantable(state: &State, call: &Call) -> Option<Rule> {
    let confirm = match judge(state, call) {
        Judgement::Ask(Why::Rules(rules)) => rules.iter().any(|rule| rule.effect == RuleEffect::Confirm),
        Judgement::Ask(_) | Judgement::Allow(_) | Judgement::Deny(_) => false,
    };
    if confirm { None } else { Rule::exactly(&call.tool, &call.prepared) }
}

#[must_use]
pub fn judge_call<'a>(ground: Ground<'a>, tool: &str, prepared: &Prepared, risk: Risk) -> Judgement<'a> {
    let Ground { policy, granted, standing, tainted } = ground;
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
    if let Some(knowing) = tainted.filter(|_| prepared.touches.egress) {
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
    let asks_from = match policy.autonomy {
        Autonomy::Ask => Risk::Medium,
        Autonomy::Auto | Autonomy::Full => Risk::High,
    };
    if risk >= asks_from { Judgement::Ask(Why::Risk(risk)) } else { Judgement::Allow(Why::Risk(risk)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::call::Touches;

    fn rule(effect: RuleEffect, text: &str) -> Rule {
        Rule::parse(effect, text).unwrap()
    }

    fn judged(policy: &Policy, granted: &[Rule], command: &str, risk: Risk) -> String {
        let list = |rules: Vec<&Rule>| rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let why = |why| match why {
            Why::Rules(rules) => list(rules),
            Why::Granted(rules) => format!("{}, granted", list(rules)),
            Why::Taint => "taint".to_owned(),
            Why::Risk(_) => "risk".to_owned(),
            Why::Full => "full".to_owned(),
            Why::NoRun => "no run".to_owned(),
        };
        let prepared = Prepared { commands: vec![command.to_owned()], ..Prepared::default() };
        match judge_call(Ground { policy, granted, standing: &[], tainted: None }, "shell", &prepared, risk) {
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
        let judged = |tainted, touches| {
            judge_call(Ground { policy: &policy, granted: &known, standing: &known, tainted }, "fetch_url", &host(touches), Risk::Low)
        };
        assert_eq!(judged(Some(&[][..]), Touches::NETWORK), Judgement::Ask(Why::Taint), "whatever the mode, the rules and earlier answers");
        assert_eq!(judged(Some(&known[..]), Touches::NETWORK), Judgement::Allow(Why::Granted(vec![&known[0]])), "allowed since");
        assert_eq!(judged(Some(&[][..]), Touches::PRIVATE), Judgement::Allow(Why::Full), "it stays inside");
        assert_eq!(judged(None, Touches::NETWORK), Judgement::Allow(Why::Full));
    }
}
