//! A session as a folder that a stranger can read and check, and back again.
//!
//! `events.jsonl` has the stored bytes of each event on a line of its own, exactly as they were hashed; `chain.json` has
//! the hash after each line; `parents/` has the sessions that a fork stands on, as far as it stands on them; `blobs/`
//! has every blob that an event names, by its SHA-256. The same session gives the same bytes wherever it is exported.

mod check;
mod export;
mod import;
#[cfg(test)]
mod tests;

pub use check::{BundleError, check_export};
pub use export::{ExportError, Exported};
pub use import::{ImportError, Imported};

use contract::id::{SessionId, Sha256};
use serde::{Deserialize, Serialize};

/// Version of the layout that this program writes.
pub const FORMAT: u32 = 1;

const CHAIN: &str = "chain.json";
const EVENTS: &str = "events.jsonl";
const BLOBS: &str = "blobs";
const PARENTS: &str = "parents";

/// What `chain.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Chain {
    format: u32,
    /// The session first, then what it stands on, the nearest first.
    sessions: Vec<Part>,
}

/// A session, or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Part {
    session: SessionId,
    /// Hash of the chain after each event.
    hashes: Vec<Sha256>,
}

impl Part {
    /// Where its events are, relative to the folder.
    fn file(&self, place: usize) -> String {
        if place == 0 { EVENTS.to_owned() } else { format!("{PARENTS}/{}.jsonl", self.session) }
    }
}
