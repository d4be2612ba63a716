//! `[[policy.rules]]`: rules as files write them, each with its own examples.

use contract::rule::{Rule, RuleEffect};
use serde::Deserialize;
use toml::Spanned;

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PolicyEntry {
    rules: Vec<Spanned<RuleEntry>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    effect: Effect,
    rule: String,
    /// Calls that the rule must speak of.
    #[serde(default)]
    matches: Vec<String>,
    /// Calls that it must not speak of.
    #[serde(default)]
    differs: Vec<String>,
    confirm: Option<Confirm>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Effect {
    Allow,
    Ask,
    Deny,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Confirm {
    Always,
}

impl PolicyEntry {
    /// The rules, if each is one and keeps what its examples promise; else why not, with the line.
    pub(super) fn rules(&self, text: &str) -> Result<Vec<Rule>, String> {
        let check = |entry: &Spanned<RuleEntry>| {
            let line = text.get(..entry.span().start).unwrap_or(text).matches('\n').count() + 1;
            entry.get_ref().rule().map_err(|reason| format!("line {line}: {reason}"))
        };
        self.rules.iter().map(check).collect()
    }
}

impl RuleEntry {
    fn rule(&self) -> Result<Rule, String> {
        let effect = match (self.effect, self.confirm) {
            (Effect::Allow, None) => RuleEffect::Allow,
            (Effect::Ask, None) => RuleEffect::Ask,
            (Effect::Ask, Some(Confirm::Always)) => RuleEffect::Confirm,
            (Effect::Deny, None) => RuleEffect::Deny,
            (Effect::Allow | Effect::Deny, Some(_)) => {
                return Err(format!("confirm = \"always\" is for rules that ask, and {} does not", self.rule));
            }
        };
        let rule = Rule::parse(effect, &self.rule).map_err(|bad| bad.to_string())?;
        if !tools::names().any(|tool| rule.names(tool)) {
            let known: Vec<&str> = tools::names().collect();
            return Err(format!("the rule {rule} names no tool; there are {}", known.join(", ")));
        }
        for (examples, wanted) in [(&self.matches, true), (&self.differs, false)] {
            for example in examples {
                let found = speaks_of(&rule, example)?;
                if found != wanted {
                    let how = if wanted { "does not match" } else { "matches" };
                    return Err(format!("the rule {rule} {how} its example `{example}`"));
                }
            }
        }
        Ok(rule)
    }
}

fn speaks_of(rule: &Rule, line: &str) -> Result<bool, String> {
    let mut example = tools::example(&rule.tool, line).map_err(|error| format!("the rule {rule} can have no examples: {error}"))?;
    example.prepared.network = rule.network;
    Ok(rule.matches(&rule.tool, &example.prepared))
}
