//! The spool folder of one attempt: where it is and how its socket is reached.
//!
//! Must not make it: that is the claim.

use contract::id::ActionId;
use rustix::fs::{Mode, OFlags};
use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use tokio::net::UnixStream;

pub(super) const CONTROL: &str = "control";

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
        let parse = |name: &str| {
            let (action, attempt) = name.rsplit_once('-')?;
            Some((action.parse().ok()?, attempt.parse().ok()?))
        };
        // A number is also read with a sign or zeros before it; such a folder is not that of any attempt.
        let is_its_own = |name: &str, (action, attempt): &(ActionId, u16)| format!("{action}-{attempt}") == name;
        names.filter_map(|name| parse(&name).filter(|attempt| is_its_own(&name, attempt))).collect()
    }

    pub(super) fn at(path: PathBuf) -> Folder {
        Folder { path }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that holds those of all attempts.
    pub(super) fn spool(&self) -> PathBuf {
        self.path.parent().map(Path::to_owned).unwrap_or_default()
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_folder_of_an_attempt_has_its_name() {
        let temp = tempfile::tempdir().unwrap();
        let action = ActionId([7; 16]);
        for name in ["1", "+2", "03", "65536", "", "-4"] {
            fs::create_dir(temp.path().join(format!("{action}-{name}"))).unwrap();
        }
        fs::create_dir(temp.path().join("other")).unwrap();
        assert_eq!(Folder::all(temp.path()), [(action, 1)]);
    }
}
