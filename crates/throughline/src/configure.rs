//! What a run is made of: what the person wished, what they set once, the built-in system text and all built-in tools.

use crate::models::is_script;
use crate::settings::{BadFile, BadName, Environment, Settings};
use ::models::BadEndpoint;
use contract::config::{Endpoint, Options, RunConfig, ToolSpec};
use contract::limits::{OUTPUT_TOKENS_DEFAULT, TURNS_DEFAULT};
use contract::port::{Configure, Tools};
use std::path::Path;
use std::sync::Arc;

pub struct Configuration {
    environment: Arc<dyn Environment>,
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
    pub fn new(environment: Arc<dyn Environment>, tools: &dyn Tools) -> Configuration {
        Configuration { environment, tools: tools.specs() }
    }
}

/// Every model of the options that is behind an address, resolved in the order in which they are asked.
pub fn endpoints(environment: &dyn Environment, options: &Options, folder: &Path) -> Result<Vec<Endpoint>, ConfigError> {
    let first = options.model.iter().map(|name| (name, options.base_url.as_deref()));
    let named: Vec<_> = first.chain(options.fallback.iter().map(|name| (name, None))).filter(|(name, _)| !is_script(name)).collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let settings = Settings::load(environment, folder)?;
    let resolve = |(name, base_url): (&String, Option<&str>)| {
        let endpoint = settings.endpoint(environment, name, base_url)?;
        // Now, and not in the middle of a run.
        ::models::check(&endpoint).map_err(|reason| ConfigError::Endpoint { name: name.clone(), reason })?;
        Ok(endpoint)
    };
    named.into_iter().map(resolve).collect()
}

impl Configure for Configuration {
    fn run_config(&self, options: &Options, folder: &Path) -> Result<RunConfig, String> {
        let endpoints = endpoints(self.environment.as_ref(), options, folder).map_err(|error| error.to_string())?;
        let first = options.model.as_ref().and_then(|model| endpoints.iter().find(|endpoint| endpoint.name == *model));
        Ok(RunConfig {
            model: options.model.clone().unwrap_or_default(),
            fallback: options.fallback.clone(),
            system: agent::prompts::SYSTEM.to_owned(),
            tools: self.tools.clone(),
            max_turns: options.max_turns.unwrap_or(TURNS_DEFAULT),
            policy: options.policy.clone(),
            limits: options.limits,
            // A scripted model says itself what each reply costs.
            prices: first.and_then(|endpoint| endpoint.prices),
            output_tokens_max: first.and_then(|endpoint| endpoint.sampling.max_output_tokens).unwrap_or(OUTPUT_TOKENS_DEFAULT),
            endpoints,
        })
    }
}
