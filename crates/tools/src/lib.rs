//! Built-in tools, preparation of calls and the process supervisor.
//!
//! Owns what a tool does and how a lost attempt is found again. Must not decide about approval, write to the log, or
//! run an attempt twice. [`Toolbox`] is the port; the tools are one file each below `tool`; [`supervise`] is the other
//! process above every command.

mod args;
mod example;
mod guard;
mod place;
mod portion;
mod reach;
mod sandbox;
mod stops;
pub mod supervise;
mod texts;
mod tool;

use contract::body::UnknownReason;
use contract::call::{Class, Prepared, Risk, Sandbox};
use contract::config::ToolSpec;
use contract::id::{ActionId, StreamId};
use contract::limits::OTHER_MACHINE_PATIENCE_MS;
use contract::port::{BoxFuture, Frame, Here, Preparation, Prepare, PrepareRefused, RawOutcome, Recovery, Stopping, ToolJob, Tools};
use guard::Guard;
use sandbox::{NoSandbox, Sandboxes};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use stops::Stops;
use supervise::claim::{self, Look};
use supervise::client::{self, Answer, Found};
use supervise::launch::Launcher;
use supervise::{Command, Folder, Spec, Way};
use tool::{Attempt, Run, SameBoot, Tool, Wanted};
use web::{VisitLimits, Visitor};

pub use example::{Example, NoExample, example};
pub use sandbox::{Found as FoundSandbox, Sandboxing, UnusedTemp, unused_temps};
pub use texts::ways_failed;
pub use web::{Addresses, Reach, Resolve};

/// Processes and threads of a command at once; more than the largest builds have.
const PROCESSES_MAX: u64 = 2_048;

/// Where and how tools run.
#[derive(Clone, Debug)]
pub struct Options {
    /// One folder for each attempt is made below it.
    pub spool: PathBuf,
    /// The program that becomes a supervisor when it is executed as [`supervise::ARGV0`].
    pub supervisor: PathBuf,
    /// What another machine has to recover its own attempts.
    pub other_machine_patience: Duration,
    /// Variables of the environment that no command gets.
    pub hidden: BTreeSet<OsString>,
    /// Which servers may be visited.
    pub reach: Reach,
    pub visits: VisitLimits,
    pub sandboxing: Sandboxing,
    /// Ways to make a sandbox, the best first.
    pub ways: Vec<Way>,
    /// Processes and threads that a command in a sandbox may have at once.
    pub processes_max: u64,
    /// One folder for each session is made below it, for what its commands keep for a while.
    pub temp: PathBuf,
    /// Folders in which no command in a sandbox sees anything, and which no other tool looks at or changes.
    pub unseen: Vec<PathBuf>,
    /// Folders that no command in a sandbox can change, even inside its workspace; other tools ask before they do.
    pub unchanged: Vec<PathBuf>,
}

impl Options {
    /// This very program as supervisor, and the patience of the contract.
    #[must_use]
    pub fn new(spool: impl Into<PathBuf>) -> Options {
        let spool = spool.into();
        let temp = spool.with_file_name("temp");
        Options {
            unseen: vec![spool.clone(), temp.clone()],
            unchanged: Vec::new(),
            temp,
            sandboxing: Sandboxing::On,
            ways: Way::ALL.to_vec(),
            processes_max: PROCESSES_MAX,
            spool,
            supervisor: "/proc/self/exe".into(),
            other_machine_patience: Duration::from_millis(OTHER_MACHINE_PATIENCE_MS),
            hidden: BTreeSet::new(),
            reach: Reach::default(),
            visits: VisitLimits::default(),
        }
    }
}

/// The built-in tools.
#[derive(Debug)]
pub struct Toolbox {
    options: Options,
    launcher: Launcher,
    visitor: Arc<Visitor>,
    stops: Stops,
    sandboxes: Sandboxes,
    guard: Guard,
}

/// Names of the built-in tools.
pub fn names() -> impl Iterator<Item = &'static str> {
    tool::TOOLS.iter().map(|tool| tool.name)
}

impl Toolbox {
    /// Fails only when a relative `spool` cannot be made absolute; supervisors work in folders of their own.
    pub fn new(options: Options) -> io::Result<Toolbox> {
        let absolute = |path: &PathBuf| std::path::absolute(path);
        let (spool, temp) = (absolute(&options.spool)?, absolute(&options.temp)?);
        let unseen = options.unseen.iter().map(absolute).collect::<io::Result<Vec<_>>>()?;
        let unchanged = options.unchanged.iter().map(absolute).collect::<io::Result<Vec<_>>>()?;
        let launcher = Launcher::new(options.supervisor.clone());
        let options = Options { spool, temp, unseen, unchanged, ..options };
        let visitor = Arc::new(Visitor::new(options.reach.clone(), options.visits));
        let sandboxes = Sandboxes::new(&options);
        let guard = Guard::new(&options.unseen, &options.unchanged);
        Ok(Toolbox { options, launcher, visitor, stops: Stops::default(), sandboxes, guard })
    }

