//! Decisions that belong to a person.

use super::Principal;
use crate::ask::{Answer, Ask};
use crate::id::{AskId, Key};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskOpened {
    pub ask: Ask,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskAnswered {
    pub ask: AskId,
    pub key: Key,
    pub answer: Answer,
    pub by: Principal,
}
