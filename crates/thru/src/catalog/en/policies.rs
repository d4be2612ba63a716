//! Rules and trust: what is said of them, and texts of `--help`.

use crate::catalog::{PolicyHelp, PolicyLine};
use contract::call::Risk;
use contract::config::Autonomy;
use contract::rule::RuleEffect;
use throughline::policy::{RuleSource, SourcedRule, Verdict, VerdictWhy};

pub fn policy_line(what: &PolicyLine<'_>) -> String {
    match what {
        PolicyLine::Rule(sourced) => format!("{}  {}", effect(sourced.rule.effect), named(sourced)),
        PolicyLine::RuleElsewhere { rule, folder } => format!("allow  {rule}  always, in {folder}"),
        PolicyLine::NoRules => "no rule is set; the risk of a call decides".to_owned(),
        PolicyLine::Verdict { verdict, autonomy } => verdict_line(verdict, *autonomy),
        PolicyLine::By(sourced) => format!("  by {}", named(sourced)),
        PolicyLine::Opaque => "  not all of it could be read, so no rule with a star allows it".to_owned(),
        PolicyLine::Part(part) => format!("  part: {part}"),
        PolicyLine::Removed { rule, folder } => {
            format!("new runs in {folder} do not have {rule} any more; a session in which it was answered keeps it")
        }
        PolicyLine::Trusted(folder) => folder.display().to_string(),
        PolicyLine::TrustsNow(folder) => format!("{} is trusted, as it is now", folder.display()),
        PolicyLine::TrustsNoMore(folder) => format!("{} is not trusted any more", folder.display()),
        PolicyLine::Follows(file) => format!("  the agent follows {}", file.display()),
        PolicyLine::Wish(wish) => format!("  it sets {wish}"),
    }
}

fn verdict_line(verdict: &Verdict, autonomy: Autonomy) -> String {
    let word = effect(verdict.effect);
    match (&verdict.why, autonomy) {
        (VerdictWhy::Rules(rules), _) if rules.len() > 1 => format!("{word}: each part of it is covered by a rule"),
        (VerdictWhy::Rules(_), _) => format!("{word}: a rule says so"),
        (VerdictWhy::Full, _) => format!("{word}: mode full asks about nothing but what a rule wants confirmed"),
        (VerdictWhy::Risk, Autonomy::Ask) => {
            format!("{word}: no rule speaks of it, its risk is {}, and mode ask asks from medium risk on", risk(verdict.risk))
        }
        (VerdictWhy::Risk, _) => {
            format!("{word}: no rule speaks of it, its risk is {}, and mode auto asks about high risk", risk(verdict.risk))
        }
    }
}

fn named(sourced: &SourcedRule) -> String {
    match &sourced.source {
        RuleSource::Said => format!("{}  from the command line", sourced.rule),
        RuleSource::File(path) => format!("{}  from {}", sourced.rule, path.display()),
        RuleSource::Answer { session: Some(session), by, .. } => format!("{}  always, as {by} said in {session}", sourced.rule),
        RuleSource::Answer { session: None, by, .. } => format!("{}  always, as {by} said", sourced.rule),
    }
}

fn effect(effect: RuleEffect) -> &'static str {
    match effect {
        RuleEffect::Allow => "allow",
        RuleEffect::Ask => "ask",
        RuleEffect::Confirm => "ask every time",
        RuleEffect::Deny => "deny",
    }
}

fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    }
}

pub fn policy_help(text: PolicyHelp) -> &'static str {
    match text {
        PolicyHelp::Policy => "Which rules there are, and what they say about a call",
        PolicyHelp::After => {
            "A rule is TOOL, TOOL(PATTERN) or TOOL+network(PATTERN). Rules stand in config.toml, or in that of a project:\n\n  \
             [[policy.rules]]\n  effect = \"allow\"                  # allow, ask or deny\n  \
             rule = \"shell(git status*)\"       # * is any text\n  \
             matches = [\"git status -s\"]       # examples, checked whenever the file is read\n  \
             differs = [\"git status; rm x\"]\n\n  \
             [[policy.rules]]\n  effect = \"ask\"\n  rule = \"shell(git push*)\"\n  \
             confirm = \"always\"                # in every mode, and whatever was answered before\n\n\
             A rule that denies wins, then what you allowed when you were asked, then one that asks, then one that allows,\n\
             then the risk of the call. What you allowed with `always` counts in its folder until you take it back. Each command\n\
             of a line needs a rule that allows it, and so does each file it reads from or writes to, as `< FILE` and\n\
             `> FILE`. Paths are matched as ignore files match them, hosts by name or by *.name.\n\n\
             Examples:\n  thru policy test \"git status; rm x\"\n  thru policy list\n  thru policy remove \"shell(make install)\""
        }
        PolicyHelp::Test => "Say what would become of a call, and which rule decides; nothing is run",
        PolicyHelp::TestAfter => {
            "Examples:\n  thru policy test \"git push --force\"\n  thru policy test --network \"npm install\"\n  \
             thru policy test --tool write_file src/main.rs\n  thru policy test --allow \"shell(make*)\" \"make all && ls\""
        }
        PolicyHelp::Line => "What to judge: a command line, or the path or address of another tool",
        PolicyHelp::Tool => "Tool that would be called",
        PolicyHelp::Network => "The call wants a network",
        PolicyHelp::List => "Rules that count here, and where each is from",
        PolicyHelp::ListAll => "Also what you allowed for good in other folders",
        PolicyHelp::Remove => "Take back what you allowed for good",
        PolicyHelp::RemoveAfter => {
            "Only what was answered with `always` is taken back here; rules of files are changed in their files.\n\n\
             Examples:\n  thru policy list --all\n  thru policy remove \"shell(make install)\"\n  thru policy remove -C ../project \"write_file(notes.md)\""
        }
        PolicyHelp::Rule => "The rule, as `thru policy list` shows it",
        PolicyHelp::Trust => "Let the settings of a project count in full",
        PolicyHelp::TrustAfter => {
            "The settings of a project, .throughline/config.toml, may come from anybody. Until you trust its folder they may\n\
             only make a run more careful: name a default model, ask, and deny. Models and rules that allow need your\n\
             trust, which is for the file as it is: a changed one must be trusted again. Rules in AGENTS.md, CLAUDE.md and\n\
             .throughline/rules/*.md are followed only in a folder that you trust; elsewhere they are information.\n\n\
             Examples:\n  thru trust\n  thru trust ../project\n  thru trust --remove\n  thru trust --list"
        }
        PolicyHelp::TrustFolder => "Folder of the project, or one inside it",
        PolicyHelp::TrustRemove => "Take the trust back",
        PolicyHelp::TrustList => "Name the folders that are trusted",
    }
}
