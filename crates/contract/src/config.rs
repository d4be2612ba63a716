//! What a session was made with, and what a run was resolved to.

use crate::call::{Class, Risk};
use crate::id::Sha256;
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

/// Wishes of the person who made the session or sent the message; unset ones come from configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Options {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Models to ask, in this order, when the first one cannot answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    #[serde(default)]
    pub resume: ResumePolicy,
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
    pub system: String,
    pub tools: Vec<ToolSpec>,
    pub max_turns: u32,
}

/// The blob of a [`RunConfig`] and the fields of it that a machine decides by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigRef {
    pub sha256: Sha256,
    pub model: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback: Vec<String>,
    pub max_turns: u32,
}

impl RunConfig {
    /// The bytes of the blob; the same configuration has the same bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    #[must_use]
    pub fn reference(&self, sha256: Sha256) -> ConfigRef {
        ConfigRef { sha256, model: self.model.clone(), fallback: self.fallback.clone(), max_turns: self.max_turns }
    }
}
