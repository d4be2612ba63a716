//! A session as a folder that a stranger can read and check, and back again.
//!
//! `events.jsonl` has the stored bytes of each event on a line of its own, exactly as they were hashed; `chain.json` has
//! the hash after each line; `parents/` has the sessions that a fork stands on, as far as it stands on them; `blobs/`
//! has every blob that an event names, by its SHA-256. The same session gives the same bytes wherever it is exported.

mod check;
mod export;
mod import;

pub use check::{BundleError, check_export};
pub use export::{ExportError, Exported};
pub use import::{ImportError, Imported};

use contract::body::Body;
use contract::event::Event;
use contract::id::{SessionId, Sha256};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

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

/// Blobs that the event names: long texts, and the configuration of a run.
pub(crate) fn named(event: &Event) -> BTreeSet<Sha256> {
    let mut found = BTreeSet::new();
    if let Body::RunStarted(started) = &event.draft.body {
        found.insert(started.config.sha256);
    }
    // Data is JSON by construction; texts inside it are strings and never looked into.
    let data: Value = serde_json::from_str(&event.draft.body.data_json()).unwrap_or_default();
    collect(&data, &mut found);
    found
}

fn collect(value: &Value, found: &mut BTreeSet<Sha256>) {
    match value {
        Value::Object(fields) => {
            let blob = fields.get("blob").and_then(|blob| blob.get("sha256")).and_then(Value::as_str);
            found.extend(blob.and_then(|text| text.parse::<Sha256>().ok()));
            fields.values().for_each(|value| collect(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
