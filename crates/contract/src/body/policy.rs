//! Rules that count in every session of a folder, because a person said so.

use super::Principal;
use crate::id::{AskId, Key, StreamId};
use crate::rule::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer that a rule comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleSource {
    pub stream: StreamId,
    pub ask: AskId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyRuleAdded {
    pub key: Key,
    pub rule: Rule,
    /// Where it counts: sessions that work in this very folder.
    pub folder: String,
    pub from: RuleSource,
    pub by: Principal,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyRuleRemoved {
    pub key: Key,
    pub rule: Rule,
    pub folder: String,
    pub by: Principal,
}
