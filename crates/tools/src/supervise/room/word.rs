//! What the first process of a room says to its supervisor, one line each.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::supervise) enum Word {
    /// The first process has this number outside.
    Made(i32),
    /// All is set up; the version of Landlock that is in force.
    Ready {
        landlock: Option<u32>,
    },
    /// There will be no room, for this reason.
    Broken(String),
    /// A command runs, under this number inside.
    Spawned(i32),
    /// It could not be executed, with this number of the error.
    NotSpawned(i32),
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// Nothing is left of it.
    Empty,
}

impl Word {
    pub(super) fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}
