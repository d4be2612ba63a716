//! Rules by people: which calls are allowed, asked about or refused.
//!
//! A rule is `tool` or `tool(pattern)`; `*` in a pattern is any text, `\\*` a star. What a pattern is held against is
//! what preparing the call found: its commands, else its hosts, else its paths.

use crate::call::Prepared;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    Allow,
    Deny,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    pub effect: RuleEffect,
    pub tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a rule such as shell(git status*) or read_file")]
pub struct BadRule {
    pub text: String,
}

impl Rule {
    pub fn parse(effect: RuleEffect, text: &str) -> Result<Rule, BadRule> {
        let bad = || BadRule { text: text.to_owned() };
        let (tool, pattern) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(bad)?)),
        };
        let plain = !tool.is_empty() && tool.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'*');
        let filled = pattern.is_none_or(|pattern| !pattern.is_empty());
        if !plain || !filled {
            return Err(bad());
        }
        Ok(Rule { effect, tool: tool.to_owned(), pattern: pattern.map(ToOwned::to_owned) })
    }

    /// The narrowest rule that allows this very call again; none when its subjects cannot be told by one pattern.
    #[must_use]
    pub fn exactly(tool: &str, prepared: &Prepared) -> Option<Rule> {
        let literal = |text: &String| text.replace('\\', "\\\\").replace('*', "\\*");
        match subjects(prepared) {
            [one] => Some(Rule { effect: RuleEffect::Allow, tool: tool.to_owned(), pattern: Some(literal(one)) }),
            _ => None,
        }
    }

    /// Whether the rule speaks of calls of this tool at all.
    #[must_use]
    pub fn names(&self, tool: &str) -> bool {
        glob(&self.tool, tool)
    }

    /// Whether the rule speaks of this call. An allowing rule must match all of it, a denying one any part.
    #[must_use]
    pub fn matches(&self, tool: &str, prepared: &Prepared) -> bool {
        if !self.names(tool) {
            return false;
        }
        let Some(pattern) = &self.pattern else { return true };
        let subjects = subjects(prepared);
        match self.effect {
            RuleEffect::Allow => !subjects.is_empty() && subjects.iter().all(|subject| allows(pattern, subject, prepared)),
            RuleEffect::Deny => prepared.unlisted || subjects.iter().any(|subject| denies(pattern, subject, prepared)),
        }
    }
}

/// A pattern cannot see into a line that does several things, so of such only the very line itself is allowed; and what
/// is outside the workspace, which is an absolute path, is allowed only by a pattern that says so.
fn allows(pattern: &str, subject: &str, prepared: &Prepared) -> bool {
    let plain = is_plain(subject) || !has_wildcard(pattern);
    let is_path = prepared.commands.is_empty() && prepared.hosts.is_empty();
    let reaches = !is_path || !subject.starts_with('/') || pattern.starts_with('/');
    plain && reaches && glob(pattern, subject)
}

/// What is denied is denied from any word of the line on and however it is spaced: `sudo rm x` runs `rm x`. Quotes and
/// other names of the same program are not seen through.
fn denies(pattern: &str, subject: &str, prepared: &Prepared) -> bool {
    let mut parts = subject.split(SEPARATORS).filter(|_| !prepared.commands.is_empty());
    glob(pattern, subject) || parts.any(|part| denies_from_any_word(pattern, part))
}

fn denies_from_any_word(pattern: &str, part: &str) -> bool {
    let words: Vec<&str> = part.split_whitespace().collect();
    (0..words.len()).any(|first| glob(pattern, &words[first..].join(" ")))
}

