//! Looking at sessions without driving them.

use crate::Throughline;
use agent::State;
use contract::body::HostQuarantined;
use contract::id::{HostId, SessionId, StreamId};
use contract::machine::Illegal;
use contract::port::{LeaseError, LogError, Stored, Tail};
use contract::units::Version;
use runtime::host::{self, HostState};
use runtime::read;
use runtime::read::Whose;
use std::collections::BTreeMap;

/// Quarantined streams with the reason of each.
pub type Quarantined = BTreeMap<StreamId, HostQuarantined>;

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
        Ok(self.machine().await?.quarantined)
    }

    /// This machine as its own stream tells of it.
    pub(crate) async fn machine(&self) -> Result<HostState, LogError> {
        host::state(self.log(), &StreamId::host(self.ports.place.machine)).await
    }

    pub async fn streams(&self) -> Result<Vec<StreamId>, LogError> {
        self.journal.stream_names().await
    }

    /// The state of a session as its log has it, or the event that the machine cannot fold.
    pub(crate) async fn fold(&self, stream: &StreamId) -> Result<Result<State, Illegal>, LogError> {
        self.fold_with(stream, |_, _, _| Ok(())).await
    }

    /// The same, with a look at every event that it is folded from and at the state after it.
    pub(crate) async fn fold_with(
        &self,
        stream: &StreamId,
        mut look: impl FnMut(&State, &Stored, Whose) -> Result<(), LogError>,
    ) -> Result<Result<State, Illegal>, LogError> {
        let mut state = State::new(stream.clone());
        let folded = read::for_folding(self.log(), stream, |stored, whose| {
            agent::fold::fold(&mut state, &stored.event)?;
            Ok(look(&state, stored, whose)?)
        });
        match folded.await {
            Ok(()) => Ok(Ok(state)),
            Err(Stop::Illegal(illegal)) => Ok(Err(illegal)),
            Err(Stop::Log(error)) => Err(error),
        }
    }

    /// A text of an event, whole.
    pub async fn whole(&self, text: &contract::Text) -> Result<String, LogError> {
        runtime::text::whole(self.ports.blobs.as_ref(), text).await.map_err(LogError::Unavailable)
    }
}

/// Why a log was not folded to its end.
enum Stop {
    Illegal(Illegal),
    Log(LogError),
}

impl From<Illegal> for Stop {
    fn from(illegal: Illegal) -> Stop {
        Stop::Illegal(illegal)
    }
}

impl From<LogError> for Stop {
    fn from(error: LogError) -> Stop {
        Stop::Log(error)
    }
}
