//! The claim: whoever gives an attempt its folder decides whether it ever runs.
//!
//! A folder is made under another name, with the claim in it written and locked, and becomes that of the attempt by
//! rename(2), which fails where one is: so it appears whole, and at most once. Its maker holds the lock for as long as it
//! works on the attempt, so *alive* means that the lock cannot be taken; pid, start and boot only serve to find processes
//! it left. Recovery may make a *void* claim first, after which nothing will ever run. The end of the attempt is a second
//! line of the file, which counts only when it is whole.

use super::Folder;
use super::proc;
use super::spec::Exit;
use contract::id::BootId;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const CLAIM: &str = "claim";
/// Where folders wait below the spool until they are those of attempts.
pub(super) const DRAFTS: &str = "drafts";

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
        /// Where that number means this process: containers may share a data folder.
        namespace: String,
    },
}

impl Claim {
    /// One of this process.
    pub fn mine(boot: &BootId) -> io::Result<Claim> {
        let me = proc::myself().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(Claim::Held { pid: me.pid, start: me.start, boot: boot.clone(), namespace: proc::namespace() })
    }
}

/// A folder that is no attempt's yet, with its claim; dropping it removes it.
#[derive(Debug)]
pub(super) struct Draft {
    unplaced: Unplaced,
    claim: File,
}

#[derive(Debug)]
struct Unplaced(PathBuf);

impl Drop for Unplaced {
    fn drop(&mut self) {
        // One that stays costs its space until somebody looks after the spool.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The lock of a claim; dropping it says that its maker ended.
#[derive(Debug)]
pub struct Guard {
    locked: File,
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
    Draft::new(&folder.spool(), &Claim::mine(boot)?)?.take(folder)
}

/// Makes sure that the attempt never runs; `false` when it was claimed before.
pub fn void(folder: &Folder) -> io::Result<bool> {
    Ok(Draft::new(&folder.spool(), &Claim::Void)?.take(folder)?.is_some())
}

/// The same for whoever comes later: what is claimed is only looked at, because a full disk must not hide it.
pub fn void_if_absent(folder: &Folder) -> io::Result<bool> {
    match look(folder)? {
        Look::Absent => void(folder),
        Look::Void | Look::Alive | Look::Dead(_) => Ok(false),
    }
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
        // A folder without a claim lost it with a boot, or to a person.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(if folder.path().is_dir() { Look::Dead(None) } else { Look::Absent });
        }
        Err(error) => return Err(error),
    };
    // At once: a reader of JSON would ask the kernel for each byte.
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let claim = claim_of(&bytes);
    if claim == Some(Claim::Void) {
        return Ok(Look::Void);
    }
    match flock(&file, operation) {
        Ok(()) => Ok(Look::Dead(claim)),
        Err(Errno::WOULDBLOCK) => Ok(Look::Alive),
        Err(error) => Err(error.into()),
    }
}

/// Who claimed the attempt, if that can be read.
pub(super) fn read(folder: &Folder) -> Option<Claim> {
    claim_of(&fs::read(folder.path().join(CLAIM)).ok()?)
}

/// The exit record; one that is not whole or malformed counts as none.
pub(super) fn exit(folder: &Folder) -> Option<Exit> {
    exit_of(&fs::read(folder.path().join(CLAIM)).ok()?)
}

fn claim_of(bytes: &[u8]) -> Option<Claim> {
    serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next()?).ok()
}

fn exit_of(bytes: &[u8]) -> Option<Exit> {
    let mut lines = bytes.strip_suffix(b"\n")?.split(|byte| *byte == b'\n');
    serde_json::from_slice(lines.nth(1)?).ok()
}

impl Guard {
    /// Leaves the exit record.
    pub(super) fn record(&mut self, exit: &Exit) -> io::Result<()> {
        write_line(&mut self.locked, exit)
    }
}

impl Draft {
    pub(super) fn new(spool: &Path, claim: &Claim) -> io::Result<Draft> {
        let path = make_folder(&spool.join(DRAFTS))?;
        let written = File::create_new(path.join(CLAIM)).and_then(|mut file| {
            // Before it can be read: whoever looks meanwhile holds the lock for a moment only.
            flock(&file, FlockOperation::LockExclusive)?;
            write_line(&mut file, claim)?;
            Ok(file)
        });
        match written {
            Ok(claim) => Ok(Draft { unplaced: Unplaced(path), claim }),
            Err(error) => {
                drop(Unplaced(path));
                Err(error)
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.unplaced.0
    }

    /// Makes it the folder of the attempt; `None` when there is one.
    pub(super) fn take(self, folder: &Folder) -> io::Result<Option<Guard>> {
        match rustix::fs::rename(self.path(), folder.path()) {
            Ok(()) => {
                // The name is free: there is nothing to remove.
                Ok(Some(Guard { locked: self.claim }))
            }
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// A new folder with a name of its own; only its owner may look inside, because output may hold secrets.
fn make_folder(drafts: &Path) -> io::Result<PathBuf> {
    // Distinct within this process too: two tasks may recover the same attempt.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut folder = fs::DirBuilder::new();
    folder.mode(0o700);
    loop {
        let path = drafts.join(format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        match folder.create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => folder.recursive(true).create(drafts)?,
            // Left by an earlier process with this number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        folder.recursive(false);
    }
}

/// The process that made a draft, by the name it gave it.
pub(super) fn maker_of_draft(draft: &Folder) -> Option<i32> {
    draft.path().file_name()?.to_str()?.split_once('-')?.0.parse().ok()
}

fn write_line(file: &mut File, what: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    file.write_all(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let temp = tempfile::tempdir().unwrap();
        let folder = Folder::at(temp.path().join("a-1"));
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
        assert_eq!(fs::read_dir(folder.spool().join(DRAFTS)).unwrap().count(), 0, "no draft stays");
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
        fs::create_dir(folder.path()).unwrap();
        assert!(matches!(look(&folder).unwrap(), Look::Dead(None)));
        fs::write(folder.path().join(CLAIM), b"{").unwrap();
        assert!(matches!(look(&folder).unwrap(), Look::Dead(None)));
        assert!(!void(&folder).unwrap());
    }

    #[test]
    fn a_record_counts_when_it_is_whole() {
        let (_temp, folder) = folder();
        let mut guard = take(&folder, &BootId("b".into())).unwrap().unwrap();
        assert_eq!(exit(&folder), None);
        let ended = Exit { code: Some(3), error: Some("a\nb".into()), ..Exit::default() };
        guard.record(&ended).unwrap();
        assert_eq!(exit(&folder), Some(ended));
        let path = folder.path().join(CLAIM);
        let bytes = fs::read(&path).unwrap();
        let claim_bytes = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            assert_eq!(exit(&folder), None, "{length} bytes");
            assert_eq!(read(&folder).is_some(), length + 1 >= claim_bytes, "{length} bytes");
        }
    }
}
