//! What people are asked, in all sessions.

use crate::{Seen, list};
use contract::body::Body;
use contract::id::{AskId, SessionId};
use serde::{Deserialize, Serialize};

/// An open ask; everything about it is in the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskRow {
    pub session: SessionId,
    pub ask: AskId,
}

pub fn see(seen: &mut Seen<'_>) {
    if let Body::AskOpened(opened) = &seen.event.draft.body {
        return open(seen, opened.ask.ask);
    }
    if let Some(ask) = ended(&seen.event.draft.body) {
        seen.rows.remove(list::ASKS, &ask.to_string());
    }
}

fn open(seen: &mut Seen<'_>, ask: AskId) {
    let (key, session) = (ask.to_string(), seen.session);
    seen.put(list::ASKS, &key, seen.position.0, &AskRow { session, ask });
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
