//! What a run is made of when nobody said otherwise: the built-in system text and all built-in tools.

use contract::config::{Options, RunConfig, ToolSpec};
use contract::limits::{OUTPUT_TOKENS_DEFAULT, TURNS_DEFAULT};
use contract::port::{Configure, Tools};

pub struct Defaults {
    tools: Vec<ToolSpec>,
}

impl Defaults {
    #[must_use]
    pub fn new(tools: &dyn Tools) -> Defaults {
        Defaults { tools: tools.specs() }
    }
}

impl Configure for Defaults {
    fn run_config(&self, options: &Options) -> RunConfig {
        RunConfig {
            model: options.model.clone().unwrap_or_default(),
            fallback: options.fallback.clone(),
            endpoints: Vec::new(),
            system: agent::prompts::SYSTEM.to_owned(),
            tools: self.tools.clone(),
            max_turns: options.max_turns.unwrap_or(TURNS_DEFAULT),
            policy: options.policy.clone(),
            limits: options.limits,
            // A scripted model says itself what each reply costs.
            prices: None,
            output_tokens_max: OUTPUT_TOKENS_DEFAULT,
        }
    }
}
