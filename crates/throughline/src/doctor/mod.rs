//! A look at everything that can be wrong with a data folder. Nothing is changed unless it is asked for, nothing that runs
//! is touched, and nobody is waited for for long.

mod commands;
mod log;
mod model;
mod outside;

pub use commands::sandbox;
pub use model::model;

use crate::Home;
use crate::bundle::FORMAT as EXPORT_FORMAT;
use crate::settings::{Candidate, Wish};
use contract::body::Principal;
use contract::id::{SessionId, StreamId};
use contract::units::Version;
use std::path::PathBuf;
use tools::supervise::Way;

/// Whether what can be mended without harm is mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mend {
    Nothing,
    /// As this person asked.
    Harmless {
        by: Principal,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    Ok,
    Warn,
    Fail,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    Versions {
        program: &'static str,
        tables: i64,
        export: u32,
    },
    FolderMissing {
        path: PathBuf,
    },
    Folder {
        path: PathBuf,
        free_bytes: u64,
    },
    FolderUnusable {
        path: PathBuf,
        reason: String,
    },
    FolderOnNetwork {
        path: PathBuf,
        kind: &'static str,
    },
    LittleSpace {
        path: PathBuf,
        free_bytes: u64,
    },
    JournalMissing,
    Journal {
        tables: i64,
    },
    JournalUnusable {
        reason: String,
    },
    /// The file that names this machine does not.
    MachineUnknown {
        reason: String,
    },
    Database,
    DatabaseDamaged {
        reason: String,
    },
    /// It did not answer in time; that says nothing about it.
    DatabaseBusy,
    Chains {
        streams: usize,
        events: u64,
    },
    ChainBroken {
        stream: StreamId,
        /// The last of its own events that is whole, if any is.
        whole: Option<Version>,
        reason: String,
    },
    Quarantined {
        stream: StreamId,
        version: Version,
        reason: String,
    },
    Hosts {
        running: usize,
        removed: usize,
    },
    HostsUnclear {
        reason: String,
    },
    Leases {
        driven: usize,
    },
    /// Whether a process looks after all sessions.
    Daemon {
        runs: bool,
    },
    /// So many daemons died one after the other that the one that runs, or the next, takes nothing by itself.
    HeldBack {
        died: usize,
        released: bool,
    },
    DaemonUnclear {
        reason: String,
    },
    /// It has work to do, and its last process is gone.
    Abandoned {
        session: SessionId,
    },
    Processes {
        watched: usize,
    },
    /// A command runs, and nobody drives its session.
    Unwatched {
        session: SessionId,
        tool: String,
        args: String,
        pid: Option<i32>,
    },
    /// A command runs that no session knows of.
    Stray {
        folder: PathBuf,
        pid: Option<i32>,
    },
    Spool {
        folders: usize,
    },
    Leftovers {
        folders: usize,
        removed: usize,
    },
    /// Where commands run.
    Sandbox {
        is_full: bool,
        way: Option<Way>,
        /// The version of Landlock that is in force.
        landlock: Option<u32>,
        /// Whether there is a limit to the processes of a command.
        counted: bool,
        /// Better ways that could not be gone, and why.
        failed: String,
    },
    /// Commands are refused.
    SandboxMissing {
        reason: String,
    },
    /// Who is asked when nobody names a model.
    Model {
        wish: Wish,
        /// Where nothing was set, the first of these that answers.
        candidates: Vec<Candidate>,
    },
    SettingsUnusable {
        reason: String,
    },
    ViewsMissing,
    Views,
    ViewsDamaged {
        reason: String,
    },
    Blobs {
        blobs: usize,
    },
    /// A blob that an event names is gone, has another size or cannot be read.
    BlobBroken {
        stream: StreamId,
        version: Version,
        reason: String,
    },
}