/// What may stand between two commands of a line.
const SEPARATORS: &[char] = &[';', '|', '&', '\n', '\r', '(', ')', '{', '}', '`', '$', '<', '>', '!'];

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Some(pattern) => write!(f, "{}({pattern})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

fn subjects(prepared: &Prepared) -> &[String] {
    [&prepared.commands, &prepared.hosts, &prepared.paths].into_iter().find(|list| !list.is_empty()).map_or(&[], |list| list.as_slice())
}

/// Whether a command line is one simple command without anything that a shell would treat specially.
fn is_plain(subject: &str) -> bool {
    !subject.contains(|c: char| ";|&$`<>(){}\n\r\\!#".contains(c))
}

fn has_wildcard(pattern: &str) -> bool {
    let mut escaped = false;
    pattern.chars().any(|c| {
        let star = c == '*' && !escaped;
        escaped = c == '\\' && !escaped;
        star
    })
}

/// `*` is any text, also none; a backslash takes the next character literally.
fn glob(pattern: &str, text: &str) -> bool {
    #[derive(PartialEq)]
    enum Piece {
        Any,
        Char(char),
    }
    let mut pieces = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '*' => Piece::Any,
            '\\' => Piece::Char(chars.next().unwrap_or('\\')),
            other => Piece::Char(other),
        });
    }
    // Row by row: which beginnings of the text the pieces so far can match.
    let text: Vec<char> = text.chars().collect();
    let mut reach: Vec<bool> = std::iter::once(true).chain(text.iter().map(|_| false)).collect();
    for piece in &pieces {
        let mut next = vec![false; reach.len()];
        for at in 0..reach.len() {
            next[at] = match piece {
                Piece::Any => reach[at] || (at > 0 && next[at - 1]),
                Piece::Char(c) => at > 0 && reach[at - 1] && text[at - 1] == *c,
            };
        }
        reach = next;
    }
    reach.last().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(command: &str) -> Prepared {
        Prepared { commands: vec![command.to_owned()], ..Prepared::default() }
    }

    fn allows(rule: &str, command: &str) -> bool {
        Rule::parse(RuleEffect::Allow, rule).unwrap().matches("shell", &shell(command))
    }

    fn denies(rule: &str, command: &str) -> bool {
        Rule::parse(RuleEffect::Deny, rule).unwrap().matches("shell", &shell(command))
    }

    #[test]
    fn a_rule_is_a_tool_or_a_tool_with_a_pattern() {
        for good in ["shell", "shell(git status*)", "write_file(src/**)", "*"] {
            assert_eq!(Rule::parse(RuleEffect::Allow, good).unwrap().to_string(), good);
        }
        for bad in ["", "shell(", "shell()", "sh ell", "(x)", "shell(x"] {
            assert!(Rule::parse(RuleEffect::Allow, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_allowing_pattern_never_sees_into_a_line_of_several_commands() {
        assert!(allows("shell(git status*)", "git status -s"));
        for more in
            ["git status; rm x", "git status && rm x", "git status | sh", "git status $(rm x)", "git status\nrm x", "git status > x"]
        {
            assert!(!allows("shell(git status*)", more), "{more}");
        }
        assert!(allows("shell(a; b)", "a; b"), "the whole line itself");
        assert!(allows("shell", "anything; at all"), "every call");
    }

    #[test]
    fn a_denying_pattern_matches_anywhere_it_fits() {
        assert!(denies("shell(*rm *)", "ls; rm -rf x"));
        assert!(!denies("shell(rm *)", "ls"));
        for hidden in [
            "true; rm x",
            " rm x",
            "rm\tx",
            "a && rm  -rf x",
            "echo $(rm x)",
            "a | rm x",
            "{ rm x; }",
            "a\nrm x",
            "`rm x`",
            "sudo rm x",
            "X=1 rm x",
        ] {
            assert!(denies("shell(rm *)", hidden), "{hidden:?}");
        }
        assert!(!denies("shell(rm *)", "echo 'alarm x'"));
    }

    #[test]
    fn what_is_too_long_to_be_seen_is_allowed_by_no_pattern_and_denied_by_any() {
        let unseen = Prepared { unlisted: true, ..Prepared::default() };
        let rule = |effect| Rule::parse(effect, "shell(*rm *)").unwrap();
        assert!(rule(RuleEffect::Deny).matches("shell", &unseen) && !rule(RuleEffect::Allow).matches("shell", &unseen));
        assert!(!rule(RuleEffect::Deny).matches("read_file", &unseen), "another tool");
    }

    #[test]
    fn a_pattern_for_the_workspace_does_not_allow_what_is_outside_it() {
        let path = |path: &str| Prepared { paths: vec![path.to_owned()], ..Prepared::default() };
        let allows = |rule: &str, at: &str| Rule::parse(RuleEffect::Allow, rule).unwrap().matches("write_file", &path(at));
        assert!(allows("write_file(*.md)", "docs/a.md"));
        assert!(!allows("write_file(*.md)", "/srv/other/a.md"));
        assert!(allows("write_file(/srv/other/*)", "/srv/other/a.md"));
    }

    #[test]
    fn the_exact_rule_allows_that_call_and_no_other() {
        let rule = Rule::exactly("shell", &shell("ls *.rs; echo \\*")).unwrap();
        assert!(rule.matches("shell", &shell("ls *.rs; echo \\*")));
        assert!(!rule.matches("shell", &shell("ls x.rs; echo \\*")));
        assert!(!rule.matches("write_file", &shell("ls *.rs; echo \\*")));
    }

    #[test]
    fn a_glob_is_quick_on_hostile_patterns() {
        assert!(!glob(&"*a".repeat(200), &"a".repeat(199)));
        assert!(glob(&"*a".repeat(200), &"a".repeat(200)));
    }
}
