//! A session while this process drives it, or watches another one drive it, told by its log: what is shown is always what
//! is stored.

use agent::State;
use agent::rest::{Turn, turn};
use agent::state::{Call, Stage};
use contract::ask::Ask;
use contract::body::{Body, FinishReason, RunOutcome};
use contract::id::{CallId, SessionId, StreamId};
use contract::input::Input;
use contract::limits::OUTPUT_TAIL_BYTES_MAX;
use contract::machine::Illegal;
use contract::port::{LogError, Stored, Watch};
use contract::units::Version;
use runtime::drive::{Leave, Refusal};
use runtime::offer::{OfferError, offer};
use runtime::shell::{Handle, Progress};
use runtime::{Ports, read};
use std::time::Duration;
use tokio::sync::watch;

/// Events read at once.
const READ_MAX: usize = 1_000;
/// How long a command that was started may take to begin before it is left alone.
const BEGIN_PATIENCE: Duration = Duration::from_secs(5);
/// How often it is looked whether it has begun.
const BEGUN_EVERY: Duration = Duration::from_millis(5);
/// How often it is asked whether the process that drives a watched session still lives.
const HOLDER_EVERY: Duration = Duration::from_secs(1);

/// Who drives the session.
enum Driver {
    Here {
        handle: Handle,
        progress: watch::Receiver<Progress>,
    },
    /// Another process; the log tells of it.
    Elsewhere(Box<dyn Watch>),
    /// It was at rest, or this process has let go.
    Nobody,
}

pub struct Running {
    session: SessionId,
    driver: Driver,
    ports: Ports,
    state: State,
    /// Events up to here were there before this process drove the session.
    earlier: Version,
    finished: Option<(RunOutcome, Option<FinishReason>)>,
    left: Option<Leave>,
    /// Whoever drove it has gone, and it has work.
    orphaned: bool,
    /// What is to be done is in the log, so another process that takes the session is watched and not fought.
    yields: bool,
}

