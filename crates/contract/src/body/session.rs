//! A conversation as a whole.

use super::Principal;
use crate::config::Options;
use crate::event::Level;
use crate::id::{ActionId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionCreated {
    /// Working folder of the session's tools.
    pub folder: String,
    pub options: Options,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    pub by: Principal,
}

impl SessionCreated {
    #[must_use]
    pub fn level(&self) -> Level {
        if self.origin.is_some() { Level::Subagent } else { Level::Core }
    }
}

/// Where a session came from, when not from a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    pub parent: SessionId,
    pub action: ActionId,
    pub root: SessionId,
    pub depth: u16,
}
