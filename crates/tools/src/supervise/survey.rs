//! What lies in the spool, for whoever looks after the data folder and not after one attempt.

use super::Folder;
use super::claim::{self, Claim, Look};
use super::proc;
use contract::id::ActionId;
use std::fs;
use std::path::Path;

/// The folder of an attempt as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spooled {
    pub action: ActionId,
    pub attempt: u16,
    /// Its supervisor lives.
    pub alive: bool,
    /// The process of that supervisor.
    pub pid: Option<i32>,
}

/// Looks at every attempt below the spool without disturbing any.
#[must_use]
pub fn survey(spool: &Path) -> Vec<Spooled> {
    let look = |(action, attempt)| {
        let folder = Folder::of(spool, action, attempt);
        // What cannot be told counts as alive: nobody may remove it.
        let alive = match claim::look(&folder) {
            Ok(Look::Alive) | Err(_) => true,
            Ok(Look::Absent | Look::Void | Look::Dead(_)) => false,
        };
        Spooled { action, attempt, alive, pid: pid(&folder) }
    };
    Folder::all(spool).into_iter().map(look).collect()
}

/// Folders that were made for attempts to come, by processes that are no more.
#[must_use]
pub fn abandoned_drafts(spool: &Path) -> Vec<Folder> {
    let entries = fs::read_dir(spool.join(claim::DRAFTS)).into_iter().flatten().flatten();
    let drafts = entries.map(|entry| Folder::at(entry.path()));
    drafts.filter(is_abandoned).collect()
}

fn is_abandoned(draft: &Folder) -> bool {
    match claim::look(draft) {
        // The lock is free, and it is taken before the claim is written: its maker is gone.
        Ok(Look::Dead(Some(Claim::Held { .. }))) => true,
        // Perhaps in the making: only the name tells by whom.
        Ok(Look::Void | Look::Dead(_)) => claim::maker_of_draft(draft).is_some_and(|pid| proc::process(pid).is_none()),
        Ok(Look::Absent | Look::Alive) | Err(_) => false,
    }
}

fn pid(folder: &Folder) -> Option<i32> {
    match claim::read(folder) {
        Some(Claim::Held { pid, .. }) => Some(pid),
        Some(Claim::Void) | None => None,
    }
}
