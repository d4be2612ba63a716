//! Landlock: what may be changed on disk, and whom a command may signal or connect to.
//!
//! Behind the mounts of a room it is a second wall, and the only one around sockets without a file; there reading needs
//! no rule, so it costs nothing. Where there are no mounts, reading is walled too. Must not decide which folders these are.

use super::kernel::{self, Handled};
use rustix::fs::{Mode, OFlags};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_FOLDER: u64 = 1 << 3;
/// To remove and to make whatever a folder may hold.
const CHANGE_FOLDER: u64 = 0x1ff0;
/// To move or link a file from one folder to another; where the kernel does not know this, nobody may.
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;

const READ: u64 = EXECUTE | READ_FILE | READ_FOLDER;
/// Of these, what means something for a file by itself.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;

/// Sockets without a file, and signals: both only among those in the same domain.
const SCOPES: u64 = 0b11;

/// The first version that lets a file be moved from one folder to another.
const VERSION_MIN: u32 = 2;
const VERSION_TRUNCATE: u32 = 3;
const VERSION_NETWORK: u32 = 4;
const VERSION_SCOPES: u32 = 6;

/// What the kernel has; none when it cannot be used.
pub(super) fn version() -> Option<u32> {
    kernel::landlock_version().ok().filter(|version| *version >= VERSION_MIN)
}

/// Whether sockets without a file and signals to others can be refused.
pub(super) fn has_scopes(version: u32) -> bool {
    version >= VERSION_SCOPES
}

/// Whether reading needs a rule too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Free,
    ByRule,
}

/// A domain in the making.
#[derive(Debug)]
pub(super) struct Domain {
    ruleset: OwnedFd,
    read: u64,
    change: u64,
}

impl Domain {
    pub(super) fn new(version: u32, reading: Reading) -> io::Result<Domain> {
        let change = WRITE_FILE | CHANGE_FOLDER | REFER | if version >= VERSION_TRUNCATE { TRUNCATE } else { 0 };
        let read = if reading == Reading::ByRule { READ } else { 0 };
        let scoped = if has_scopes(version) { SCOPES } else { 0 };
        let words = if has_scopes(version) { 3 } else { 1 + usize::from(version >= VERSION_NETWORK) };
        let ruleset = kernel::create_ruleset(&Handled { files: change | read, network: 0, scoped }, words * size_of::<u64>())?;
        Ok(Domain { ruleset, read, change })
    }

    /// Lets everything below be read and changed; what is not there needs no rule.
    pub(super) fn allow_change(&self, path: &Path) -> io::Result<()> {
        self.allow(path, self.read | self.change)
    }

    /// Lets everything below be read but these folders. A folder above one of them cannot be listed, and what comes into it
    /// later cannot be read.
    pub(super) fn allow_read_but(&self, path: &Path, hidden: &[PathBuf]) -> io::Result<()> {
        if hidden.iter().any(|hidden| hidden == path) {
            return Ok(());
        }
        if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
            return self.allow(path, self.read);
        }
        for entry in std::fs::read_dir(path)?.flatten() {
            // What a link leads to has a rule by its own name.
            if !entry.file_type()?.is_symlink() {
                self.allow_read_but(&entry.path(), hidden)?;
            }
        }
        Ok(())
    }

    fn allow(&self, path: &Path, allowed: u64) -> io::Result<()> {
        let Ok(at) = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) else { return Ok(()) };
        let is_folder = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(&at)?.st_mode).is_dir();
        let allowed = if is_folder { allowed } else { allowed & OF_FILES };
        if allowed == 0 { Ok(()) } else { kernel::allow_beneath(self.ruleset.as_fd(), at.as_fd(), allowed) }
    }

    /// Puts this process and all that it will start into the domain, for good.
    pub(super) fn enter(self) -> io::Result<()> {
        kernel::restrict_self(self.ruleset.as_fd())
    }
}
