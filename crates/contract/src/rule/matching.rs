//! When a rule speaks of a call.
//!
//! One that allows must see and match all of the call; one that asks or denies, any part of it.

use super::{Rule, RuleEffect, glob};
use crate::call::Prepared;

impl Rule {
    /// Whether the rule by itself speaks of this call.
    #[must_use]
    pub fn matches(&self, tool: &str, prepared: &Prepared) -> bool {
        match self.effect {
            RuleEffect::Allow => allowing([self], tool, prepared).is_some(),
            RuleEffect::Ask | RuleEffect::Confirm | RuleEffect::Deny => self.touches(tool, prepared),
        }
    }

    fn touches(&self, tool: &str, prepared: &Prepared) -> bool {
        if !self.names(tool) || (self.network && !prepared.network) {
            return false;
        }
        let Some(pattern) = &self.pattern else { return true };
        prepared.unlisted
            || match Subjects::of(prepared) {
                Subjects::Parsed { line, commands, .. } => {
                    forbids(pattern, line) || commands.iter().any(|command| forbids(pattern, &command.replace('\'', "")))
                }
                Subjects::Lines(lines) => lines.iter().any(|line| forbids(pattern, line)),
                Subjects::Hosts(hosts) => hosts.iter().any(|host| glob::host(pattern, host)),
                Subjects::Paths(paths) => paths.iter().any(|path| glob::path(pattern, path)),
            }
    }

    /// Whether it allows the whole call in one: every call of the tool, or this very line.
    fn allows_all(&self, prepared: &Prepared) -> bool {
        match (&self.pattern, Subjects::of(prepared)) {
            (None, _) => !self.network || prepared.network,
            (Some(pattern), Subjects::Parsed { line, .. }) => !glob::has_star(pattern) && glob::text(pattern, line),
            (Some(_), Subjects::Lines(_) | Subjects::Hosts(_) | Subjects::Paths(_)) => false,
        }
    }
}

/// The rules that allow the call: one that does by itself, or else for each part of it the first that allows that part.
/// None when a part is left over, or cannot be seen.
pub fn allowing<'a>(rules: impl IntoIterator<Item = &'a Rule>, tool: &str, prepared: &Prepared) -> Option<Vec<&'a Rule>> {
    let may = |rule: &&Rule| {
        rule.effect == RuleEffect::Allow && rule.names(tool) && (rule.network || rule.pattern.is_none() || !prepared.network)
    };
    let rules: Vec<&Rule> = rules.into_iter().filter(may).collect();
    if let Some(whole) = rules.iter().find(|rule| rule.allows_all(prepared)) {
        return Some(vec![whole]);
    }
    let patterns: Vec<(&Rule, &str)> = rules.iter().filter_map(|rule| Some((*rule, rule.pattern.as_deref()?))).collect();
    let first =
        |part: &String, allows: fn(&str, &str) -> bool| patterns.iter().find(|(_, pattern)| allows(pattern, part)).map(|(rule, _)| *rule);
    let each = |parts: &[String], allows: fn(&str, &str) -> bool| -> Option<Vec<&'a Rule>> {
        let mut found: Vec<&Rule> = parts.iter().map(|part| first(part, allows)).collect::<Option<_>>()?;
        found.dedup();
        Some(found).filter(|found| !found.is_empty())
    };
    match Subjects::of(prepared) {
        Subjects::Parsed { opaque: true, .. } => None,
        Subjects::Parsed { commands, .. } => each(commands, glob::text),
        Subjects::Lines(lines) => each(lines, allows_line),
        Subjects::Hosts(hosts) => each(hosts, glob::host),
        Subjects::Paths(paths) => each(paths, allows_path),
    }
}

/// The pattern that only this call matches.
pub(super) fn exact_pattern(prepared: &Prepared) -> Option<String> {
    match Subjects::of(prepared) {
        Subjects::Parsed { line, .. } => Some(glob::exact_text(line)),
        Subjects::Lines([line]) => Some(glob::exact_text(line)),
        Subjects::Hosts([host]) => Some(host.clone()),
        Subjects::Paths([path]) => Some(glob::exact_path(path)),
        Subjects::Lines(_) | Subjects::Hosts(_) | Subjects::Paths(_) => None,
    }
}