    fn folder(&self, action: ActionId, attempt: u16) -> Folder {
        Folder::of(&self.options.spool, action, attempt)
    }

    async fn start_attempt(&self, job: ToolJob) -> RawOutcome {
        let folder = self.folder(job.action, job.attempt);
        match tool::named(&job.tool).map(|tool| &tool.run) {
            Some(Run::Inside { start, .. }) => inside(move || start(&job, &folder)).await,
            Some(Run::Supervised { spec, outcome }) => {
                let started = match spec(&job, &folder) {
                    Ok(wanted) => match self.confined(&job, wanted).await {
                        Ok(spec) => client::start(&self.launcher, &folder, &spec).await.map_err(|error| texts::not_started(&error)),
                        Err(text) => Err(text),
                    },
                    Err(text) => Err(text),
                };
                match started {
                    Ok(running) => outcome(&job, running.wait(show_live(&job)).await),
                    Err(text) => tool::finished(Err(text)),
                }
            }
            Some(Run::About { start }) => {
                let about = job.target.clone().map(|target| Attempt { folder: self.folder(target.action, target.attempt), target });
                let attempt = (job.action, job.attempt);
                // What only looks may be given up at any time; of what was sent nobody could say whether it came.
                if job.class != Class::Pure {
                    return start(job, about).await;
                }
                let done = self.stops.until_told(attempt, start(job, about)).await;
                done.unwrap_or_else(|| tool::finished(Err(texts::WAIT_STOPPED.to_owned())))
            }
            Some(Run::Web { start, .. }) => {
                let attempt = (job.action, job.attempt);
                let done = self.stops.until_told(attempt, start(job, self.visitor.clone())).await;
                done.unwrap_or_else(|| tool::finished(Err(texts::FETCH_STOPPED.to_owned())))
            }
            Some(Run::BySession) => tool::finished(Err(texts::BY_SESSION.to_owned())),
            None => tool::finished(Err(unknown_tool(&job.tool))),
        }
    }

    /// The command with all that it may have. An error is for the model: nothing ran.
    async fn confined(&self, job: &ToolJob, wanted: Wanted) -> Result<Spec, String> {
        let Wanted { mut spec, network } = wanted;
        spec.env.retain(|(name, _)| !self.options.hidden.contains(name));
        let found = self.find_sandbox(&job.folder, &job.stream).await?;
        if job.sandbox.is_some_and(|judged| found.sandbox < judged) {
            return Err(texts::WEAKER.to_owned());
        }
        self.sandboxes.confine(&mut spec, &found, &job.stream, network);
        Ok(spec)
    }

    async fn find_sandbox(&self, folder: &Path, stream: &StreamId) -> Result<FoundSandbox, String> {
        self.sandboxes.find(&self.launcher, folder, stream).await.map_err(|reason| match reason {
            NoSandbox::Folder(error) => texts::no_folder(folder, &error),
            NoSandbox::Supervisor(error) => texts::not_started(&error),
            NoSandbox::Room(failed) => texts::no_sandbox(&failed),
        })
    }

    /// What holds commands in this folder; an error says why nothing can.
    pub async fn sandbox(&self, folder: &Path, stream: &StreamId) -> Result<FoundSandbox, String> {
        self.find_sandbox(folder, stream).await
    }

    /// A command line is looked at and nothing else; where it would run is found out for its risk.
    async fn prepare_command(&self, tool: &Tool, call: &Prepare) -> Result<Preparation, PrepareRefused> {
        let mut preparation = (tool.prepare)(call)?;
        let found = self.find_sandbox(&call.folder, &call.stream).await.map_err(|message| PrepareRefused { message })?;
        let Prepared { network, opaque, .. } = &preparation.prepared;
        let is_held = found.sandbox == Sandbox::Full && !*network && !*opaque;
        preparation.risk = if is_held { Risk::Medium } else { Risk::High };
        preparation.prepared.sandbox = Some(found.sandbox);
        Ok(preparation)
    }

    async fn recover_attempt(&self, job: ToolJob, here: &Here) -> Recovery {
        let Some(tool) = tool::named(&job.tool) else {
            return Recovery::Ended(RawOutcome::Unknown { reason: UnknownReason::Lost, output: unknown_tool(&job.tool) });
        };
        // What changes nothing need not be waited for, wherever it ran.
        if job.machine != here.machine && tool.class != Class::Pure {
            tokio::time::sleep(self.options.other_machine_patience).await;
            return Recovery::Ended(RawOutcome::Unknown { reason: UnknownReason::OtherMachine, output: String::new() });
        }
        let folder = self.folder(job.action, job.attempt);
        match &tool.run {
            Run::Inside { recover, .. } => {
                let same_boot = SameBoot(job.boot == here.boot);
                Recovery::Ended(inside(move || recover(&job, &folder, same_boot)).await)
            }
            Run::Supervised { outcome, .. } => match client::recover(&folder, &job.boot, &here.boot).await {
                Found::Ended(ended) => Recovery::Ended(outcome(&job, ended)),
                Found::Running(running) => Recovery::Running(Box::pin(async move { outcome(&job, running.wait(show_live(&job)).await) })),
            },
            // Whoever asked is gone, and asking again changes nothing.
            Run::Web { .. } => Recovery::Ended(RawOutcome::Unknown { reason: UnknownReason::Died, output: String::new() }),
            // It left nothing behind by which it could be told whether the other process got it.
            Run::About { .. } => Recovery::Ended(RawOutcome::Unknown { reason: UnknownReason::Died, output: String::new() }),
            Run::BySession => Recovery::Ended(tool::finished(Err(texts::BY_SESSION.to_owned()))),
        }
    }
}

