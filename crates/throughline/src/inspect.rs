//! Looking at sessions without driving them.

use crate::Throughline;
use crate::running::disagreement;
use agent::State;
use contract::body::{Body, HostQuarantined};
use contract::id::{HostId, SessionId, Sha256, StreamId};
use contract::machine::Illegal;
use contract::port::{LeaseError, LogError, Stored, Tail};
use contract::units::Version;
use journal::Verified;
use runtime::host::{self, HostState};
use runtime::read;
use runtime::read::Whose;
use std::collections::BTreeMap;

/// Quarantined streams with the reason of each.
pub type Quarantined = BTreeMap<StreamId, HostQuarantined>;

/// A stream as [`Throughline::verify`] found it.
#[derive(Debug)]
pub struct Inspection {
    pub stream: StreamId,
    pub verified: Verified,
    /// Requests to a model that were recomputed and compared.
    pub requests: u64,
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
        Ok(self.machine().await?.quarantined)
    }

    /// This machine as its own stream tells of it.
    pub(crate) async fn machine(&self) -> Result<HostState, LogError> {
        host::state(self.log(), &StreamId::host(self.ports.place.machine)).await
    }

    pub async fn streams(&self) -> Result<Vec<StreamId>, LogError> {
        self.journal.stream_names().await
    }

    /// Checks the hash chain, every byte of every blob, that the machine can fold every event, and that every request to a
    /// model is what its event proves: recomputed from the log it has the recorded hash and begins with the one before it.
    pub async fn verify(&self, stream: &StreamId) -> Result<Inspection, LogError> {
        let verified = self.journal.verify(stream).await?;
        self.inspect(stream, verified).await
    }

    /// The same without reading the blobs that the events name.
    pub(crate) async fn verify_events(&self, stream: &StreamId) -> Result<Inspection, LogError> {
        let verified = self.journal.verify_events(stream).await?;
        self.inspect(stream, verified).await
    }

    async fn inspect(&self, stream: &StreamId, verified: Verified) -> Result<Inspection, LogError> {
        if stream.session_id().is_none() {
            return Ok(Inspection { stream: stream.clone(), verified, requests: 0 });
        }
        let mut requests = Requests::default();
        let folded = self.fold_with(stream, |state, stored, whose| requests.check(stream, state, stored, whose)).await?;
        folded.map_err(|illegal| disagreement(stream, illegal))?;
        Ok(Inspection { stream: stream.clone(), verified, requests: requests.seen })
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

/// The requests of a session, recomputed one after the other.
#[derive(Default)]
struct Requests {
    seen: u64,
    last: Option<((String, Sha256), Vec<u8>)>,
}

impl Requests {
    /// The first request of a fork follows the last one that it inherits, which is checked and counted where it belongs.
    fn check(&mut self, stream: &StreamId, state: &State, stored: &Stored, whose: Whose) -> Result<(), LogError> {
        let Body::ModelRequested(requested) = &stored.event.draft.body else { return Ok(()) };
        let wrong = |reason: &str| LogError::Corrupt { stream: stream.clone(), version: stored.event.version, reason: reason.to_owned() };
        let request = agent::context::context(state).ok_or_else(|| wrong("no model call is open"))?;
        let bytes = request.canonical();
        if Sha256::of(&bytes) != requested.request_sha256 {
            return Err(wrong("the request computed from the log is not the one that was recorded"));
        }
        let asked = (request.model, request.config);
        let follows = self.last.as_ref().is_none_or(|(before, last)| *before != asked || bytes.starts_with(last));
        if !follows {
            return Err(wrong("the request does not begin with the one before it"));
        }
        self.seen += u64::from(whose == Whose::Own);
        self.last = Some((asked, bytes));
        Ok(())
    }
}
