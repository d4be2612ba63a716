//! What the policy says about a call that nobody has made yet, and which rules there are.

use crate::configure::ConfigError;
use crate::settings::{Settings, Sources};
use agent::policy::{Ground, Judgement, Why, judge_call};
pub use agent::standing::{Standing, StandingRule};
use contract::call::{Risk, Touches};
use contract::config::Policy;
use contract::id::SessionId;
use contract::rule::{Rule, RuleEffect};
use contract::units::Time;
use std::path::{Path, PathBuf};
use tools::{Example, NoExample};

/// Where a rule comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// Whoever asks says it now.
    Said,
    File(PathBuf),
    /// A person allowed it for good when they were asked.
    Answer {
        session: Option<SessionId>,
        by: String,
        since: Time,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcedRule {
    pub rule: Rule,
    pub source: RuleSource,
}

/// A call to try the policy on, as one line.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    pub tool: &'a str,
    pub line: &'a str,
    pub network: bool,
}

/// What would become of the call, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub effect: RuleEffect,
    pub why: VerdictWhy,
    pub risk: Risk,
    /// The parts that rules were held against, if the line was taken apart.
    pub commands: Vec<String>,
    /// Not all of the line could be seen through.
    pub opaque: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerdictWhy {
    Rules(Vec<SourcedRule>),
    /// No rule speaks of it.
    Risk,
    /// Everything may run.
    Full,
}

#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Example(#[from] NoExample),
}

/// Every rule that counts for a run in this folder; `standing` are those that the log has of any folder.
pub fn rules(sources: &Sources, policy: &Policy, standing: &Standing, folder: &Path) -> Result<Vec<SourcedRule>, ConfigError> {
    let settings = Settings::load(sources, folder)?;
    let said = policy.rules.iter().map(|rule| SourcedRule { rule: rule.clone(), source: RuleSource::Said });
    let of_files = settings.rules().map(|(rule, path)| SourcedRule { rule: rule.clone(), source: RuleSource::File(path.to_owned()) });
    Ok(said.chain(of_files).chain(answers(standing, folder)).collect())
}

/// What people allowed for good in this folder.
#[must_use]
pub fn answers(standing: &Standing, folder: &Path) -> Vec<SourcedRule> {
    let sourced = |one: &StandingRule| {
        let source = RuleSource::Answer { session: one.from.stream.session_id(), by: one.by.0.clone(), since: one.since };
        SourcedRule { rule: one.rule.clone(), source }
    };
    standing.in_folder(&working_folder(folder)).map(sourced).collect()
}

/// A folder as sessions name it.
#[must_use]
pub fn working_folder(folder: &Path) -> String {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).to_string_lossy().into_owned()
}

/// Judges a call without making it.
pub fn try_policy(
    sources: &Sources,
    policy: &Policy,
    standing: &Standing,
    folder: &Path,
    trial: &Trial<'_>,
) -> Result<Verdict, TrialError> {
    let sourced = rules(sources, policy, standing, folder)?;
    let Example { mut prepared, mut risk } = tools::example(trial.tool, trial.line)?;
    if trial.network {
        (prepared.network, risk) = (true, Risk::High);
    }
    let (answered, set): (Vec<&SourcedRule>, Vec<_>) =
        sourced.iter().partition(|sourced| matches!(sourced.source, RuleSource::Answer { .. }));
    let plain = |sourced: Vec<&SourcedRule>| sourced.into_iter().map(|sourced| sourced.rule.clone()).collect::<Vec<_>>();
    let (standing, policy) = (plain(answered), Policy { rules: plain(set), ..policy.clone() });
    let with_source = |rules: Vec<&Rule>| {
        let found = rules.into_iter().filter_map(|rule| sourced.iter().find(|sourced| sourced.rule == *rule));
        VerdictWhy::Rules(found.cloned().collect())
    };
    let reason = |why| match why {
        Why::Rules(rules) | Why::Granted(rules) => with_source(rules),
        Why::Risk(_) | Why::NoRun | Why::Taint | Why::Leak => VerdictWhy::Risk,
        Why::Full => VerdictWhy::Full,
    };
    let ground = Ground { policy: &policy, granted: &[], standing: &standing, seen: Touches::default(), knowing: &[] };
    let (effect, why) = match judge_call(ground, trial.tool, &prepared, risk) {
        Judgement::Allow(why) => (RuleEffect::Allow, reason(why)),
        Judgement::Ask(why) => (RuleEffect::Ask, reason(why)),
        Judgement::Deny(rule) => (RuleEffect::Deny, with_source(vec![rule])),
    };
    Ok(Verdict { effect, why, risk, commands: prepared.commands, opaque: prepared.opaque })
}
