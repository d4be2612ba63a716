//! Opens, makes and replaces what a place leads to. The way there was found without links, and it is walked without any:
//! one that was put in since, by whatever runs beside us, ends the call instead of leading it elsewhere.
//!
//! Every step is taken from the folder before it, by its handle, so nothing can be exchanged between looking and doing.

use crate::texts;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

/// A folder on the way: to be gone through, not to be read.
const ON_THE_WAY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Never waits for the other end of a pipe, never takes a terminal.
const TO_READ: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
const TO_MAKE: OFlags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

pub(crate) enum Found {
    File(File),
    Folder,
    /// A pipe, a socket or a device: it is not opened, because that alone may act.
    Other,
}

/// Opens a file to read it. `real` is absolute and has no links in it.
pub(crate) fn open(real: &Path) -> io::Result<Found> {
    let Some(name) = real.file_name() else { return Ok(Found::Folder) };
    let parent = Parent::of(real, name)?;
    match parent.kind(name)? {
        FileType::RegularFile => {}
        FileType::Directory => return Ok(Found::Folder),
        FileType::Symlink => return Err(io::Error::other(texts::LINK_CAME)),
        FileType::Fifo | FileType::Socket | FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
            return Ok(Found::Other);
        }
    }
    let file = openat(&parent.folder, name, TO_READ, Mode::empty())?;
    let is_file = FileType::from_raw_mode(fstat(&file)?.st_mode) == FileType::RegularFile;
    Ok(if is_file { Found::File(File::from(file)) } else { Found::Other })
}

/// The folder that holds something, and its name there.
pub(crate) struct Parent {
    folder: OwnedFd,
    name: OsString,
    /// Folders that got a new one in them.
    changed: Vec<OwnedFd>,
}

impl Parent {
    fn of(real: &Path, name: &OsStr) -> io::Result<Parent> {
        let (folder, changed) = walk(real.parent().unwrap_or(Path::new("/")), Missing::Fails)?;
        Ok(Parent { folder, name: name.to_owned(), changed })
    }

    /// The folder of a file that is to be replaced or made; missing folders are made.
    pub(crate) fn make(real: &Path) -> io::Result<Parent> {
        let name = real.file_name().ok_or_else(|| io::Error::from(Errno::ISDIR))?;
        let (folder, changed) = walk(real.parent().unwrap_or(Path::new("/")), Missing::IsMade)?;
        Ok(Parent { folder, name: name.to_owned(), changed })
    }

    /// The folder of a file, if it is there.
    pub(crate) fn find(real: &Path) -> io::Result<Parent> {
        Parent::of(real, real.file_name().unwrap_or_default())
    }

    fn kind(&self, name: &OsStr) -> io::Result<FileType> {
        Ok(FileType::from_raw_mode(statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode))
    }

    /// A new file beside it, which must not be there.
    pub(crate) fn create(&self, beside: &OsStr) -> io::Result<File> {
        Ok(File::from(openat(&self.folder, beside, TO_MAKE, Mode::from_raw_mode(0o666))?))
    }

    /// Puts what stands beside it in its place, in one step.
    pub(crate) fn replace_by(&self, beside: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.folder, beside, &self.folder, &self.name)?)
    }

    pub(crate) fn remove(&self, beside: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.folder, beside, AtFlags::empty())?)
    }

    /// Makes the new entries of all changed folders durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
        let sync = |folder: &OwnedFd| File::from(openat(folder, ".", flags, Mode::empty())?).sync_all();
        self.changed.iter().chain([&self.folder]).try_for_each(sync)
    }
}

/// Whether paths are really there, of which many are asked in order.
#[derive(Default)]
pub(crate) struct Presence {
    last: Option<(PathBuf, Option<OwnedFd>)>,
}

