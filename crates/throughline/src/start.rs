//! Giving work: a new session, a further message to one, or going on with one that was left.

use crate::configure::{ConfigError, resolve};
use crate::running::is_paused;
use crate::send::{fresh_key, message_key};
use crate::settings::Sources;
use crate::{ForkError, Listening, OpenError, Running, Sent, Throughline, Watching, models, random};
use agent::State;
use agent::rest::{Turn, turn};
use contract::body::{HostQuarantined, Mode, Principal};
use contract::config::{Limits, Options, Policy, ResumePolicy};
use contract::id::{HostId, SessionId, StreamId, derive};
use contract::input::{Input, Rejection};
use contract::port::{AppendError, LeaseError, LogError};
use contract::units::Version;
use models::ModelNameError;
use runtime::{host, shell};
use std::path::{Path, PathBuf};

/// Work for an agent.
#[derive(Clone, Debug)]
pub struct Job {
    /// Working folder of the tools.
    pub folder: PathBuf,
    pub model: String,
    /// Where that model is, if not where its name says.
    pub base_url: Option<String>,
    /// Models to ask, in this order, when that one cannot answer.
    pub fallback: Vec<String>,
    pub text: String,
    /// Goes on with this session instead of making one.
    pub session: Option<SessionId>,
    /// The same key again is the same job: it is found, not made a second time.
    pub key: Option<String>,
    pub max_turns: Option<u32>,
    pub resume: ResumePolicy,
    pub policy: Policy,
    pub limits: Limits,
    pub by: Principal,
}

