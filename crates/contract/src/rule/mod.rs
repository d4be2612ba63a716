//! Rules by people: which calls are allowed, asked about or refused.
//!
//! A rule is `tool`, `tool(pattern)` or `tool+network(pattern)`. What a pattern is held against is what preparing the
//! call found: its commands, else its hosts, else its paths. `matching` says how, `glob` has the three kinds of patterns.

mod glob;
mod matching;

pub use matching::allowing;

use crate::call::{Prepared, is_false};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    Allow,
    Ask,
    /// Asks in every mode, and whatever was answered before.
    Confirm,
    Deny,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    pub effect: RuleEffect,
    pub tool: String,
    /// Speaks of calls with a network: one that allows also of these, another only of these.
    #[serde(default, skip_serializing_if = "is_false")]
    pub network: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a rule such as shell(git status*) or read_file")]
pub struct BadRule {
    pub text: String,
}

/// What a rule puts behind the tool when it is about calls with a network.
const NETWORK: &str = "+network";

impl Rule {
    /// About every call of a tool.
    #[must_use]
    pub fn every(effect: RuleEffect, tool: &str) -> Rule {
        Rule { effect, tool: tool.to_owned(), network: false, pattern: None }
    }

    pub fn parse(effect: RuleEffect, text: &str) -> Result<Rule, BadRule> {
        let bad = || BadRule { text: text.to_owned() };
        let (tool, pattern) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(bad)?)),
        };
        let (tool, network) = tool.strip_suffix(NETWORK).map_or((tool, false), |tool| (tool, true));
        let plain = !tool.is_empty() && tool.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'*');
        let filled = pattern.is_none_or(|pattern| !pattern.is_empty());
        if !plain || !filled {
            return Err(bad());
        }
        Ok(Rule { network, pattern: pattern.map(ToOwned::to_owned), ..Rule::every(effect, tool) })
    }

    /// The narrowest rule that allows this very call again; none when its subjects cannot be told by one pattern.
    #[must_use]
    pub fn exactly(tool: &str, prepared: &Prepared) -> Option<Rule> {
        let pattern = Some(matching::exact_pattern(prepared)?);
        Some(Rule { network: prepared.network, pattern, ..Rule::every(RuleEffect::Allow, tool) })
    }

    /// Whether the rule speaks of calls of this tool at all.
    #[must_use]
    pub fn names(&self, tool: &str) -> bool {
        glob::text(&self.tool, tool)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let network = if self.network { NETWORK } else { "" };
        match &self.pattern {
            Some(pattern) => write!(f, "{}{network}({pattern})", self.tool),
            None => write!(f, "{}{network}", self.tool),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_a_tool_or_a_tool_with_a_pattern() {
        for good in ["shell", "shell(git status*)", "write_file(src/**)", "*", "shell+network", "shell+network(git push*)"] {
            assert_eq!(Rule::parse(RuleEffect::Allow, good).unwrap().to_string(), good);
        }
        for bad in ["", "shell(", "shell()", "sh ell", "(x)", "shell(x", "+network", "shell+net", "shell+network+network"] {
            assert!(Rule::parse(RuleEffect::Allow, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_stored_rule_has_only_what_differs_from_the_usual() {
        let stored = |rule: &Rule| serde_json::to_string(rule).unwrap();
        let plain = Rule::parse(RuleEffect::Deny, "shell(rm *)").unwrap();
        assert_eq!(stored(&plain), r#"{"effect":"deny","tool":"shell","pattern":"rm *"}"#);
        let confirmed = Rule::parse(RuleEffect::Confirm, "shell+network").unwrap();
        assert_eq!(stored(&confirmed), r#"{"effect":"confirm","tool":"shell","network":true}"#);
        assert_eq!(serde_json::from_str::<Rule>(&stored(&confirmed)).unwrap(), confirmed);
    }
}