/// What a pattern is held against.
enum Subjects<'a> {
    /// The simple commands of a line; `opaque` when not all of it could be seen through.
    Parsed {
        line: &'a str,
        commands: &'a [String],
        opaque: bool,
    },
    /// Lines that nobody took apart.
    Lines(&'a [String]),
    Hosts(&'a [String]),
    Paths(&'a [String]),
}

impl Subjects<'_> {
    fn of(prepared: &Prepared) -> Subjects<'_> {
        match prepared {
            Prepared { line: Some(line), commands, opaque, .. } => Subjects::Parsed { line, commands, opaque: *opaque },
            Prepared { commands, .. } if !commands.is_empty() => Subjects::Lines(commands),
            Prepared { hosts, .. } if !hosts.is_empty() => Subjects::Hosts(hosts),
            Prepared { paths, .. } => Subjects::Paths(paths),
        }
    }
}

/// A pattern cannot see into a line that nobody took apart, so of one that may do several things only the very line
/// itself is allowed.
fn allows_line(pattern: &str, line: &str) -> bool {
    let plain = !line.contains(|c: char| ";|&$`<>(){}\n\r\\!#".contains(c));
    (plain || !glob::has_star(pattern)) && glob::text(pattern, line)
}

/// What is outside the workspace, which is an absolute path, is allowed only by a pattern that says so.
fn allows_path(pattern: &str, path: &str) -> bool {
    path.starts_with('/') == pattern.starts_with('/') && glob::path(pattern, path)
}

/// What is denied is denied from any word of the line on and however it is spaced: `sudo rm x` runs `rm x`. Other names of
/// the same program are not seen through.
fn forbids(pattern: &str, line: &str) -> bool {
    let from_any_word = |part: &str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        (0..words.len()).any(|first| glob::text(pattern, &words[first..].join(" ")))
    };
    glob::text(pattern, line) || line.split(SEPARATORS).any(from_any_word)
}

/// What may stand between two commands of a line.
const SEPARATORS: &[char] = &[';', '|', '&', '\n', '\r', '(', ')', '{', '}', '`', '$', '<', '>', '!'];

#[cfg(test)]
mod tests {
    use super::*;

    fn line(command: &str) -> Prepared {
        Prepared { commands: vec![command.to_owned()], ..Prepared::default() }
    }

    fn parsed(line: &str, commands: &[&str]) -> Prepared {
        Prepared { line: Some(line.to_owned()), commands: commands.iter().map(ToString::to_string).collect(), ..Prepared::default() }
    }

    fn rule(effect: RuleEffect, text: &str) -> Rule {
        Rule::parse(effect, text).unwrap()
    }

    fn allows(text: &str, prepared: &Prepared) -> bool {
        rule(RuleEffect::Allow, text).matches("shell", prepared)
    }

    fn denies(text: &str, prepared: &Prepared) -> bool {
        rule(RuleEffect::Deny, text).matches("shell", prepared)
    }

    #[test]
    fn an_allowing_pattern_never_sees_into_a_line_that_nobody_took_apart() {
        assert!(allows("shell(git status*)", &line("git status -s")));
        for more in
            ["git status; rm x", "git status && rm x", "git status | sh", "git status $(rm x)", "git status\nrm x", "git status > x"]
        {
            assert!(!allows("shell(git status*)", &line(more)), "{more}");
        }
        assert!(allows("shell(a; b)", &line("a; b")), "the whole line itself");
        assert!(allows("shell", &line("anything; at all")), "every call");
    }

    #[test]
    fn each_command_of_a_line_needs_a_rule_that_allows_it() {
        let both = parsed("git status && ls", &["git status", "ls"]);
        assert!(!allows("shell(git status*)", &both));
        let rules = [rule(RuleEffect::Allow, "shell(git status*)"), rule(RuleEffect::Allow, "shell(ls*)")];
        assert_eq!(allowing(&rules, "shell", &both), Some(vec![&rules[0], &rules[1]]));
        assert_eq!(allowing(&rules, "shell", &parsed("git status > x", &["git status", "> x"])), None, "what it writes is a part too");
        assert!(allows("shell(git status && ls)", &both), "the very line");
        let unseen = Prepared { opaque: true, ..both };
        assert_eq!(allowing(&rules, "shell", &unseen), None);
        assert!(allows("shell(git status && ls)", &unseen) && allows("shell", &unseen));
    }

