//! The envelope around a body, and its stored form.
//!
//! Stored bytes are one JSON object. Position and hash belong to the journal and are not part of it.

use crate::body::{BadBody, Body, Principal};
use crate::id::{CallId, EventId, RunId, SessionId, Sha256, StreamId};
use crate::units::{Time, Version};
use crate::upcast;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Who acted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    User(Principal),
    Agent,
    Tool(String),
    System,
}

/// How far the content of an event may be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    System,
    User,
    Tool,
    Untrusted,
}

/// Whether a session was started by a person or by another session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    #[default]
    Core,
    Subagent,
}

/// What a machine says: everything of an event but its place and time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Draft {
    pub id: EventId,
    /// The event that led to this one; absent only for first causes.
    pub cause: Option<EventId>,
    /// The first cause of the chain; absent only for first causes.
    pub correlation: Option<EventId>,
    pub run: Option<RunId>,
    pub level: Level,
    pub call: Option<CallId>,
    pub actor: Actor,
    pub trust: Trust,
    pub body: Body,
}

/// A draft with its place in a stream and its time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    pub version: Version,
    pub time: Time,
    pub draft: Draft,
}

#[derive(Debug, thiserror::Error)]
pub enum BadEvent {
    #[error("stored bytes are not an event: {0}")]
    Envelope(#[from] serde_json::Error),
    #[error("stored event says stream {found}, expected {expected}")]
    OtherStream { expected: StreamId, found: String },
    #[error(transparent)]
    Body(#[from] BadBody),
}

/// The stored object, field for field in stored order.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Envelope")]
pub struct Envelope<'a> {
    pub id: EventId,
    #[serde(borrow)]
    pub stream: Cow<'a, str>,
    pub version: Version,
    pub time: Time,
    #[serde(rename = "type", borrow)]
    pub name: Cow<'a, str>,
    pub v: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub level: Level,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation: Option<EventId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causation: Option<EventId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    pub actor: Actor,
    pub trust: Trust,
    #[serde(borrow)]
    #[schemars(with = "serde_json::Value")]
    pub data: &'a RawValue,
}

impl Event {
    /// The bytes that are stored, hashed and shown as JSON.
    pub fn encode(&self, stream: &StreamId) -> Result<Vec<u8>, serde_json::Error> {
        let data = RawValue::from_string(self.draft.body.data_json())?;
        serde_json::to_vec(&Envelope {
            id: self.draft.id,
            stream: Cow::Borrowed(stream.as_str()),
            version: self.version,
            time: self.time,
            name: Cow::Borrowed(self.draft.body.name()),
            v: self.draft.body.v(),
            session: stream.session_id(),
            run: self.draft.run,
            level: self.draft.level,
            correlation: self.draft.correlation,
            causation: self.draft.cause,
            call: self.draft.call,
            actor: self.draft.actor.clone(),
            trust: self.draft.trust,
            data: &data,
        })
    }

    /// The blobs that the event names: they were durable before it was.
    #[must_use]
    pub fn blobs(&self) -> Vec<NamedBlob> {
        // What this program wrote is JSON.
        let data = serde_json::from_str(&self.draft.body.data_json()).unwrap_or_default();
        let mut found = Vec::new();
        collect_blobs(&data, &mut found);
        found
    }

    /// Reads stored bytes of any version this program ever wrote.
    pub fn decode(stream: &StreamId, bytes: &[u8]) -> Result<Event, BadEvent> {
        let envelope: Envelope<'_> = serde_json::from_slice(bytes)?;
        if envelope.stream != stream.as_str() {
            return Err(BadEvent::OtherStream { expected: stream.clone(), found: envelope.stream.into_owned() });
        }
        let body = upcast::decode(&envelope.name, envelope.v, envelope.data.get())?;
        let draft = Draft {
            id: envelope.id,
            cause: envelope.causation,
            correlation: envelope.correlation,
            run: envelope.run,
            level: envelope.level,
            call: envelope.call,
            actor: envelope.actor,
            trust: envelope.trust,
            body,
        };
        Ok(Event { version: envelope.version, time: envelope.time, draft })
    }
}

impl std::fmt::Debug for Envelope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Envelope").field("id", &self.id).field("version", &self.version).field("name", &self.name).finish_non_exhaustive()
    }
}

/// Whatever names a blob says its hash and how many bytes it has; a hash alone is that of something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct NamedBlob {
    pub sha256: Sha256,
    pub bytes: u64,
}

fn collect_blobs(data: &Value, found: &mut Vec<NamedBlob>) {
    match data {
        Value::Object(fields) => {
            found.extend(NamedBlob::deserialize(data));
            fields.values().for_each(|field| collect_blobs(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_blobs(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn blobs_are_found_wherever_they_are_named_and_other_hashes_are_none() {
        let [one, two, three, other] = [1, 2, 3, 4].map(|byte| Sha256([byte; 32]));
        let data = json!({
            "text": { "blob": { "sha256": one, "bytes": 9_000, "head": "a", "tail": "b" } },
            "parts": [{ "output": { "inline": "short" } }, { "output": { "blob": { "sha256": two, "bytes": 1, "head": "", "tail": "" } } }],
            "config": { "sha256": three, "bytes": 8, "model": "script:x" },
            "request": { "sha256": other },
        });
        let mut found = Vec::new();
        collect_blobs(&data, &mut found);
        found.sort();
        let named = |sha256, bytes| NamedBlob { sha256, bytes };
        assert_eq!(found, [named(one, 9_000), named(two, 1), named(three, 8)]);
    }
}
