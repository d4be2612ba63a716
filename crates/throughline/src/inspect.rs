//! Looking at sessions without driving them.

use crate::Throughline;
use agent::State;
use contract::body::HostQuarantined;
use contract::id::{HostId, SessionId, StreamId};
use contract::machine::Rest;
use contract::port::{LeaseError, LogError, Stored, Tail};
use contract::units::Version;
use journal::Verified;
use runtime::quarantine;
use std::collections::BTreeMap;

/// Quarantined streams with the reason of each.
pub type Quarantined = BTreeMap<StreamId, HostQuarantined>;

/// A stream as [`Throughline::verify`] found it.
#[derive(Debug)]
pub struct Inspection {
    pub stream: StreamId,
    pub verified: Verified,
    /// What the machine makes of the events, for sessions.
    pub rest: Option<Rest>,
}

impl Throughline {
    /// Sessions, the latest changed first.
    pub async fn sessions(&self, max: usize) -> Result<Vec<Tail>, LogError> {
        self.log().streams("session", max).await
    }

    pub async fn last(&self) -> Result<Option<SessionId>, LogError> {
        Ok(self.sessions(1).await?.first().and_then(|tail| tail.stream.session_id()))
    }

    pub async fn tail(&self, session: SessionId) -> Result<Option<Tail>, LogError> {
        self.log().tail(&StreamId::session(session)).await
    }

    pub async fn events(&self, session: SessionId, from: Version, max: usize) -> Result<Vec<Stored>, LogError> {
        self.log().read(&StreamId::session(session), from, max).await
    }

    /// The living process that drives the session.
    pub async fn holder(&self, session: SessionId) -> Result<Option<HostId>, LeaseError> {
        self.log().holder(&StreamId::session(session)).await
    }

    pub async fn quarantined(&self) -> Result<Quarantined, LogError> {
        quarantine::quarantined(self.log(), &StreamId::host(self.ports.place.machine)).await
    }

    pub async fn streams(&self) -> Result<Vec<StreamId>, LogError> {
        self.journal.stream_names().await
    }

    /// Checks the hash chain and that the machine can fold every event.
    pub async fn verify(&self, stream: &StreamId) -> Result<Inspection, LogError> {
        let verified = self.journal.verify(stream).await?;
        let rest = match stream.session_id() {
            Some(_) => Some(agent::rest::rest(&self.fold(stream).await?)),
            None => None,
        };
        Ok(Inspection { stream: stream.clone(), verified, rest })
    }

    async fn fold(&self, stream: &StreamId) -> Result<State, LogError> {
        const READ_MAX: usize = 1_000;
        let mut state = State::new(stream.clone());
        loop {
            let stored = self.log().read(stream, state.version.next(), READ_MAX).await?;
            let last = stored.len() < READ_MAX;
            for one in stored {
                agent::fold::fold(&mut state, &one.event).map_err(|illegal| LogError::Corrupt {
                    stream: stream.clone(),
                    version: illegal.version,
                    reason: illegal.to_string(),
                })?;
            }
            if last {
                return Ok(state);
            }
        }
    }
}

impl Throughline {
    /// A text of an event, whole.
    pub async fn whole(&self, text: &contract::Text) -> Result<String, LogError> {
        runtime::text::whole(self.ports.blobs.as_ref(), text).await.map_err(LogError::Unavailable)
    }
}
