//! The claim: whoever creates it decides whether an attempt ever runs.
//!
//! A claim appears whole and locked, by link(2) from a temporary name, and at most once. Its maker holds the lock for
//! life, so *alive* means that the lock cannot be taken; pid, start and boot only serve to find processes it left.
//! Recovery may create a *void* claim first, after which nothing will ever run. Must not look at exit records.

use super::Folder;
use super::proc;
use contract::id::BootId;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

const CLAIM: &str = "claim";

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Made by recovery: nothing ran or ever will.
    Void,
    Held {
        pid: i32,
        /// Start of that process in clock ticks since boot, which tells it from a later one with the same pid.
        start: u64,
        boot: BootId,
    },
}

/// The lock of a claim; dropping it says that its maker ended.
#[derive(Debug)]
pub struct Guard {
    _locked: File,
}

/// What became of a claim.
#[derive(Debug)]
pub enum Look {
    Absent,
    Void,
    /// Its maker lives.
    Alive,
    /// Its maker is dead; without a claim when the file cannot be read.
    Dead(Option<Claim>),
}

/// Claims the attempt for this process; `None` when somebody was first.
pub fn take(folder: &Folder, boot: &BootId) -> io::Result<Option<Guard>> {
    let me = proc::myself().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    create(folder, &Claim::Held { pid: me.pid, start: me.start, boot: boot.clone() })
}

/// Makes sure that the attempt never runs; `false` when it was claimed before.
pub fn void(folder: &Folder) -> io::Result<bool> {
    Ok(create(folder, &Claim::Void)?.is_some())
}

/// Looks without disturbing: a shared lock is enough to know, and two who look do not take each other for the maker.
pub fn look(folder: &Folder) -> io::Result<Look> {
    look_with(folder, FlockOperation::NonBlockingLockShared)
}

/// Like [`look`], but waits until the maker ended.
pub fn look_when_dead(folder: &Folder) -> io::Result<Look> {
    look_with(folder, FlockOperation::LockShared)
}

fn look_with(folder: &Folder, operation: FlockOperation) -> io::Result<Look> {
    let mut file = match File::open(folder.path().join(CLAIM)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Look::Absent),
        Err(error) => return Err(error),
    };
    // At once: a reader of JSON would ask the kernel for each byte.
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let claim = serde_json::from_slice(&bytes).ok();
    if claim == Some(Claim::Void) {
        return Ok(Look::Void);
    }
    match flock(&file, operation) {
        Ok(()) => Ok(Look::Dead(claim)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(Look::Alive),
        Err(error) => Err(error.into()),
    }
}

fn create(folder: &Folder, claim: &Claim) -> io::Result<Option<Guard>> {
    // Distinct within this process too: two tasks may recover the same attempt.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("claim.{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let temporary = folder.path().join(name);
    let mut file = File::create(&temporary)?;
    let linked = file
        .write_all(&serde_json::to_vec(claim)?)
        .and_then(|()| Ok(flock(&file, FlockOperation::NonBlockingLockExclusive)?))
        .and_then(|()| fs::hard_link(&temporary, folder.path().join(CLAIM)));
    // The name has done its work in either case; one that stays behind goes with the folder.
    let _ = fs::remove_file(&temporary);
    match linked {
        Ok(()) => Ok(Some(Guard { _locked: file })),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let temp = tempfile::tempdir().unwrap();
        let folder = Folder::at(temp.path().join("a-1"));
        folder.create().unwrap();
        (temp, folder)
    }

    #[test]
    fn a_claim_is_made_once_and_its_lock_tells_life_from_death() {
        let (_temp, folder) = folder();
        let boot = BootId("b".into());
        assert!(matches!(look(&folder).unwrap(), Look::Absent));
        let guard = take(&folder, &boot).unwrap().unwrap();
        assert!(matches!(look(&folder).unwrap(), Look::Alive));
        assert!(take(&folder, &boot).unwrap().is_none());
        assert!(!void(&folder).unwrap());
        drop(guard);
        assert!(matches!(look(&folder).unwrap(), Look::Dead(Some(Claim::Held { .. }))));
        assert!(take(&folder, &boot).unwrap().is_none());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary name stays");
    }

    #[test]
    fn a_void_claim_keeps_everyone_out() {
        let (_temp, folder) = folder();
        assert!(void(&folder).unwrap());
        assert!(!void(&folder).unwrap());
        assert!(take(&folder, &BootId("b".into())).unwrap().is_none());
        assert!(matches!(look(&folder).unwrap(), Look::Void));
    }

    #[test]
    fn a_claim_nobody_can_read_is_one_of_the_dead() {
        let (_temp, folder) = folder();
        fs::write(folder.path().join(CLAIM), b"{").unwrap();
        assert!(matches!(look(&folder).unwrap(), Look::Dead(None)));
    }
}