/// How long a session is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Until it can only go on with a person's help.
    PersonNeeded,
    /// Until there is nothing to do; what a person must answer is waited for.
    Done,
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
    pub(crate) fn new(session: SessionId, handle: Handle, ports: Ports, earlier: Version) -> Running {
        let driver = Driver::Here { progress: handle.progress(), handle };
        Running::with(session, driver, ports, earlier)
    }

    /// A session that another process drives.
    pub(crate) fn elsewhere(session: SessionId, ports: Ports, earlier: Version) -> Running {
        let watch = ports.log.watch(&StreamId::session(session));
        Running::with(session, Driver::Elsewhere(watch), ports, earlier)
    }

    /// A session at rest: its events are told, and nothing happens.
    pub(crate) fn at_rest(session: SessionId, ports: Ports, version: Version) -> Running {
        Running::with(session, Driver::Nobody, ports, version)
    }

    /// Watches whoever else takes the session: all that this process wanted of it is in the log.
    pub(crate) fn yielding(mut self) -> Running {
        self.yields = true;
        self
    }

    fn with(session: SessionId, driver: Driver, ports: Ports, earlier: Version) -> Running {
        let state = State::new(StreamId::session(session));
        Running { session, driver, ports, state, earlier, finished: None, left: None, orphaned: false, yields: false }
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

    /// Calls that run at this moment and go on without this process: which, and of what tool. Only a command does, and
    /// only a command has patience.
    #[must_use]
    pub fn still_running(&self) -> Vec<(CallId, &str)> {
        let goes_on = |(_, call): &(&CallId, &Call)| call.attempt().is_some() && call.prepared.patience_ms.is_some();
        self.state.calls.iter().filter(goes_on).map(|(id, call)| (*id, call.tool.as_str())).collect()
    }

    /// The session as far as its events were handed out.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Whether a stop was asked for and is not done yet.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.state.is_stopping()
    }

    /// Whether this process drove the session until nothing was left to do.
    pub(crate) fn is_done(&self) -> bool {
        self.left.is_none()
    }

    /// Whether another process drives the session, so that leaving it stops nothing.
    #[must_use]
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.driver, Driver::Elsewhere(_))
    }

    /// Whether this process drives the session.
    #[must_use]
    pub fn is_here(&self) -> bool {
        matches!(self.driver, Driver::Here { .. })
    }

    /// Whether another process took the session, and goes on with all that this one wanted of it.
    pub(crate) fn is_yielded(&self) -> bool {
        self.yields && matches!(self.left, Some(Leave::Held(_) | Leave::Fenced))
    }

    /// Whether it was left with work by the process that drove it.
    pub(crate) fn is_orphaned(&self) -> bool {
        self.orphaned
    }

    /// Offers an input to whoever drives the session.
    pub async fn input(&self, input: Input) -> Result<Version, Refusal> {
        match &self.driver {
            Driver::Here { handle, .. } => handle.input(input).await,
            Driver::Elsewhere(_) => match offer(&self.ports, &self.state.stream, input).await {
                Ok(version) => Ok(version),
                Err(OfferError::Rejected(rejection)) => Err(Refusal::Rejected(rejection)),
                Err(OfferError::Log(_) | OfferError::Append(_) | OfferError::Illegal(_)) => Err(Refusal::Unclear),
            },
            Driver::Nobody => Err(Refusal::Left),
        }
    }

    /// The next events of the session, from its first on; none when that is all, or the driver has left. Nothing is lost
    /// when the future is dropped.
    pub async fn next(&mut self, until: Until) -> Result<Option<Vec<Stored>>, LogError> {
        match &self.driver {
            Driver::Here { progress, .. } => {
                let progress = progress.clone();
                self.next_here(progress, until).await
            }
            Driver::Elsewhere(_) => self.next_elsewhere(until).await,
            Driver::Nobody => Ok(Some(self.read().await?).filter(|stored| !stored.is_empty())),
        }
    }

    async fn next_here(&mut self, mut progress: watch::Receiver<Progress>, until: Until) -> Result<Option<Vec<Stored>>, LogError> {
        loop {
            let now = progress.borrow_and_update().clone();
            if now.version > self.state.version {
                return Ok(Some(self.read().await?));
            }
            let over = self.is_over(now.turn, until);
            // The log may have been read further than the driver has told; then nobody knows yet whose turn it is.
            let is_current = now.version == self.state.version;
            if now.left.is_some() || (is_current && over) {
                self.left = now.left;
                return Ok(None);
            }
            if progress.changed().await.is_err() {
                self.left = progress.borrow().left.clone();
                return Ok(None);
            }
        }
    }

    async fn next_elsewhere(&mut self, until: Until) -> Result<Option<Vec<Stored>>, LogError> {
        loop {
            let stored = self.read().await?;
            if !stored.is_empty() {
                return Ok(Some(stored));
            }
            let turn = turn(&self.state);
            if self.is_over(turn, until) {
                return Ok(None);
            }
            let Driver::Elsewhere(watch) = &mut self.driver else { return Ok(None) };
            tokio::select! {
                grown = watch.beyond(self.state.version) => grown?,
                // A process that died gives no sign; its lock is free.
                () = tokio::time::sleep(HOLDER_EVERY) => {
                    let gone = self.ports.log.holder(&self.state.stream).await.is_ok_and(|holder| holder.is_none());
                    let is_current = self.ports.log.tail(&self.state.stream).await?.is_some_and(|tail| tail.version == self.state.version);
                    if gone && is_current {
                        self.orphaned = true;
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn is_over(&self, turn: Turn, until: Until) -> bool {
        match (turn, until) {
            (Turn::Nobody, _) => !self.is_settling(),
            (Turn::Person, Until::PersonNeeded) => true,
            (Turn::Session, _) | (Turn::Person, Until::Done) => false,
        }
    }

    /// Whether something in the background wants this process to stay: what an earlier one left running is neither
    /// adopted nor found to have ended, or what must end has not ended yet.
    fn is_settling(&self) -> bool {
        let epoch = self.state.epoch();
        let settles = |call: &Call| match &call.stage {
            Stage::Started(attempt) => attempt.deadline.is_some() || (attempt.epoch < epoch && attempt.adopted != Some(epoch)),
            Stage::Decided | Stage::Held(_) | Stage::Refused(..) | Stage::Waiting { .. } | Stage::Unknown | Stage::Judged(..) => false,
        };
        matches!(self.driver, Driver::Here { .. }) && self.state.calls.values().any(settles)
    }

    async fn read(&mut self) -> Result<Vec<Stored>, LogError> {
        let inherited = if self.state.version == Version::NONE { Some(self.inherited().await?) } else { None };
        let stored = self.ports.log.read(&self.state.stream, self.state.version.next(), READ_MAX).await?;
        // Nothing is waited for from here on: whoever drops this reads the same again.
        if let Some(inherited) = inherited {
            self.state = inherited;
        }
        for one in &stored {
            agent::fold::fold(&mut self.state, &one.event).map_err(|illegal| disagreement(&self.state.stream, illegal))?;
            if let Body::RunFinished(finished) = &one.event.draft.body {
                self.finished = Some((finished.outcome, finished.reason));
            }
        }
        Ok(stored)
    }

    /// What the session was forked from is folded, and not handed out: it happened elsewhere.
    async fn inherited(&self) -> Result<State, LogError> {
        let stream = &self.state.stream;
        let mut state = State::new(stream.clone());
        read::inherited(self.ports.log.as_ref(), stream, |stored| {
            agent::fold::fold(&mut state, &stored.event).map_err(|illegal| disagreement(stream, illegal))
        })
        .await?;
        Ok(state)
    }

    /// Lets go of the session. Supervised commands go on.
    pub async fn release(&mut self) {
        if let Driver::Here { progress, .. } = &self.driver {
            // One that cannot begin at all is found by whoever drives the session next.
            drop(tokio::time::timeout(BEGIN_PATIENCE, self.until_begun(progress)).await);
        }
        if let Driver::Here { handle, .. } = std::mem::replace(&mut self.driver, Driver::Nobody) {
            handle.drain().await;
        }
    }

    /// A command that was just started goes on without this process only once its supervisor has taken it over, which
    /// shows in the output that it keeps. Only a command has patience.
    async fn until_begun(&self, progress: &watch::Receiver<Progress>) {
        for call in self.state.calls.values().filter(|call| call.prepared.patience_ms.is_some()) {
            let Some(attempt) = call.attempt() else { continue };
            // What has an outcome meanwhile has left no output either.
            while progress.borrow().version == self.state.version && attempt.epoch == self.state.epoch() {
                if self.ports.tools.tail(call.action, attempt.number, OUTPUT_TAIL_BYTES_MAX).await.is_some() {
                    break;
                }
                tokio::time::sleep(BEGUN_EVERY).await;
            }
        }
    }

    /// Lets go of the session and says how it stands.
    pub async fn end(mut self) -> Ended {
        self.release().await;
        if let Some(left) = self.left {
            return Ended::Left(left);
        }
        if self.state.waits_for_person() {
            return Ended::Parked { asks: self.state.asks.into_values().map(|open| open.ask).collect() };
        }
        match self.finished {
            Some((outcome, reason)) => Ended::Finished { outcome, reason },
            None => Ended::Idle,
        }
    }
}

/// Whether going on is all that is missing. A limit is not lifted by it.
pub(crate) fn is_paused(state: &State) -> bool {
    let paused = state.run.as_ref().is_some_and(|run| run.paused) || state.gate.is_some() || state.is_crash_looping();
    paused || state.asks.values().any(|open| open.ask.subject.is_answered_by_resume())
}

pub(crate) fn disagreement(stream: &StreamId, illegal: Illegal) -> LogError {
    LogError::Corrupt { stream: stream.clone(), version: illegal.version, reason: illegal.to_string() }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("session", &self.session).field("version", &self.state.version).finish_non_exhaustive()
    }
}
