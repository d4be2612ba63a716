//! What can be told without the log: the folder, the files, who is alive.

use super::Finding;
use crate::{Home, HomeError, OpenError, Throughline};
use journal::Examined;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Bytes below which a log may soon have no room.
const LITTLE_SPACE_BYTES: u64 = 256 * 1024 * 1024;
/// How long one check may take before it is given up: longer than a sound one takes, short enough to wait for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether the folder is there and can be used.
pub(super) fn folder(home: &Home, findings: &mut Vec<Finding>) -> bool {
    let path = home.folder().to_owned();
    if !path.exists() {
        // Looking makes nothing, so what can be told is whether something could be made there.
        findings.push(match path.ancestors().find(|parent| parent.exists()).map(probe) {
            Some(Err(error)) => Finding::FolderUnusable { path, reason: error.to_string() },
            Some(Ok(())) | None => Finding::FolderMissing { path },
        });
        return false;
    }
    if let Err(error) = probe(&path) {
        findings.push(Finding::FolderUnusable { path, reason: error.to_string() });
        return false;
    }
    match (journal::network_filesystem(&path), journal::free_bytes(&path)) {
        (Ok(Some(kind)), _) => {
            findings.push(Finding::FolderOnNetwork { path, kind });
            return false;
        }
        (Ok(None), Ok(free_bytes)) if free_bytes < LITTLE_SPACE_BYTES => findings.push(Finding::LittleSpace { path, free_bytes }),
        (Ok(None), Ok(free_bytes)) => findings.push(Finding::Folder { path, free_bytes }),
        (Err(error), _) | (_, Err(error)) => {
            findings.push(Finding::FolderUnusable { path, reason: error.to_string() });
            return false;
        }
    }
    true
}

/// Whether something can be written into this folder.
fn probe(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join(format!("thru-doctor.{}", std::process::id()));
    fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe))
}

/// Does something that may block, and gives it up when it takes too long.
async fn within<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(work)).await.ok()?.ok()
}

/// Who is alive; whoever opens the folder removes the files of the dead.
pub(super) async fn hosts(home: &Home) -> Finding {
    let folder = home.folder().to_owned();
    match within(move || journal::survey(&folder)).await {
        Some(Ok(survey)) => Finding::Hosts { running: survey.alive, removed: survey.dead },
        Some(Err(error)) => Finding::HostsUnclear { reason: error.to_string() },
        None => Finding::HostsUnclear { reason: "timeout".to_owned() },
    }
}

/// Lets SQLite look at the log, and tells whether it answers; what cannot be looked at now is not called damaged.
pub(super) async fn database(home: &Home, findings: &mut Vec<Finding>) -> bool {
    let path = home.folder().join("journal.db");
    let finding = match within(move || journal::examine(&path)).await {
        Some(Examined::Sound) => Finding::Database,
        Some(Examined::Damaged(reason) | Examined::Unreadable(reason)) => Finding::DatabaseDamaged { reason },
        Some(Examined::Busy) | None => Finding::DatabaseBusy,
    };
    let answers = finding != Finding::DatabaseBusy;
    findings.push(finding);
    answers
}

pub(super) async fn open(home: &Home, findings: &mut Vec<Finding>) -> Option<Throughline> {
    let own = home.clone();
    match within(move || Throughline::open(&own)).await {
        Some(Ok(throughline)) => {
            findings.push(Finding::Journal { tables: journal::FORMAT });
            Some(throughline)
        }
        Some(Err(error)) => {
            let reason = error.to_string();
            findings.push(match error {
                OpenError::Home(HomeError::BadMachine { .. }) => Finding::MachineUnknown { reason },
                OpenError::Home(_) | OpenError::Spool(_) => Finding::FolderUnusable { path: home.folder().to_owned(), reason },
                OpenError::Journal(_) | OpenError::Random(_) => Finding::JournalUnusable { reason },
            });
            None
        }
        None => {
            findings.push(Finding::DatabaseBusy);
            None
        }
    }
}

/// The lists are made anew from the log whenever they are damaged, so nothing about them fails.
pub(super) async fn views(home: &Home) -> Finding {
    let path = home.folder().join("views.db");
    if !path.exists() {
        return Finding::ViewsMissing;
    }
    match within(move || journal::examine(&path)).await {
        Some(Examined::Sound | Examined::Busy) => Finding::Views,
        Some(Examined::Damaged(reason) | Examined::Unreadable(reason)) => Finding::ViewsDamaged { reason },
        None => Finding::ViewsDamaged { reason: "timeout".to_owned() },
    }
}
