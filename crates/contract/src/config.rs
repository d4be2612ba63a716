//! What a session was made with, and what a run was resolved to.

use crate::body::{ResourceLoaded, Usage};
use crate::call::{Class, Risk};
use crate::id::Sha256;
use crate::limits::ASK_VALID_MS_DEFAULT;
use crate::rule::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a session does when it is opened again after its owner died.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResumePolicy {
    #[default]
    Continue,
    Ask,
    Paused,
}

/// What may run without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Autonomy {
    /// What only looks; everything else is asked about.
    Ask,
    /// By risk: high risk is asked about.
    #[default]
    Auto,
    /// Everything; rules that deny still win.
    Full,
}

/// Who decides what became of an action whose outcome is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnUnknown {
    /// The model is told and looks for itself.
    #[default]
    Tell,
    /// A person says whether it happened.
    Ask,
}

/// What is allowed, asked about and refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Policy {
    pub autonomy: Autonomy,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    pub on_unknown: OnUnknown,
    /// How long a person has to answer about a call.
    pub ask_valid_ms: u64,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { autonomy: Autonomy::default(), rules: Vec::new(), on_unknown: OnUnknown::default(), ask_valid_ms: ASK_VALID_MS_DEFAULT }
    }
}

/// What a session may use up before a person is asked; unset is without limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Millionths of the price unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
    /// Milliseconds of a run, without the time it waits for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
}

impl Limits {
    #[must_use]
    pub fn is_unset(&self) -> bool {
        *self == Limits::default()
    }
}

/// How a model is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    OpenaiChat,
    OpenaiResponses,
    Anthropic,
    Ollama,
}

impl Protocol {
    /// As the configuration and opaque parts write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Protocol::OpenaiChat => "openai-chat",
            Protocol::OpenaiResponses => "openai-responses",
            Protocol::Anthropic => "anthropic",
            Protocol::Ollama => "ollama",
        }
    }
}

/// A model behind an address, as a run was resolved to it: everything but the key itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Endpoint {
    /// As the run and its requests name it.
    pub name: String,
    pub protocol: Protocol,
    pub base_url: String,
    /// What the provider calls it.
    pub model: String,
    /// Handle of the key: an environment variable, or a name in the file of secrets; absent when none is wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    #[serde(default, skip_serializing_if = "Sampling::is_unset")]
    pub sampling: Sampling,
}

/// What a person wishes about replies; unset is not sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sampling {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Effort or budget, in the words of the protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

impl Sampling {
    #[must_use]
    pub fn is_unset(&self) -> bool {
        *self == Sampling::default()
    }
}

/// Millionths of the price unit for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Prices {
    pub input: u64,
    pub output: u64,
    /// Of tokens read from the provider's cache; like input when nobody says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Of tokens written to it; like input when nobody says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
}

impl Prices {
    /// What so many tokens cost, none of them from a cache.
    #[must_use]
    pub fn cost(self, input: u64, output: u64) -> u64 {
        self.cost_of(&Usage { input, output, ..Usage::default() })
    }

    /// What a call cost that used so many tokens.
    #[must_use]
    pub fn cost_of(self, usage: &Usage) -> u64 {
        let priced = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read.unwrap_or(self.input)),
            (usage.cache_write, self.cache_write.unwrap_or(self.input)),
        ];
        priced.into_iter().fold(0u64, |sum, (tokens, price)| sum.saturating_add(tokens.saturating_mul(price))).div_ceil(1_000_000)
    }
}

/// Wishes of the person who made the session or sent the message; unset ones come from configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Options {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where that model is, if not where its name says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Models to ask, in this order, when the first one cannot answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    #[serde(default)]
    pub resume: ResumePolicy,
    #[serde(default)]
    pub policy: Policy,
    #[serde(default, skip_serializing_if = "Limits::is_unset")]
    pub limits: Limits,
}

/// A tool as a run offers it to the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    pub schema: serde_json::Value,
    pub class: Class,
    pub risk: Risk,
}

/// The resolved configuration of a run; stored as a blob so that any later reader sees what the model saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunConfig {
    pub model: String,
    /// Models to ask, in this order, when the first one cannot answer.
    #[serde(default)]
    pub fallback: Vec<String>,
    /// Those of these models that are behind an address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<Endpoint>,
    pub system: String,
    pub tools: Vec<ToolSpec>,
    pub max_turns: u32,
    #[serde(default)]
    pub policy: Policy,
    #[serde(default)]
    pub limits: Limits,
    #[serde(default)]
    pub prices: Option<Prices>,
    /// Tokens that a reply may have at most, as far as anyone knows.
    #[serde(default)]
    pub output_tokens_max: u64,
    /// What people allowed in this folder for good.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standing: Vec<Rule>,
    /// What the session may have cost before somebody is told; millionths of the price unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warn_cost_micros: Option<u64>,
    /// Milliseconds without a word of the model after which somebody is told; none when nobody need be.
    #[serde(default)]
    pub slow_call_ms: Option<u64>,
    /// What everything together may cost on one day before somebody is asked; millionths of the price unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_day_micros: Option<u64>,
    /// Files whose text is part of `system`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceLoaded>,
}

/// The blob of a [`RunConfig`] and the fields of it that a machine decides by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigRef {
    pub sha256: Sha256,
    /// Of the blob, which every request shows.
    pub bytes: u64,
    pub model: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback: Vec<String>,
    pub max_turns: u32,
    pub policy: Policy,
    #[serde(default, skip_serializing_if = "Limits::is_unset")]
    pub limits: Limits,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    pub output_tokens_max: u64,
    /// What people allowed in this folder for good.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standing: Vec<Rule>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warn_cost_micros: Option<u64>,
}

impl RunConfig {
    /// Where the model with this name is.
    #[must_use]
    pub fn endpoint(&self, name: &str) -> Option<&Endpoint> {
        self.endpoints.iter().find(|endpoint| endpoint.name == name)
    }

    /// The bytes of the blob; the same configuration has the same bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    #[must_use]
    pub fn reference(&self, sha256: Sha256, bytes: u64) -> ConfigRef {
        ConfigRef {
            sha256,
            bytes,
            model: self.model.clone(),
            fallback: self.fallback.clone(),
            max_turns: self.max_turns,
            policy: self.policy.clone(),
            limits: self.limits,
            prices: self.prices,
            output_tokens_max: self.output_tokens_max,
            standing: self.standing.clone(),
            warn_cost_micros: self.warn_cost_micros,
        }
    }
}
