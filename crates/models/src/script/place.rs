//! The place in the script that a reply carries, and how it is found again in a transcript.

use super::error::ScriptError;
use contract::port::RawPart;
use contract::request::{Item, ModelRequest, Part};
use serde::{Deserialize, Serialize};

/// The protocol under which the place travels; it goes back only to the same one.
const PROTOCOL: &str = "script";

/// A repetition of a line; the order is the order of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub line: u32,
    pub i: u32,
}

impl Place {
    /// Before the first line.
    pub const START: Place = Place { line: 0, i: 0 };

    /// Where the conversation is: the place of the last reply of the model that is asked.
    pub fn find(file: &str, transcript: &ModelRequest) -> Result<Place, ScriptError> {
        let carried = transcript.items.iter().rev().find_map(|item| match item.as_ref() {
            Item::Assistant(parts) => parts.iter().rev().find_map(|part| match part {
                Part::Opaque { protocol, model: of, bytes } if protocol == PROTOCOL && *of == transcript.model => Some(bytes.shown()),
                Part::Opaque { .. } | Part::Text(_) | Part::Call { .. } => None,
            }),
            Item::Message(_) | Item::Result(_) | Item::Notice(_) | Item::Late(_) => None,
        });
        let Some(bytes) = carried else { return Ok(Place::START) };
        serde_json::from_str(&bytes).map_err(|_| ScriptError::Place { file: file.to_owned(), place: bytes })
    }

    pub fn part(self, model: &str) -> RawPart {
        let bytes = format!(r#"{{"line":{},"i":{}}}"#, self.line, self.i);
        RawPart::Opaque { protocol: PROTOCOL.to_owned(), model: model.to_owned(), bytes }
    }
}
