//! One file of settings, as it is written.

use super::budget::BudgetEntry;
use super::rules::PolicyEntry;
use super::trust::{Trust, TrustError};
use contract::config::{Prices, Protocol, Sampling};
use contract::rule::{Rule, RuleEffect};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Millionths of the price unit.
const MICROS_PER_UNIT: f64 = 1_000_000.0;
/// More than anybody charges for a million tokens.
const PRICE_MAX: f64 = 1_000_000.0;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadFile {
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: {reason}", path.display())]
    Malformed { path: PathBuf, reason: String },
    #[error("{} sets {key} and is not trusted", path.display())]
    NotTrusted { path: PathBuf, key: ProjectKey },
    #[error(transparent)]
    Trust(#[from] TrustError),
}

/// What a project could use to send keys or work to a stranger, or to run what nobody allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectKey {
    Model(String),
    Allow(Rule),
    Budget,
}

impl std::fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProjectKey::Model(name) => write!(f, "the model {name}"),
            ProjectKey::Budget => f.write_str("a budget"),
            ProjectKey::Allow(rule) => write!(f, "a rule that allows {rule}"),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct File {
    pub models: BTreeMap<String, ModelEntry>,
    pub defaults: Defaults,
    pub budget: BudgetEntry,
    policy: PolicyEntry,
    /// Those of `policy`, checked.
    #[serde(skip)]
    pub rules: Vec<Rule>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Defaults {
    pub model: Option<String>,
    pub fallback: Option<Vec<String>>,
}

/// `[models.NAME]`
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelEntry {
    pub protocol: Protocol,
    pub base_url: String,
    pub api_key_env: Option<String>,
    pub model: String,
    pub context_window: Option<u64>,
    pub price: Option<PriceEntry>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub max_output_tokens: Option<u64>,
    #[serde(default)]
    pub stop: Vec<String>,
    pub reasoning: Option<String>,
}

/// Prices of a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PriceEntry {
    pub input: f64,
    pub output: f64,
    pub cache_read: Option<f64>,
    pub cache_write: Option<f64>,
}

impl File {
    pub(super) fn of_user(path: &Path) -> Result<Option<File>, BadFile> {
        Ok(File::read(path)?.map(|(file, _)| file))
    }

    /// The same of a folder that may come from anybody.
    pub(super) fn of_project(path: &Path, trust: &Trust) -> Result<Option<File>, BadFile> {
        let Some((file, text)) = File::read(path)? else { return Ok(None) };
        let project = path.parent().and_then(Path::parent).unwrap_or(path);
        match file.wishes().into_iter().next() {
            Some(key) if !trust.is_trusted(project, Some(&text))? => Err(BadFile::NotTrusted { path: path.to_owned(), key }),
            Some(_) | None => Ok(Some(file)),
        }
    }

    /// What only a trusted project may set.
    pub(super) fn wishes(&self) -> Vec<ProjectKey> {
        let models = self.models.keys().cloned().map(ProjectKey::Model);
        let allowing = self.rules.iter().filter(|rule| rule.effect == RuleEffect::Allow);
        let budget = self.budget.is_set().then_some(ProjectKey::Budget);
        models.chain(allowing.cloned().map(ProjectKey::Allow)).chain(budget).collect()
    }

    /// The file and its text; none when there is none.
    pub(super) fn read(path: &Path) -> Result<Option<(File, String)>, BadFile> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(BadFile::Unreadable { path: path.to_owned(), source }),
        };
        match File::parse(&text) {
            Ok(file) => Ok(Some((file, text))),
            Err(reason) => Err(BadFile::Malformed { path: path.to_owned(), reason }),
        }
    }

    pub(super) fn parse(text: &str) -> Result<File, String> {
        let mut file: File = toml::from_str(text).map_err(|error| on_one_line(text, &error))?;
        for (name, entry) in &file.models {
            entry.check().map_err(|reason| format!("models.{name}: {reason}"))?;
        }
        file.budget.check()?;
        file.rules = file.policy.rules(text)?;
        Ok(file)
    }
}

/// The parser would draw the line below its words; a fault is one line.
fn on_one_line(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', ", ");
    match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => format!("line {}: {message}", before.matches('\n').count() + 1),
        None => message,
    }
}

impl ModelEntry {
    fn check(&self) -> Result<(), String> {
        let url = &self.base_url;
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(format!("base_url `{url}` is no http or https address"));
        }
        if self.model.is_empty() {
            return Err("model is empty".to_owned());
        }
        for (key, number, max) in [("temperature", self.temperature, 2.0), ("top_p", self.top_p, 1.0)] {
            if number.is_some_and(|number| !(0.0..=max).contains(&number)) {
                return Err(format!("{key} must be between 0 and {max}"));
            }
        }
        if self.max_output_tokens == Some(0) || self.context_window == Some(0) {
            return Err("a number of tokens must be at least 1".to_owned());
        }
        self.price.map_or(Ok(()), |price| price.check())
    }

    pub(super) fn sampling(&self) -> Sampling {
        Sampling {
            temperature: self.temperature,
            top_p: self.top_p,
            max_output_tokens: self.max_output_tokens,
            stop: self.stop.clone(),
            reasoning: self.reasoning.clone(),
        }
    }
}

impl PriceEntry {
    fn check(self) -> Result<(), String> {
        let all = [Some(self.input), Some(self.output), self.cache_read, self.cache_write];
        if all.into_iter().flatten().all(|price| (0.0..=PRICE_MAX).contains(&price)) {
            return Ok(());
        }
        Err(format!("a price must be between 0 and {PRICE_MAX}"))
    }

    pub(super) fn prices(self) -> Prices {
        // Checked when the file was read.
        let micros = |price: f64| (price * MICROS_PER_UNIT).round() as u64;
        Prices {
            input: micros(self.input),
            output: micros(self.output),
            cache_read: self.cache_read.map(micros),
            cache_write: self.cache_write.map(micros),
        }
    }
}
