//! What a run was given besides its settings.

use crate::call::is_false;
use crate::id::Sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A text of a file became part of what the model is told about its work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceLoaded {
    pub kind: ResourceKind,
    /// Its path, from where the project begins.
    pub name: String,
    /// Hash of the whole file; what of it was shown is in the configuration of the run.
    pub content: Sha256,
    pub bytes: u64,
    /// Only the beginning fits.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut: bool,
    /// A person trusts the project that it is from.
    #[serde(default, skip_serializing_if = "is_false")]
    pub trusted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceKind {
    /// How work is done in a project.
    Rules,
}