impl Finding {
    /// Name of the check.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Finding::Versions { .. } => "versions",
            Finding::FolderMissing { .. }
            | Finding::Folder { .. }
            | Finding::FolderUnusable { .. }
            | Finding::FolderOnNetwork { .. }
            | Finding::LittleSpace { .. } => "folder",
            Finding::JournalMissing | Finding::Journal { .. } | Finding::JournalUnusable { .. } => "journal",
            Finding::MachineUnknown { .. } => "machine",
            Finding::Database | Finding::DatabaseDamaged { .. } | Finding::DatabaseBusy => "database",
            Finding::Chains { .. } | Finding::ChainBroken { .. } | Finding::Quarantined { .. } => "chains",
            Finding::Hosts { .. } | Finding::HostsUnclear { .. } => "hosts",
            Finding::Leases { .. } | Finding::Abandoned { .. } => "leases",
            Finding::Daemon { .. } | Finding::HeldBack { .. } | Finding::DaemonUnclear { .. } => "daemon",
            Finding::Processes { .. } | Finding::Unwatched { .. } | Finding::Stray { .. } => "processes",
            Finding::Spool { .. } | Finding::Leftovers { .. } => "spool",
            Finding::Sandbox { .. } | Finding::SandboxMissing { .. } => "sandbox",
            Finding::Model { .. } | Finding::SettingsUnusable { .. } => "model",
            Finding::ViewsMissing | Finding::Views | Finding::ViewsDamaged { .. } => "views",
            Finding::Blobs { .. } | Finding::BlobBroken { .. } => "blobs",
        }
    }

    #[must_use]
    pub fn health(&self) -> Health {
        match self {
            Finding::Versions { .. }
            | Finding::FolderMissing { .. }
            | Finding::Folder { .. }
            | Finding::JournalMissing
            | Finding::Journal { .. }
            | Finding::Database
            | Finding::Chains { .. }
            | Finding::Hosts { .. }
            | Finding::Leases { .. }
            | Finding::Daemon { .. }
            | Finding::HeldBack { released: true, .. }
            | Finding::Processes { .. }
            | Finding::Spool { .. }
            | Finding::Sandbox { is_full: true, .. }
            | Finding::Model { wish: Wish::Named(_) | Wish::Nothing, .. }
            | Finding::ViewsMissing
            | Finding::Views
            | Finding::Blobs { .. } => Health::Ok,
            Finding::Leftovers { folders, removed } if folders == removed => Health::Ok,
            Finding::LittleSpace { .. }
            | Finding::Sandbox { is_full: false, .. }
            | Finding::SandboxMissing { .. }
            | Finding::Model { wish: Wish::Several(_), .. }
            | Finding::SettingsUnusable { .. }
            | Finding::DatabaseBusy
            | Finding::HostsUnclear { .. }
            | Finding::HeldBack { released: false, .. }
            | Finding::DaemonUnclear { .. }
            | Finding::Abandoned { .. }
            | Finding::Unwatched { .. }
            | Finding::Stray { .. }
            | Finding::Leftovers { .. }
            | Finding::ViewsDamaged { .. } => Health::Warn,
            Finding::FolderUnusable { .. }
            | Finding::FolderOnNetwork { .. }
            | Finding::JournalUnusable { .. }
            | Finding::MachineUnknown { .. }
            | Finding::DatabaseDamaged { .. }
            | Finding::ChainBroken { .. }
            | Finding::Quarantined { .. }
            | Finding::BlobBroken { .. } => Health::Fail,
        }
    }
}

/// Checks the data folder and everything in it. A check that another one makes pointless is left out.
pub async fn examine(home: &Home, mend: &Mend) -> Vec<Finding> {
    let mut findings = vec![Finding::Versions { program: env!("CARGO_PKG_VERSION"), tables: journal::FORMAT, export: EXPORT_FORMAT }];
    let usable = outside::folder(home, &mut findings);
    if !usable {
        return findings;
    }
    if !home.folder().join("journal.db").exists() {
        findings.push(Finding::JournalMissing);
        return findings;
    }
    let hosts = outside::hosts(home).await;
    let answers = outside::database(home, &mut findings).await;
    if answers && let Some(throughline) = outside::open(home, &mut findings).await {
        findings.push(hosts);
        throughline.examine_log(home, mend, &mut findings).await;
    }
    findings.push(outside::views(home).await);
    findings
}
