//! What a run is made of: what the person wished, what they set once, the built-in system text and all built-in tools.

use crate::models::is_script;
use crate::redact::Redactor;
use crate::rules::Rules;
use crate::settings::{BadFile, BadName, Budget, Settings, Sources};
use ::models::BadEndpoint;
use contract::config::{Endpoint, Options, Policy, RunConfig, ToolSpec};
use contract::limits::{OUTPUT_TOKENS_DEFAULT, TURNS_DEFAULT};
use contract::port::{Configure, Tools};
use std::path::Path;

pub struct Configuration {
    sources: Sources,
    redactor: Redactor,
    tools: Vec<ToolSpec>,
}

/// Why a run cannot be configured.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error(transparent)]
    File(#[from] BadFile),
    #[error(transparent)]
    Name(#[from] BadName),
    /// The protocol would refuse what is set.
    #[error("the model `{name}` cannot be asked so: {reason}")]
    Endpoint { name: String, reason: BadEndpoint },
}

impl Configuration {
    #[must_use]
    pub fn new(sources: Sources, redactor: Redactor, tools: &dyn Tools) -> Configuration {
        Configuration { sources, redactor, tools: tools.specs() }
    }
}

/// What a run with these options in this folder is resolved to.
#[derive(Debug)]
pub struct Resolved {
    /// Every model of the options that is behind an address, in the order in which they are asked.
    pub endpoints: Vec<Endpoint>,
    /// What the options say, then the files.
    pub policy: Policy,
    pub budget: Budget,
}

/// Resolves what people set once. Nothing is written before this is known.
pub fn resolve(sources: &Sources, options: &Options, folder: &Path) -> Result<Resolved, ConfigError> {
    let settings = Settings::load(sources, folder)?;
    let first = options.model.iter().map(|name| (name, options.base_url.as_deref()));
    let named = first.chain(options.fallback.iter().map(|name| (name, None))).filter(|(name, _)| !is_script(name));
    let resolve = |(name, base_url): (&String, Option<&str>)| {
        let endpoint = settings.endpoint(sources.environment.as_ref(), name, base_url)?;
        // Now, and not in the middle of a run.
        ::models::check(&endpoint).map_err(|reason| ConfigError::Endpoint { name: name.clone(), reason })?;
        Ok::<_, ConfigError>(endpoint)
    };
    let endpoints = named.map(resolve).collect::<Result<_, _>>()?;
    let rules = options.policy.rules.iter().chain(settings.rules().map(|(rule, _)| rule)).cloned().collect();
    Ok(Resolved { endpoints, policy: Policy { rules, ..options.policy.clone() }, budget: settings.budget() })
}

impl Configure for Configuration {
    fn run_config(&self, options: &Options, folder: &Path) -> Result<RunConfig, String> {
        let resolved = resolve(&self.sources, options, folder);
        let Resolved { endpoints, policy, budget } = resolved.map_err(|error| error.to_string())?;
        let first = options.model.as_ref().and_then(|model| endpoints.iter().find(|endpoint| endpoint.name == *model));
        let Rules { text, loaded } = Rules::of(&self.sources.trust, folder);
        Ok(RunConfig {
            model: options.model.clone().unwrap_or_default(),
            fallback: options.fallback.clone(),
            system: self.redactor.redact(format!("{}{text}", agent::prompts::SYSTEM)),
            tools: self.tools.clone(),
            max_turns: options.max_turns.unwrap_or(TURNS_DEFAULT),
            policy,
            limits: options.limits,
            // A scripted model says itself what each reply costs.
            prices: first.and_then(|endpoint| endpoint.prices),
            output_tokens_max: first.and_then(|endpoint| endpoint.sampling.max_output_tokens).unwrap_or(OUTPUT_TOKENS_DEFAULT),
            endpoints,
            // Whoever runs it adds what the log says of them.
            standing: Vec::new(),
            warn_cost_micros: budget.warn_cost_micros,
            slow_call_ms: budget.slow_call_ms,
            per_day_micros: budget.per_day_micros,
            resources: loaded,
        })
    }
}
