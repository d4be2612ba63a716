//! `thru policy`: which rules there are, and what they say about a call that nobody has made.

use super::{has_log, local, open_existing};
use crate::args::{Policies, PolicyOf};
use crate::catalog::{PolicyLine, Problem, policy_line};
use crate::fault::{Fault, code};
use crate::render::{out, set_off};
use contract::input::Rejection;
use throughline::policy::{RuleSource, SourcedRule, Standing, StandingRule, Trial, Verdict, VerdictWhy, rules, try_policy, working_folder};
use throughline::settings::Sources;
use throughline::{Home, SayError};

pub async fn run(policies: Policies) -> Result<u8, Fault> {
    let home = Home::locate()?;
    let sources = Sources::of_process(home.folder());
    // Looking makes no log.
    let throughline = if has_log(&home) { Some(open_existing()?) } else { None };
    let standing = match &throughline {
        Some(throughline) => throughline.standing_rules().await?,
        None => Standing::default(),
    };
    let Policies { what, folder, policy, json } = policies;
    match what {
        PolicyOf::List { all } => {
            let here = working_folder(&folder);
            let elsewhere: Vec<_> = standing.rules.iter().filter(|one| all && one.folder != here).collect();
            let rules = rules(&sources, &policy, &standing, &folder)?;
            for rule in &rules {
                if json { out(of_rule(rule).to_string().as_bytes()) } else { say(&PolicyLine::Rule(rule)) }
            }
            for StandingRule { rule, folder, .. } in &elsewhere {
                if json {
                    let told = serde_json::json!({ "effect": rule.effect, "rule": rule.to_string(), "folder": folder });
                    out(told.to_string().as_bytes());
                } else {
                    say(&PolicyLine::RuleElsewhere { rule, folder });
                }
            }
            if rules.is_empty() && elsewhere.is_empty() && !json {
                say(&PolicyLine::NoRules);
            }
        }
        PolicyOf::Remove { rule } => {
            let (folder, name) = (working_folder(&folder), rule.to_string());
            let nobody = || Fault::new(Problem::NoStandingRule { rule: &name, folder: &folder });
            match throughline.ok_or_else(nobody)?.remove_standing(rule, folder.clone(), local()).await {
                Err(SayError::Rejected(Rejection::NoSuchRule)) => return Err(nobody()),
                removed => removed?,
            }
            if json {
                out(serde_json::json!({ "removed": name, "folder": folder }).to_string().as_bytes());
            } else {
                say(&PolicyLine::Removed { rule: &name, folder: &folder });
            }
        }
        PolicyOf::Test { tool, line, network } => {
            let verdict = try_policy(&sources, &policy, &standing, &folder, &Trial { tool: &tool, line: &line, network })?;
            if json {
                out(of_verdict(&verdict).to_string().as_bytes());
            } else {
                tell(&verdict, &policy, &line);
            }
        }
    }
    Ok(code::DONE)
}

fn tell(verdict: &Verdict, policy: &contract::config::Policy, line: &str) {
    say(&PolicyLine::Verdict { verdict, autonomy: policy.autonomy });
    if let VerdictWhy::Rules(rules) = &verdict.why {
        rules.iter().for_each(|rule| say(&PolicyLine::By(rule)));
    }
    if verdict.opaque {
        say(&PolicyLine::Opaque);
    }
    // A line that is one command says nothing new.
    if verdict.commands.iter().any(|command| command != line) {
        verdict.commands.iter().for_each(|command| say(&PolicyLine::Part(command)));
    }
}

/// A rule may hold a text of several lines, none of which may pass for one of these.
fn say(what: &PolicyLine<'_>) {
    set_off(&policy_line(what)).iter().for_each(|line| out(line.as_bytes()));
}

fn of_rule(sourced: &SourcedRule) -> serde_json::Value {
    let source = match &sourced.source {
        RuleSource::Said | RuleSource::Answer { .. } => None,
        RuleSource::File(path) => Some(path.display().to_string()),
    };
    let mut told = serde_json::json!({
        "effect": sourced.rule.effect,
        "rule": sourced.rule.to_string(),
        "file": source,
    });
    if let RuleSource::Answer { session, by, since } = &sourced.source {
        told["answered"] = serde_json::json!({ "session": session, "by": by, "time": since });
    }
    told
}

fn of_verdict(verdict: &Verdict) -> serde_json::Value {
    let (why, rules) = match &verdict.why {
        VerdictWhy::Rules(rules) => ("rules", rules.iter().map(of_rule).collect()),
        VerdictWhy::Risk => ("risk", Vec::new()),
        VerdictWhy::Full => ("full", Vec::new()),
    };
    serde_json::json!({
        "decision": verdict.effect,
        "why": why,
        "rules": rules,
        "risk": verdict.risk,
        "commands": verdict.commands,
        "opaque": verdict.opaque,
    })
}