impl Job {
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, model: impl Into<String>, text: impl Into<String>) -> Job {
        Job {
            folder: folder.into(),
            model: model.into(),
            base_url: None,
            fallback: Vec::new(),
            text: text.into(),
            session: None,
            key: None,
            max_turns: None,
            resume: ResumePolicy::Continue,
            policy: Policy::default(),
            limits: Limits::default(),
            by: Principal("local".to_owned()),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Model(#[from] ModelNameError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A rule about no tool at all: whoever wrote it would rely on it in vain.
    #[error("the rule {rule} names no tool; there are {}", known.join(", "))]
    UnknownTool { rule: String, known: Vec<&'static str> },
    #[error("{path} is not a folder: {source}")]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("there is no session {0}")]
    NoSession(SessionId),
    #[error(transparent)]
    Fork(ForkError),
    #[error("the session {0} is quarantined")]
    Quarantined(SessionId, HostQuarantined),
    #[error("the session {0} is driven by {1}")]
    Held(SessionId, HostId),
    #[error("the message has {bytes} bytes, {max} are allowed")]
    TooLong { bytes: usize, max: usize },
    #[error("something else was said to {0} under that key")]
    OtherWords(SessionId),
    #[error(transparent)]
    Rejected(Rejection),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error("the message cannot be stored: {0}")]
    Store(String),
    #[error("who drives the session cannot be told: {0}")]
    Lease(#[from] LeaseError),
}

/// Events before now that somebody who attaches is told of.
const TOLD_MAX: u64 = 20;

impl Throughline {
    /// Starts the job, or goes on with the one of the same key.
    pub async fn start(&self, job: Job) -> Result<Running, StartError> {
        let session = match (&job.session, &job.key) {
            (Some(session), _) => *session,
            (None, Some(key)) => SessionId(derive("session", &[key.as_bytes()])),
            (None, None) => SessionId(random()?),
        };
        let tail = self.tail(session).await?;
        let seen = tail.as_ref().map_or(Version::NONE, |tail| tail.version);
        let create = if tail.is_none() && job.session.is_none() { Some(create(&self.sources, &job)?) } else { None };
        let named = job.key.as_deref().map(message_key);
        if create.is_none()
            && let Some(state) = self.drivable(session).await?
        {
            if let Some(version) = named.and_then(|key| state.seen.get(&key).copied()) {
                self.check_words(session, version, &job.text).await?;
                if is_at_rest(&state) {
                    return Ok(Running::at_rest(session, self.ports.clone(), state.version));
                }
            }
            check_models(&self.sources, &state)?;
            let holder = self.holder(session).await?;
            // A process that looks after all sessions keeps one for a while when it has nothing to do any more.
            if let Some(holder) = holder.filter(|_| !is_at_rest(&state)) {
                return Err(StartError::Held(session, holder));
            }
            // Before it is taken over, and here, so that whoever said it hears of a refusal.
            let message = self.message(job.text.clone(), Mode::Steer, job.key, job.by, seen).await?;
            let said = self.say(session, message).await?;
            self.check_words(session, said.version, &job.text).await?;
            // Such a process may act on it before this one does.
            return Ok(match holder {
                Some(_) => Running::elsewhere(session, self.ports.clone(), seen),
                None => self.drive(session, Vec::new(), seen).yielding(),
            });
        }
        // A log that cannot be folded takes no message either; its driver finds that out and records it.
        let message = self.message(job.text, Mode::Steer, job.key, job.by, seen).await?;
        Ok(self.drive(session, create.into_iter().chain([message]).collect(), seen))
    }

    /// Whether a job of this key was started before, here or by any other process.
    pub async fn has_job(&self, key: &str) -> Result<bool, StartError> {
        Ok(self.tail(SessionId(derive("session", &[key.as_bytes()]))).await?.is_some())
    }

    /// Goes on with a session, whatever it was left in. A quarantined one is tried again.
    pub async fn resume(&self, session: SessionId, by: Principal) -> Result<Running, StartError> {
        let state = match self.drivable(session).await {
            Err(StartError::Quarantined(..)) => {
                host::release(&self.ports, &StreamId::session(session), by.clone()).await?;
                self.drivable(session).await?
            }
            other => other?,
        };
        if let Some(state) = &state {
            if is_at_rest(state) {
                return Ok(Running::at_rest(session, self.ports.clone(), state.version));
            }
            check_work(&self.sources, state)?;
        }
        let earlier = self.tail(session).await?.map_or(Version::NONE, |tail| tail.version);
        Ok(self.drive(session, vec![Input::Resume { key: fresh_key("resume")?, by }], earlier))
    }

    /// Says go on to a session that is paused while a living process drives it; none when it is not so.
    pub async fn resume_driven(&self, session: SessionId, by: Principal) -> Result<Option<Sent>, StartError> {
        if self.holder(session).await?.is_none() {
            return Ok(None);
        }
        let paused = self.fold(&StreamId::session(session)).await?.is_ok_and(|state| is_paused(&state));
        if !paused {
            return Ok(None);
        }
        let sent = self.say(session, Input::Resume { key: fresh_key("resume")?, by }).await?;
        // Whoever drove it may have left meanwhile; then it is for the caller to go on with.
        Ok(sent.holder.is_some().then_some(sent))
    }

    /// Takes the session again when somebody said something to it in the moment in which it was let go: they were told
    /// that it is being driven. Takes one over whose process died while it was watched, and watches one that somebody
    /// else was faster to take.
    pub async fn take_again(&self, released: &Running) -> Result<Option<Running>, StartError> {
        let (session, told) = (released.session(), released.version().max(released.earlier()));
        if released.is_yielded() {
            return Ok(Some(Running::elsewhere(session, self.ports.clone(), told)));
        }
        if released.is_orphaned() {
            return Ok(Some(self.drive(session, Vec::new(), told).yielding()));
        }
        let tail = self.tail(session).await?.map_or(Version::NONE, |tail| tail.version);
        if !released.is_done() || tail <= released.version() {
            return Ok(None);
        }
        let state = self.drivable(session).await?;
        let has_work = state.is_some_and(|state| turn(&state) == Turn::Session);
        Ok(has_work.then(|| self.drive(session, Vec::new(), told).yielding()))
    }

    /// Watches a session that another process drives; one that nobody drives is gone on with.
    pub async fn attach(&self, session: SessionId) -> Result<Running, StartError> {
        let state = self.drivable(session).await?;
        let version = self.tail(session).await?.map_or(Version::NONE, |tail| tail.version);
        if self.holder(session).await?.is_some() {
            // Whoever comes late wants to know what it is about.
            let earlier = Version(version.0.saturating_sub(TOLD_MAX));
            return Ok(Running::elsewhere(session, self.ports.clone(), earlier));
        }
        if let Some(state) = &state {
            if is_at_rest(state) {
                return Ok(Running::at_rest(session, self.ports.clone(), state.version));
            }
            check_work(&self.sources, state)?;
        }
        Ok(self.drive(session, Vec::new(), version).yielding())
    }

    /// What this process will show and not store, for whoever is about to begin something and wants to miss nothing of it.
    #[must_use]
    pub fn listen(&self) -> Listening {
        self.stage.listen()
    }

    /// What the process that drives the session shows and does not store; none when nobody does, or shows nothing.
    pub async fn live(&self, session: SessionId) -> Option<Watching> {
        let holder = self.holder(session).await.ok()??;
        Watching::connect(&self.home, holder, &StreamId::session(session)).await.ok()
    }

    /// The state of a session that exists and is not quarantined; none when the machine cannot fold its log, which is
    /// for the driver to find and to record.
    pub(crate) async fn drivable(&self, session: SessionId) -> Result<Option<State>, StartError> {
        let stream = StreamId::session(session);
        if self.log().tail(&stream).await?.is_none() {
            return Err(StartError::NoSession(session));
        }
        if let Some(quarantined) = self.quarantined().await?.remove(&stream) {
            return Err(StartError::Quarantined(session, quarantined));
        }
        Ok(self.fold(&stream).await?.ok())
    }

    fn drive(&self, session: SessionId, first: Vec<Input>, earlier: Version) -> Running {
        self.show_to_others();
        let stream = StreamId::session(session);
        let handle = shell::open(self.ports.clone(), stream, first);
        Running::new(session, handle, self.ports.clone(), earlier)
    }
}

/// Whether there is nothing to do, and nothing in the background to look after.
fn is_at_rest(state: &State) -> bool {
    turn(state) == Turn::Nobody && state.calls.is_empty()
}

/// What is only to be brought elsewhere, or to be watched, needs no model.
pub(crate) fn check_work(sources: &Sources, state: &State) -> Result<(), StartError> {
    if state.has_work() { check_models(sources, state) } else { Ok(()) }
}

/// Nothing is written before this is known: a script that was moved must not end the work that names it.
fn check_models(sources: &Sources, state: &State) -> Result<(), StartError> {
    match &state.session {
        Some(session) => check_options(sources, &session.options, Path::new(&session.folder)),
        None => Ok(()),
    }
}

fn check_options(sources: &Sources, options: &Options, folder: &Path) -> Result<(), StartError> {
    for model in options.model.iter().chain(&options.fallback) {
        models::check_script(model)?;
    }
    resolve(sources, options, folder)?;
    Ok(())
}

/// Checks what a job needs before anything is opened or written.
pub fn check(sources: &Sources, job: &Job) -> Result<(), StartError> {
    create(sources, job).map(drop)
}

fn create(sources: &Sources, job: &Job) -> Result<Input, StartError> {
    for rule in &job.policy.rules {
        if !tools::names().any(|tool| rule.names(tool)) {
            return Err(StartError::UnknownTool { rule: rule.to_string(), known: tools::names().collect() });
        }
    }
    let folder_error = |source| StartError::Folder { path: job.folder.clone(), source };
    let folder = job.folder.canonicalize().map_err(folder_error)?;
    if !folder.is_dir() {
        return Err(folder_error(std::io::ErrorKind::NotADirectory.into()));
    }
    let options = Options {
        model: Some(job.model.clone()),
        base_url: job.base_url.clone(),
        fallback: job.fallback.clone(),
        max_turns: job.max_turns,
        resume: job.resume,
        policy: job.policy.clone(),
        limits: job.limits,
    };
    check_options(sources, &options, &folder)?;
    Ok(Input::Create { folder: folder.to_string_lossy().into_owned(), options, origin: None, by: job.by.clone() })
}