impl Tools for Toolbox {
    fn specs(&self) -> Vec<ToolSpec> {
        tool::TOOLS.iter().map(Tool::spec).collect()
    }

    fn prepare(&self, call: Prepare) -> BoxFuture<'_, Result<Preparation, PrepareRefused>> {
        Box::pin(async move {
            let tool = tool::named(&call.tool).ok_or_else(|| PrepareRefused { message: unknown_tool(&call.tool) })?;
            if let Run::Web { check, .. } = tool.run {
                check(&call, &self.visitor)?;
                return (tool.prepare)(&call);
            }
            if let Run::Supervised { .. } = tool.run {
                return self.prepare_command(tool, &call).await;
            }
            // Reads files for its preview.
            let guard = self.guard.clone();
            let prepare = move || guard.check(&call.folder, (tool.prepare)(&call)?);
            let prepared = tokio::task::spawn_blocking(prepare).await;
            prepared.unwrap_or_else(|error| Err(PrepareRefused { message: texts::not_prepared(&error) }))
        })
    }

    fn start(&self, job: ToolJob) -> BoxFuture<'_, RawOutcome> {
        Box::pin(self.start_attempt(job))
    }

    fn recover<'a>(&'a self, job: ToolJob, here: &'a Here) -> BoxFuture<'a, Recovery> {
        Box::pin(self.recover_attempt(job, here))
    }

    fn stop(&self, action: ActionId, attempt: u16, grace: Duration) -> BoxFuture<'_, Stopping> {
        let folder = self.folder(action, attempt);
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        if self.stops.tell((action, attempt)) {
            return Box::pin(std::future::ready(Stopping::Told));
        }
        Box::pin(async move {
            match client::send(&folder, &Command::Stop { grace_ms }).await {
                Ok(Answer::Done) => Stopping::Told,
                // Its time is over, and what should keep it does not.
                Err(_) if grace.is_zero() && client::kill(&folder) => Stopping::Told,
                Ok(Answer::Refused(_)) | Err(_) => Stopping::NotReached,
            }
        })
    }

    fn tail(&self, action: ActionId, attempt: u16, bytes_max: usize) -> BoxFuture<'_, Option<String>> {
        let folder = self.folder(action, attempt);
        let read = move || supervise::output::tail(folder.path(), bytes_max);
        Box::pin(async move { tokio::task::spawn_blocking(read).await.unwrap_or_default() })
    }

    fn kept(&self) -> BoxFuture<'_, Vec<(ActionId, u16)>> {
        let spool = self.options.spool.clone();
        // A spool that cannot be listed keeps nothing that could be given back.
        Box::pin(async move { tokio::task::spawn_blocking(move || Folder::all(&spool)).await.unwrap_or_default() })
    }

    fn forget(&self, action: ActionId, attempt: u16) -> BoxFuture<'_, ()> {
        let folder = self.folder(action, attempt);
        // A folder that stays behind costs space and nothing else: its attempt is never asked about again. That of a
        // command which runs is the only way to it.
        let remove = move || if matches!(claim::look(&folder), Ok(Look::Alive)) { Ok(()) } else { folder.remove() };
        Box::pin(async move { drop(tokio::task::spawn_blocking(remove).await) })
    }
}

/// Runs a tool on a thread that may block; one that panics ended without saying anything.
async fn inside(run: impl FnOnce() -> RawOutcome + Send + 'static) -> RawOutcome {
    let lost = |error| RawOutcome::Unknown { reason: UnknownReason::Lost, output: texts::spool_lost(&error) };
    tokio::task::spawn_blocking(run).await.unwrap_or_else(lost)
}

fn show_live(job: &ToolJob) -> impl FnMut(u64, String) + Send + 'static {
    let ToolJob { stream, action, attempt, live, .. } = job.clone();
    move |offset, text| live.show(Frame::ToolOutput { stream: stream.clone(), action, attempt, offset, text })
}

fn unknown_tool(name: &str) -> String {
    let known: Vec<&str> = tool::TOOLS.iter().map(|tool| tool.name).collect();
    texts::unknown_tool(name, &known)
}