    #[test]
    fn a_pattern_with_a_star_is_no_name_of_a_line() {
        assert!(!allows("shell(git *)", &parsed("git status; rm x", &["git status", "rm x"])));
    }

    #[test]
    fn a_network_is_allowed_by_name_only() {
        let with = Prepared { network: true, ..parsed("git push", &["git push"]) };
        let without = Prepared { network: false, ..with.clone() };
        assert!(!allows("shell(git push*)", &with) && allows("shell(git push*)", &without));
        assert!(allows("shell+network(git push*)", &with) && allows("shell+network(git push*)", &without));
        assert!(allows("shell", &with), "every call");
        assert!(allows("shell+network", &with) && !allows("shell+network", &without));
        assert!(denies("shell+network", &with) && !denies("shell+network", &without) && denies("shell(git push*)", &with));
        let exact = Rule::exactly("shell", &with).unwrap();
        assert_eq!(exact.to_string(), "shell+network(git push)");
        assert!(!Rule::exactly("shell", &without).unwrap().matches("shell", &with), "an approval without a network gives none");
    }

    #[test]
    fn a_denying_pattern_matches_anywhere_it_fits() {
        assert!(denies("shell(*rm *)", &line("ls; rm -rf x")));
        assert!(!denies("shell(rm *)", &line("ls")));
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
            assert!(denies("shell(rm *)", &line(hidden)), "{hidden:?}");
        }
        assert!(!denies("shell(rm *)", &line("echo 'alarm x'")));
        assert!(denies("shell(rm *)", &parsed("r\\m x", &["rm x"])), "as the parser reads it");
        assert!(denies("shell(rm *)", &parsed("sh -c 'rm x'", &["sh -c 'rm x'"])), "what is handed to another shell");
    }

    #[test]
    fn what_is_too_long_to_be_seen_is_allowed_by_no_pattern_and_denied_by_any() {
        let unseen = Prepared { unlisted: true, ..Prepared::default() };
        assert!(denies("shell(*rm *)", &unseen) && !allows("shell(*rm *)", &unseen));
        assert!(rule(RuleEffect::Ask, "shell(rm *)").matches("shell", &unseen));
        assert!(!rule(RuleEffect::Deny, "shell(*rm *)").matches("read_file", &unseen), "another tool");
    }

    #[test]
    fn a_pattern_for_the_workspace_does_not_allow_what_is_outside_it() {
        let path = |path: &str| Prepared { paths: vec![path.to_owned()], ..Prepared::default() };
        let speaks = |effect, text: &str, at: &str| rule(effect, text).matches("write_file", &path(at));
        assert!(speaks(RuleEffect::Allow, "write_file(*.md)", "docs/a.md"));
        assert!(!speaks(RuleEffect::Allow, "write_file(*.md)", "/srv/other/a.md"));
        assert!(speaks(RuleEffect::Deny, "write_file(*.md)", "/srv/other/a.md"));
        assert!(speaks(RuleEffect::Allow, "write_file(/srv/other/*)", "/srv/other/a.md"));
        assert!(!speaks(RuleEffect::Allow, "write_file(/srv/other/*)", "srv/other/a.md"));
    }

    #[test]
    fn the_exact_rule_allows_that_call_and_no_other() {
        let rule = Rule::exactly("shell", &line("ls *.rs; echo \\*")).unwrap();
        assert!(rule.matches("shell", &line("ls *.rs; echo \\*")));
        assert!(!rule.matches("shell", &line("ls x.rs; echo \\*")));
        assert!(!rule.matches("write_file", &line("ls *.rs; echo \\*")));
        let two = parsed("a && b *", &["a", "b *"]);
        assert!(Rule::exactly("shell", &two).unwrap().matches("shell", &two));
        assert!(!Rule::exactly("shell", &two).unwrap().matches("shell", &parsed("a && b c", &["a", "b c"])));
    }
}
