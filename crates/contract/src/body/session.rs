//! A conversation as a whole.

use super::Principal;
use crate::config::Options;
use crate::event::Level;
use crate::id::{ActionId, SessionId, Sha256};
use crate::text::Text;
use crate::units::Version;
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

/// A session begins as another one was at a version. Its own events follow; those of the other are read where they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionForked {
    pub from: SessionId,
    /// The last event of the other session that counts here.
    pub at: Version,
    /// The other session's chain hash at that event: what follows is built on exactly that.
    pub hash: Sha256,
    /// What the model is told of each call that was open there.
    pub note: Text,
    pub by: Principal,
}
