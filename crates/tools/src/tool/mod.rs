//! The built-in tools, one file each, and the flat table by which calls find them.
//!
//! Must not know ownership, attempts of others, or policy.

mod edit_file;
mod list_files;
mod read_file;
mod replace;
mod search_text;
mod shell;
mod write_file;

use crate::place::Place;
use crate::supervise::client::Ended;
use crate::supervise::{Folder, Spec};
use contract::body::UnknownReason;
use contract::call::{Class, Prepared, Risk};
use contract::config::ToolSpec;
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use serde_json::Value;

pub(crate) struct Tool {
    pub name: &'static str,
    description: &'static str,
    pub class: Class,
    /// Inside the folder of the session.
    risk: Risk,
    schema: fn() -> Value,
    pub prepare: fn(&Prepare) -> Result<Preparation, PrepareRefused>,
    pub run: Run,
}

pub(crate) enum Run {
    /// Runs in this process and blocks.
    Inside { start: fn(&ToolJob, &Folder) -> RawOutcome, recover: fn(&ToolJob, &Folder, SameBoot) -> RawOutcome },
    /// Runs under a supervisor.
    Supervised { spec: fn(&ToolJob, &Folder) -> Result<Spec, String>, outcome: fn(&ToolJob, Ended) -> RawOutcome },
}

/// Whether the attempt was started under the boot that still runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SameBoot(pub bool);

pub(crate) const TOOLS: &[Tool] = &[read_file::TOOL, list_files::TOOL, search_text::TOOL, write_file::TOOL, edit_file::TOOL, shell::TOOL];

pub(crate) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl Tool {
    pub(crate) fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            schema: (self.schema)(),
            class: self.class,
            risk: self.risk,
        }
    }
}

fn refuse(message: impl Into<String>) -> PrepareRefused {
    PrepareRefused { message: message.into() }
}

/// Preparation of a tool that only looks at one place.
fn prepare_look(folder: &std::path::Path, path: &str) -> Result<Preparation, PrepareRefused> {
    let place = Place::find(folder, path).map_err(refuse)?;
    let prepared = Prepared { witness: Some(place.witness()), paths: vec![place.shown.clone()], ..Prepared::default() };
    Ok(Preparation { class: Class::Pure, risk: place.risk(Risk::Low), prepared, preview: None })
}

/// The place again at the start, if it is still the one that was prepared.
fn look_again(job: &ToolJob, path: &str) -> Result<Place, String> {
    let place = Place::find(&job.folder, path)?;
    match job.witness {
        Some(witness) if witness != place.witness() => Err(crate::texts::CHANGED.to_owned()),
        Some(_) | None => Ok(place),
    }
}

/// A tool that changes nothing has nothing to find out: the machine runs it again.
fn recover_pure(_: &ToolJob, _: &Folder, _: SameBoot) -> RawOutcome {
    RawOutcome::Unknown { reason: UnknownReason::Died, output: String::new() }
}

/// `Err` is a text for the model: the tool ran and could not do it.
fn finished(result: Result<String, String>) -> RawOutcome {
    let ok = result.is_ok();
    let (Ok(output) | Err(output)) = result;
    RawOutcome::Finished { ok, output, exit: None, signal: None }
}

#[cfg(test)]
pub(crate) mod testing {
    //! One session folder and one spool for the tests of in-process tools.

    use super::*;
    use contract::id::{ActionId, BootId, MachineId, SessionId, StreamId};
    use contract::port::Silent;
    use std::path::PathBuf;
    use std::sync::Arc;

    pub(crate) struct Desk {
        _temp: tempfile::TempDir,
        pub folder: PathBuf,
        pub spool: Folder,
        tool: &'static Tool,
    }

    pub(crate) fn desk(tool: &str) -> Desk {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let folder = root.join("work");
        std::fs::create_dir(&folder).unwrap();
        let spool = Folder::of(&root.join("spool"), ActionId([1; 16]), 1);
        Desk { _temp: temp, folder, spool, tool: named(tool).unwrap() }
    }

    impl Desk {
        pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
            let path = self.folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, content).unwrap();
            path
        }

        pub(crate) fn prepare(&self, args: &Value) -> Result<Preparation, String> {
            let call = Prepare { tool: self.tool.name.into(), args: args.to_string(), folder: self.folder.clone() };
            (self.tool.prepare)(&call).map_err(|refused| refused.message)
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
                class: self.tool.class,
                machine: MachineId([1; 16]),
                boot: BootId("boot".into()),
                live: Arc::new(Silent),
            }
        }

        pub(crate) fn start(&self, job: &ToolJob) -> RawOutcome {
            match &self.tool.run {
                Run::Inside { start, .. } => start(job, &self.spool),
                Run::Supervised { .. } => panic!("{} does not run inside", self.tool.name),
            }
        }

        pub(crate) fn recover(&self, job: &ToolJob, same_boot: bool) -> RawOutcome {
            match &self.tool.run {
                Run::Inside { recover, .. } => recover(job, &self.spool, SameBoot(same_boot)),
                Run::Supervised { .. } => panic!("{} does not run inside", self.tool.name),
            }
        }

        /// Prepares and starts; `Err` is a result that says no.
        pub(crate) fn run(&self, args: &Value) -> Result<String, String> {
            match self.start(&self.job(args)) {
                RawOutcome::Finished { ok: true, output, .. } => Ok(output),
                RawOutcome::Finished { ok: false, output, .. } => Err(output),
                other @ (RawOutcome::Cancelled(_) | RawOutcome::Unknown { .. }) => panic!("{other:?}"),
            }
        }
    }
}
