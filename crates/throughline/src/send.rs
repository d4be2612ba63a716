//! Saying something to a session that another process may be driving.

use crate::{StartError, Throughline, random};
use contract::body::{Mode, Principal};
use contract::id::{HostId, Key, SessionId, StreamId};
use contract::input::{Input, Rejection};
use contract::limits::MESSAGE_BYTES_MAX;
use contract::text::Room;
use contract::units::Version;
use runtime::offer::{OfferError, offer};
use runtime::text;

/// Where a message is, and who will act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub version: Version,
    /// The living process that drives the session; without one, somebody must resume it.
    pub holder: Option<HostId>,
}

impl Throughline {
    /// Durable when it returns. The same key again is the same message.
    pub async fn send(
        &self,
        session: SessionId,
        said: String,
        mode: Mode,
        key: Option<String>,
        from: Principal,
    ) -> Result<Sent, StartError> {
        if said.len() > MESSAGE_BYTES_MAX {
            return Err(StartError::TooLong { bytes: said.len(), max: MESSAGE_BYTES_MAX });
        }
        let key = match key {
            Some(key) => Key(format!("job/{key}")),
            None => Key(format!("message/{}", SessionId(random()?))),
        };
        let stream = StreamId::session(session);
        let text = text::store(self.ports.blobs.as_ref(), said, Room::SHOWN).await.map_err(StartError::Store)?;
        let version = match offer(&self.ports, &stream, Input::Message { key, text, mode, from }).await {
            Ok(version) => version,
            Err(OfferError::Rejected(Rejection::NoSession)) => return Err(StartError::NoSession(session)),
            Err(OfferError::Log(error)) => return Err(error.into()),
            Err(OfferError::Append(error)) => return Err(error.into()),
            Err(error @ (OfferError::Rejected(_) | OfferError::Illegal(_))) => return Err(StartError::Store(error.to_string())),
        };
        let holder = self.holder(session).await?;
        Ok(Sent { version, holder })
    }
}
