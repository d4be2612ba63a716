//! What may run by itself, what a person is asked about, and what is refused. Deny wins, then allow, then risk.

use crate::state::{Call, State};
use contract::call::{Prepared, Risk};
use contract::config::{Autonomy, Policy};
use contract::rule::{Rule, RuleEffect};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement<'a> {
    Allow,
    Ask,
    Deny(&'a Rule),
}

/// Judges an open call by the policy of its run and by what people allowed in this session.
#[must_use]
pub fn judge<'a>(state: &'a State, call: &Call) -> Judgement<'a> {
    match &state.run {
        Some(run) => judge_call(&run.config.policy, &state.rules, &call.tool, &call.prepared, call.risk),
        // Nothing is started without a run.
        None => Judgement::Ask,
    }
}

#[must_use]
pub fn judge_call<'a>(policy: &'a Policy, granted: &'a [Rule], tool: &str, prepared: &Prepared, risk: Risk) -> Judgement<'a> {
    let speaks = |effect: RuleEffect| {
        let mut rules = policy.rules.iter().chain(granted).filter(move |rule| rule.effect == effect);
        rules.find(|rule| rule.matches(tool, prepared))
    };
    if let Some(rule) = speaks(RuleEffect::Deny) {
        return Judgement::Deny(rule);
    }
    if speaks(RuleEffect::Allow).is_some() {
        return Judgement::Allow;
    }
    let asks_from = match policy.autonomy {
        Autonomy::Ask => Risk::Medium,
        Autonomy::Auto => Risk::High,
        Autonomy::Full => return Judgement::Allow,
    };
    if risk >= asks_from { Judgement::Ask } else { Judgement::Allow }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(effect: RuleEffect, text: &str) -> Rule {
        Rule::parse(effect, text).unwrap()
    }

    fn judged(policy: &Policy, command: &str, risk: Risk) -> String {
        let prepared = Prepared { commands: vec![command.to_owned()], ..Prepared::default() };
        match judge_call(policy, &[], "shell", &prepared, risk) {
            Judgement::Allow => "allow".to_owned(),
            Judgement::Ask => "ask".to_owned(),
            Judgement::Deny(rule) => format!("deny by {rule}"),
        }
    }

    #[test]
    fn without_rules_the_risk_decides() {
        let by = |autonomy| {
            let policy = Policy { autonomy, ..Policy::default() };
            [Risk::Low, Risk::Medium, Risk::High].map(|risk| judged(&policy, "ls", risk))
        };
        assert_eq!(by(Autonomy::Ask), ["allow", "ask", "ask"]);
        assert_eq!(by(Autonomy::Auto), ["allow", "allow", "ask"]);
        assert_eq!(by(Autonomy::Full), ["allow", "allow", "allow"]);
    }

    #[test]
    fn a_rule_that_denies_wins_over_everything() {
        let rules = vec![rule(RuleEffect::Allow, "shell"), rule(RuleEffect::Deny, "shell(*rm *)")];
        for autonomy in [Autonomy::Ask, Autonomy::Auto, Autonomy::Full] {
            let policy = Policy { autonomy, rules: rules.clone(), ..Policy::default() };
            assert_eq!(judged(&policy, "rm -rf /", Risk::High), "deny by shell(*rm *)");
            assert_eq!(judged(&policy, "ls", Risk::High), "allow");
        }
    }
}