impl Presence {
    pub(crate) fn has(&mut self, real: &Path) -> bool {
        let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else { return false };
        if self.last.as_ref().is_none_or(|(last, _)| last != parent) {
            self.last = Some((parent.to_owned(), walk(parent, Missing::Fails).ok().map(|(folder, _)| folder)));
        }
        let folder = self.last.as_ref().and_then(|(_, folder)| folder.as_ref());
        folder.is_some_and(|folder| statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Fails,
    IsMade,
}

/// Goes to a folder step by step; gives it, and the folders in which one was made.
fn walk(path: &Path, missing: Missing) -> io::Result<(OwnedFd, Vec<OwnedFd>)> {
    let mut folder = rustix::fs::open("/", ON_THE_WAY, Mode::empty())?;
    let mut changed = Vec::new();
    for part in path.components() {
        let name = match part {
            Component::RootDir | Component::CurDir => continue,
            Component::Normal(name) => name,
            Component::ParentDir | Component::Prefix(_) => return Err(Errno::INVAL.into()),
        };
        let next = match openat(&folder, name, ON_THE_WAY, Mode::empty()) {
            Err(Errno::NOENT) if missing == Missing::IsMade => {
                match mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                    // Somebody else made it at the same time.
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                let next = openat(&folder, name, ON_THE_WAY, Mode::empty())?;
                changed.push(std::mem::replace(&mut folder, next));
                continue;
            }
            opened => opened?,
        };
        folder = next;
    }
    Ok((folder, changed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    struct Two {
        _temp: tempfile::TempDir,
        inside: PathBuf,
        outside: PathBuf,
    }

    /// A folder with `sub/file` in it, and the same outside of it.
    fn two() -> Two {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let [inside, outside] = ["inside", "outside"].map(|name| {
            fs::create_dir_all(root.join(name).join("sub")).unwrap();
            fs::write(root.join(name).join("sub/file"), name).unwrap();
            root.join(name)
        });
        Two { _temp: temp, inside, outside }
    }

    /// As something that runs beside us would do between looking and opening.
    fn exchange(two: &Two) {
        fs::rename(two.inside.join("sub"), two.inside.join("aside")).unwrap();
        symlink(two.outside.join("sub"), two.inside.join("sub")).unwrap();
    }

    fn content(real: &Path) -> Option<String> {
        let Ok(Found::File(mut file)) = open(real) else { return None };
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        Some(text)
    }

    #[test]
    fn a_folder_that_became_a_link_is_not_gone_through() {
        let two = two();
        let real = two.inside.join("sub/file");
        assert_eq!(content(&real).as_deref(), Some("inside"));
        let held = Parent::make(&real).unwrap();
        assert!(Presence::default().has(&real));
        exchange(&two);
        assert_eq!(content(&real), None);
        assert!(Parent::make(&real).is_err());
        assert!(!Presence::default().has(&real));
        assert_eq!(fs::read_to_string(&real).unwrap(), "outside", "by its path alone the other file is reached");
        // Who came before it works in the folder that was there then.
        held.create(OsStr::new("new")).unwrap();
        held.replace_by(OsStr::new("new")).unwrap();
        assert_eq!(fs::read_to_string(two.inside.join("aside/file")).unwrap(), "");
        assert_eq!(fs::read_to_string(two.outside.join("sub/file")).unwrap(), "outside");
    }

    #[test]
    fn a_file_that_became_a_link_is_not_followed() {
        let two = two();
        let real = two.inside.join("sub/file");
        fs::remove_file(&real).unwrap();
        symlink(two.outside.join("sub/file"), &real).unwrap();
        assert_eq!(open(&real).err().unwrap().to_string(), texts::LINK_CAME);
        assert!(Parent::make(&real).unwrap().create(OsStr::new("file")).is_err());
        let parent = Parent::make(&real).unwrap();
        parent.create(OsStr::new("new")).unwrap();
        parent.replace_by(OsStr::new("new")).unwrap();
        assert_eq!(fs::read_to_string(two.outside.join("sub/file")).unwrap(), "outside");
        assert!(!real.is_symlink(), "the link itself was replaced");
    }

    #[test]
    fn missing_folders_are_made_and_what_is_no_folder_is_not() {
        let two = two();
        let parent = Parent::make(&two.inside.join("a/b/c/file")).unwrap();
        assert_eq!(parent.changed.len(), 3);
        parent.sync().unwrap();
        assert!(two.inside.join("a/b/c").is_dir());
        assert!(Parent::make(&two.inside.join("sub/file/below")).is_err());
        assert!(Parent::make(Path::new("/")).is_err());
        assert!(matches!(open(Path::new("/")), Ok(Found::Folder)));
        assert!(matches!(open(&two.inside), Ok(Found::Folder)));
        assert!(open(&two.inside.join("none")).is_err());
    }

    #[test]
    fn what_would_block_or_act_is_not_opened() {
        let two = two();
        let pipe = two.inside.join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(two.inside.join("socket")).unwrap();
        for other in [pipe, two.inside.join("socket"), PathBuf::from("/dev/null")] {
            assert!(matches!(open(&other), Ok(Found::Other)), "{other:?}");
        }
    }
}
