//! A session while this process drives it, told by its log: what is shown is always what is stored.

use agent::State;
use agent::state::{Call, Stage};
use contract::ask::Ask;
use contract::body::{Body, FinishReason, RunOutcome};
use contract::id::{SessionId, StreamId};
use contract::input::Input;
use contract::machine::{Illegal, Rest};
use contract::port::{Log, LogError, Stored};
use contract::units::Version;
use runtime::drive::{Leave, Refusal};
use runtime::shell::{Handle, Progress};
use std::sync::Arc;
use tokio::sync::watch;

/// Events read at once.
const READ_MAX: usize = 1_000;

pub struct Running {
    session: SessionId,
    /// None when the session was at rest and nobody needs to drive it.
    handle: Option<Handle>,
    progress: watch::Receiver<Progress>,
    log: Arc<dyn Log>,
    state: State,
    /// Events up to here were there before this process drove the session.
    earlier: Version,
    finished: Option<(RunOutcome, Option<FinishReason>)>,
    left: Option<Leave>,
}

/// How the work stands when nothing more happens by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// The last run of the session ended so.
    Finished { outcome: RunOutcome, reason: Option<FinishReason> },
    /// It waits for a person; without an ask, it is paused.
    Parked { asks: Vec<Ask> },
    /// This process does not drive it.
    Left(Leave),
    /// There was nothing to do, and no run has ever ended.
    Idle,
}

impl Running {
    pub(crate) fn new(session: SessionId, handle: Handle, log: Arc<dyn Log>, earlier: Version) -> Running {
        let state = State::new(StreamId::session(session));
        Running { session, progress: handle.progress(), handle: Some(handle), log, state, earlier, finished: None, left: None }
    }

    /// A session at rest: its events are told, and nothing happens.
    pub(crate) fn at_rest(session: SessionId, log: Arc<dyn Log>, version: Version) -> Running {
        let state = State::new(StreamId::session(session));
        let (_, progress) = watch::channel(Progress { version, rest: Rest::Waiting, left: None });
        Running { session, progress, handle: None, log, state, earlier: version, finished: None, left: None }
    }

    #[must_use]
    pub fn session(&self) -> SessionId {
        self.session
    }

    /// The events up to this version are handed out too, but were there before.
    #[must_use]
    pub fn earlier(&self) -> Version {
        self.earlier
    }

    /// How far the events handed out reach.
    #[must_use]
    pub fn version(&self) -> Version {
        self.state.version
    }

    /// Names of the tools that run at this moment and would go on without this process.
    #[must_use]
    pub fn still_running(&self) -> Vec<&str> {
        let started = |call: &&Call| matches!(call.stage, Stage::Started(_));
        self.state.calls.values().filter(started).map(|call| call.tool.as_str()).collect()
    }

    pub async fn input(&self, input: Input) -> Result<Version, Refusal> {
        match &self.handle {
            Some(handle) => handle.input(input).await,
            None => Err(Refusal::Left),
        }
    }

    /// The next events of the session, from its first on; none when the work is at rest or the driver has left.
    pub async fn next(&mut self) -> Result<Option<Vec<Stored>>, LogError> {
        loop {
            let now = self.progress.borrow_and_update().clone();
            if now.version > self.state.version {
                return Ok(Some(self.read().await?));
            }
            if now.left.is_some() || matches!(now.rest, Rest::Waiting | Rest::Closed) {
                self.left = now.left;
                return Ok(None);
            }
            if self.progress.changed().await.is_err() {
                self.left = self.progress.borrow().left.clone();
                return Ok(None);
            }
        }
    }

    async fn read(&mut self) -> Result<Vec<Stored>, LogError> {
        let stored = self.log.read(&self.state.stream, self.state.version.next(), READ_MAX).await?;
        for one in &stored {
            agent::fold::fold(&mut self.state, &one.event).map_err(|illegal| disagreement(&self.state.stream, illegal))?;
            if let Body::RunFinished(finished) = &one.event.draft.body {
                self.finished = Some((finished.outcome, finished.reason));
            }
        }
        Ok(stored)
    }

    /// Lets go of the session and says how it stands. Supervised commands go on.
    pub async fn end(self) -> Ended {
        if let Some(handle) = self.handle {
            handle.drain().await;
        }
        if let Some(left) = self.left {
            return Ended::Left(left);
        }
        if self.state.is_parked() {
            return Ended::Parked { asks: self.state.asks.into_values().collect() };
        }
        match self.finished {
            Some((outcome, reason)) => Ended::Finished { outcome, reason },
            None => Ended::Idle,
        }
    }
}

pub(crate) fn disagreement(stream: &StreamId, illegal: Illegal) -> LogError {
    LogError::Corrupt { stream: stream.clone(), version: illegal.version, reason: illegal.to_string() }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("session", &self.session).field("version", &self.state.version).finish_non_exhaustive()
    }
}
