//! The built-in tools, one file each, and the flat table by which calls find them.
//!
//! Must not know ownership, attempts of others, or policy.

mod about;
mod edit_file;
mod fetch_url;
mod list_files;
mod process_input;
mod process_signal;
mod process_status;
mod read_file;
mod replace;
mod request_user;
mod search_text;
mod shell;
mod wait_for;
mod walk;
mod write_file;

pub(crate) use about::Attempt;

use crate::place::Place;
use crate::supervise::client::Ended;
use crate::supervise::{Folder, Spec};
use contract::body::UnknownReason;
use contract::call::{Class, Prepared, Risk, Touches};
use contract::config::ToolSpec;
use contract::port::{BoxFuture, Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use serde_json::Value;
use std::sync::Arc;
use web::Visitor;

pub(crate) struct Tool {
    pub name: &'static str,
    description: &'static str,
    pub class: Class,
    /// Inside the folder of the session.
    pub risk: Risk,
    schema: fn() -> Value,
    pub prepare: fn(&Prepare) -> Result<Preparation, PrepareRefused>,
    pub run: Run,
}

pub(crate) enum Run {
    /// Runs in this process and blocks.
    Inside { start: fn(&ToolJob, &Folder) -> RawOutcome, recover: fn(&ToolJob, &Folder, SameBoot) -> RawOutcome },
    /// Runs under a supervisor.
    Supervised { spec: fn(&ToolJob, &Folder) -> Result<Wanted, String>, outcome: fn(&ToolJob, Ended) -> RawOutcome },
    /// Looks at or talks to the attempt of another call; there is none once that has ended.
    About { start: fn(ToolJob, Option<Attempt>) -> BoxFuture<'static, RawOutcome> },
    /// Visits a server. `check` refuses what can be refused without asking anybody.
    Web { check: fn(&Prepare, &Visitor) -> Result<(), PrepareRefused>, start: fn(ToolJob, Arc<Visitor>) -> BoxFuture<'static, RawOutcome> },
    /// Done by the session itself; no attempt is ever started.
    BySession,
}

/// A command to run, and what it needs of the world beyond its folder.
pub(crate) struct Wanted {
    pub spec: Spec,
    pub network: bool,
}

/// Whether the attempt was started under the boot that still runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SameBoot(pub bool);

pub(crate) const TOOLS: &[Tool] = &[
    read_file::TOOL,
    list_files::TOOL,
    search_text::TOOL,
    write_file::TOOL,
    edit_file::TOOL,
    shell::TOOL,
    fetch_url::TOOL,
    process_status::TOOL,
    process_input::TOOL,
    process_signal::TOOL,
    wait_for::TOOL,
    request_user::TOOL,
];

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
    let paths = vec![place.shown.clone()];
    let prepared = Prepared { witness: Some(place.witness()), paths, touches: Touches::PRIVATE, ..Prepared::default() };
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
pub(crate) fn finished(result: Result<String, String>) -> RawOutcome {
    let ok = result.is_ok();
    let (Ok(output) | Err(output)) = result;
    RawOutcome::Finished { ok, output, exit: None, signal: None }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
