//! A folder that several rooms stand on at once, of whatever process; the last one removes it if nothing is in it.
//!
//! Whoever uses it has a shared lock on it, so an exclusive one says that nobody does. A mount goes when the folder under
//! it does, so nothing may be removed without that lock.

use rustix::fs::{FlockOperation, Mode, OFlags, flock, fstat, stat};
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Who may look into a folder.
pub(super) const OF_OWNER: Mode = Mode::RWXU;
pub(super) const OF_ALL: Mode = Mode::from_raw_mode(0o755);
/// Times a folder is made again when another room removes it at the same moment.
const TRIES: usize = 8;

#[derive(Debug)]
pub(super) struct Share {
    path: PathBuf,
    lock: OwnedFd,
    /// Folders in it that were made for mounts alone, the innermost first.
    made_for_mounts: Vec<PathBuf>,
}

impl Share {
    /// Takes part in the folder at this path, making it where nothing is; none when something else has the name, or when
    /// nobody could make anything there.
    pub(super) fn take(path: &Path, mode: Mode) -> io::Result<Option<Share>> {
        for _ in 0..TRIES {
            match rustix::fs::mkdir(path, mode) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(Errno::ROFS | Errno::ACCESS | Errno::PERM) => return Ok(None),
                Err(Errno::NOENT) => {
                    std::fs::create_dir_all(path.parent().ok_or(Errno::NOENT)?)?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let lock = match rustix::fs::open(path, flags, Mode::empty()) {
                Ok(lock) => lock,
                Err(Errno::NOENT) => continue,
                // A link or a file.
                Err(_) => return Ok(None),
            };
            flock(&lock, FlockOperation::LockShared)?;
            // Between opening and locking another room may have removed it.
            let held = fstat(&lock)?;
            if stat(path).is_ok_and(|there| (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)) {
                return Ok(Some(Share { path: path.to_owned(), lock, made_for_mounts: Vec::new() }));
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    pub(super) fn is_empty(&self) -> io::Result<bool> {
        Ok(std::fs::read_dir(&self.path)?.next().is_none())
    }

    /// Says that a mount will be put at this path below the folder.
    pub(super) fn expect_mount(&mut self, below: &Path) {
        self.made_for_mounts = below.ancestors().filter(|path| !path.as_os_str().is_empty()).map(|path| self.path.join(path)).collect();
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        // Somebody else's room stands on it, or there is something in it: then it stays.
        if flock(&self.lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            for path in self.made_for_mounts.iter().chain([&self.path]) {
                let _ = rustix::fs::rmdir(path);
            }
        }
    }
}
