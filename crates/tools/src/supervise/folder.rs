//! The spool folder of one attempt: where it is, how its socket is reached, and its exit record.
//!
//! Must not decide what a missing or broken record means.

use super::spec::Exit;
use contract::id::ActionId;
use rustix::fs::{Mode, OFlags};
use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use tokio::net::UnixStream;

pub(super) const CONTROL: &str = "control";
const EXIT: &str = "exit";

/// `spool/<action>-<attempt>/`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder of an attempt below an absolute `spool`.
    #[must_use]
    pub fn of(spool: &Path, action: ActionId, attempt: u16) -> Folder {
        Folder { path: spool.join(format!("{action}-{attempt}")) }
    }

    /// Attempts that have a folder below `spool`.
    #[must_use]
    pub fn all(spool: &Path) -> Vec<(ActionId, u16)> {
        let names = fs::read_dir(spool).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let parse = |name: String| {
            let (action, attempt) = name.rsplit_once('-')?;
            Some((action.parse().ok()?, attempt.parse().ok()?))
        };
        names.filter_map(parse).collect()
    }

    pub(super) fn at(path: PathBuf) -> Folder {
        Folder { path }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder if it is not there; only its owner may look inside, because output may hold secrets.
    pub fn create(&self) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.path)
    }

    /// Removes the folder and all that is in it; one that is gone is fine.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Connects to the supervisor. Through the open folder, because a socket's path may have only 107 bytes.
    pub(super) async fn connect(&self) -> io::Result<UnixStream> {
        let folder = rustix::fs::open(&self.path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        UnixStream::connect(format!("/proc/self/fd/{}/{CONTROL}", folder.as_raw_fd())).await
    }

    /// The exit record; one that is empty or malformed counts as none.
    pub(super) fn exit(&self) -> Option<Exit> {
        serde_json::from_slice(&fs::read(self.path.join(EXIT)).ok()?).ok()
    }

    pub(super) fn write_exit(&self, exit: &Exit) -> io::Result<()> {
        let temporary = self.path.join("exit.tmp");
        fs::write(&temporary, serde_json::to_vec(exit)?)?;
        fs::rename(&temporary, self.path.join(EXIT))
    }
}
