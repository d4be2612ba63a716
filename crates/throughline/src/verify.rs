//! Whether a stream is what was stored: its chain and its blobs, what its events mean, and what the tables around them say.

use crate::Throughline;
use crate::running::disagreement;
use agent::standing::Standing;
use agent::{Agent, State};
use contract::body::{Body, OwnerTaken};
use contract::id::{Sha256, StreamId};
use contract::machine::{Machine, Rest};
use contract::port::{LogError, Stored, Tail};
use contract::units::{Epoch, Version};
use journal::Verified;
use runtime::read::Whose;

/// A stream as [`Throughline::verify`] found it.
#[derive(Debug)]
pub struct Inspection {
    pub stream: StreamId,
    pub verified: Verified,
    /// Requests to a model that were recomputed and compared.
    pub requests: u64,
}

impl Throughline {
    /// Checks the hash chain, every byte of every blob, that the machine can fold every event, that the tables say of the
    /// stream what its events say, and that every request to a model is what its event proves: recomputed from the log it
    /// has the recorded hash and begins with the one before it.
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
        // The tail before the events and the epoch after them: what is appended meanwhile makes no difference.
        let tail = self.log().tail(stream).await?;
        let (mut requests, mut table) = (Requests::default(), Table::new(tail));
        if stream.session_id().is_some() {
            let look = |state: &State, stored: &Stored, whose: Whose| {
                table.look(state, stored, whose);
                requests.check(stream, state, stored, whose)
            };
            let folded = self.fold_with(stream, look).await?;
            folded.map_err(|illegal| disagreement(stream, illegal))?;
        } else if *stream == StreamId::policy() {
            let mut standing = Standing::default();
            let fold = |stored: &Stored| standing.fold(&stored.event).map_err(|illegal| disagreement(stream, illegal));
            runtime::read::each(self.log(), stream, Version::NONE, fold).await?;
        }
        table.check(stream, self.journal.epoch(stream).await?)?;
        Ok(Inspection { stream: stream.clone(), verified, requests: requests.seen })
    }
}

/// What the tables say of a stream beside its events, held against them.
struct Table {
    tail: Option<Tail>,
    /// How it rests by its events, up to the tail.
    rest: Rest,
    /// The last takeover, and the highest epoch of all.
    taken: (Version, Epoch),
}

impl Table {
    /// A stream that is no session waits for nothing by itself.
    fn new(tail: Option<Tail>) -> Table {
        Table { tail, rest: Rest::Waiting, taken: (Version::NONE, Epoch::default()) }
    }

    fn look(&mut self, state: &State, stored: &Stored, whose: Whose) {
        if whose == Whose::Inherited {
            return;
        }
        let version = stored.event.version;
        if let Body::OwnerTaken(OwnerTaken { epoch, .. }) = &stored.event.draft.body {
            self.taken = (version, self.taken.1.max(*epoch));
        }
        if self.tail.as_ref().is_some_and(|tail| tail.version == version) {
            self.rest = Agent::rest(state);
        }
    }

    fn check(&self, stream: &StreamId, epoch: Epoch) -> Result<(), LogError> {
        let (version, taken) = self.taken;
        if taken > epoch {
            let reason = format!("it is taken under epoch {taken}, the recorded lease has {epoch}");
            return Err(LogError::Corrupt { stream: stream.clone(), version, reason });
        }
        // A session that came from elsewhere stands still until somebody takes it, whatever it was in.
        let stands_still = |tail: &Tail| tail.rest == Rest::Waiting && epoch > taken;
        match &self.tail {
            Some(tail) if tail.rest != self.rest && !stands_still(tail) => {
                let reason = format!("by its events it is {}, the recorded tail has it {}", words(self.rest), words(tail.rest));
                Err(LogError::Corrupt { stream: stream.clone(), version: tail.version, reason })
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn words(rest: Rest) -> String {
    match rest {
        Rest::Busy => "busy".to_owned(),
        Rest::Until(at) => format!("due at {}", at.0),
        Rest::Waiting => "waiting".to_owned(),
        Rest::Closed => "closed".to_owned(),
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
