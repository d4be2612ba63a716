//! What people are asked, in all sessions.

use crate::calls::CallRow;
use crate::{Seen, list};
use contract::ask::Ask;
use contract::body::Body;
use contract::id::{AskId, SessionId};
use contract::units::{Time, Version};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskRow {
    pub session: SessionId,
    pub ask: Ask,
    pub version: Version,
    pub opened: Time,
    /// The tool it is about, and the beginning of its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
}

pub fn see(seen: &mut Seen<'_>) {
    if let Body::AskOpened(opened) = &seen.event.draft.body {
        return open(seen, &opened.ask);
    }
    if let Some(ask) = ended(&seen.event.draft.body) {
        seen.rows.remove(list::ASKS, &ask.to_string());
    }
}

fn open(seen: &mut Seen<'_>, ask: &Ask) {
    let key = ask.ask.to_string();
    let call = seen.call_key().and_then(|key| seen.get::<CallRow>(list::CALLS, &key));
    let (tool, args) = call.map(|call| (call.tool, call.args)).unzip();
    let row = AskRow { session: seen.session, ask: ask.clone(), version: seen.event.version, opened: seen.event.time, tool, args };
    seen.put(list::ASKS, &key, seen.position.0, &row);
    let session = seen.session;
    seen.put(list::ASKED, &key, seen.position.0, &session);
}

/// The ask that this event ends.
pub fn ended(body: &Body) -> Option<AskId> {
    if let Body::AskAnswered(answered) = body {
        Some(answered.ask)
    } else if let Body::AskExpired(expired) = body {
        Some(expired.ask)
    } else if let Body::AskSuperseded(superseded) = body {
        Some(superseded.ask)
    } else {
        None
    }
}
