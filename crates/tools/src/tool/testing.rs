//! One session folder and one spool for the tests of tools that start no process.
//!
//! Must not start one either: such tests are in `tests/all`.

use super::*;
use contract::id::{ActionId, BootId, CallId, MachineId, SessionId, Sha256, StreamId};
use contract::port::{Silent, Target};
use contract::units::Time;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

pub(crate) struct Desk {
    _temp: tempfile::TempDir,
    pub folder: PathBuf,
    pub spool: Folder,
    /// Calls that have not ended.
    pub open: Vec<(CallId, String)>,
    /// What the session knows of files: whatever [`Desk::write`] wrote, and what calls have read or written since.
    pub known: Mutex<BTreeMap<String, Sha256>>,
    tool: &'static Tool,
}

/// The call that others are about, and what it runs.
pub(crate) const CALL: CallId = CallId { reply: 3, index: 0 };

/// The running attempt of [`CALL`], 65 seconds after its start.
pub(crate) fn target() -> Target {
    Target { call: CALL, tool: "shell".into(), action: ActionId([2; 16]), attempt: 4, since: Time(1_000), now: Time(66_000) }
}

/// A desk at which [`CALL`] is open.
pub(crate) fn desk_with_open_call(tool: &str) -> Desk {
    Desk { open: vec![(CALL, "shell".into())], ..desk(tool) }
}

pub(crate) fn desk(tool: &str) -> Desk {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap();
    let folder = root.join("work");
    std::fs::create_dir(&folder).unwrap();
    let spool = Folder::of(&root.join("spool"), ActionId([1; 16]), 1);
    Desk { _temp: temp, folder, spool, open: Vec::new(), known: Mutex::default(), tool: named(tool).unwrap() }
}

impl Desk {
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &content).unwrap();
        if let Ok(place) = Place::find(&self.folder, path.to_str().unwrap()) {
            self.known.lock().unwrap().insert(place.shown, Sha256::of(content.as_ref()));
        }
        path
    }

    pub(crate) fn prepare(&self, args: &Value) -> Result<Preparation, String> {
        self.prepare_text(&args.to_string())
    }

    /// Arguments as a model sends them, which need not be JSON.
    pub(crate) fn prepare_text(&self, args: &str) -> Result<Preparation, String> {
        (self.tool.prepare)(&self.call(args)).map_err(|refused| refused.message)
    }

    pub(crate) fn call(&self, args: &str) -> Prepare {
        let known = Arc::new(self.known.lock().unwrap().clone());
        let stream = StreamId::session(SessionId([1; 16]));
        Prepare { stream, tool: self.tool.name.into(), args: args.into(), folder: self.folder.clone(), open: self.open.clone(), known }
    }

    /// The spool folder of another attempt, as the toolbox finds it.
    pub(crate) fn attempt_of(&self, target: &Target) -> Folder {
        Folder::of(self.spool.path().parent().unwrap(), target.action, target.attempt)
    }

    /// Starts a call that is about this attempt.
    pub(crate) fn run_about(&self, args: &Value, target: Target) -> Result<String, String> {
        said(self.start(&ToolJob { target: Some(target), ..self.job(args) }))
    }

    /// A job with the witness of a preparation now.
    pub(crate) fn job(&self, args: &Value) -> ToolJob {
        ToolJob {
            stream: StreamId::session(SessionId([1; 16])),
            action: ActionId([1; 16]),
            attempt: 1,
            tool: self.tool.name.into(),
            args: args.to_string(),
            folder: self.folder.clone(),
            witness: self.prepare(args).ok().and_then(|preparation| preparation.prepared.witness),
            sandbox: None,
            class: self.tool.class,
            target: None,
            machine: MachineId([1; 16]),
            boot: BootId("boot".into()),
            live: Arc::new(Silent),
        }
    }

    pub(crate) fn start(&self, job: &ToolJob) -> RawOutcome {
        match &self.tool.run {
            Run::Inside { start, .. } => start(job, &self.spool),
            Run::About { start } => {
                let attempt = job.target.clone().map(|target| Attempt { folder: self.attempt_of(&target), target });
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(start(job.clone(), attempt))
            }
            Run::Supervised { .. } | Run::Web { .. } | Run::BySession => panic!("{} does not run inside", self.tool.name),
        }
    }

    pub(crate) fn recover(&self, job: &ToolJob, same_boot: bool) -> RawOutcome {
        match &self.tool.run {
            Run::Inside { recover, .. } => recover(job, &self.spool, SameBoot(same_boot)),
            Run::Supervised { .. } | Run::About { .. } | Run::Web { .. } | Run::BySession => {
                panic!("{} does not run inside", self.tool.name)
            }
        }
    }

    /// Prepares and starts; `Err` is a result that says no.
    pub(crate) fn run(&self, args: &Value) -> Result<String, String> {
        let preparation = self.prepare(args);
        let done = said(self.start(&self.job(args)));
        if let (Ok(preparation), Ok(_)) = (preparation, &done)
            && let Some((path, content)) = preparation.prepared.file()
        {
            self.known.lock().unwrap().insert(path.to_owned(), content);
        }
        done
    }
}

fn said(outcome: RawOutcome) -> Result<String, String> {
    match outcome {
        RawOutcome::Finished { ok: true, output, .. } => Ok(output),
        RawOutcome::Finished { ok: false, output, .. } => Err(output),
        other @ (RawOutcome::Cancelled(_) | RawOutcome::Unknown { .. }) => panic!("{other:?}"),
    }
}
