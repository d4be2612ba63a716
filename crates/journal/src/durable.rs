//! Folders and files that are still there after a power loss.
//!
//! Owns the order of write, sync and rename. Must not know what is in a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Makes the folder and its parents; each new entry is synced in the folder that holds it.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    // A relative path of one part lies in the current folder, whose path would be empty.
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent {
        create_folder(parent)?;
    }
    match fs::create_dir(folder) {
        Ok(()) => sync_folder(parent.unwrap_or(Path::new("."))),
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes a file that appears whole or not at all: under a name of its own first, then renamed. Both paths must be
/// on one file system, and nobody else may use `draft`.
pub(crate) fn write_file(draft: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let written = write_synced(draft, bytes).and_then(|()| fs::rename(draft, path));
    if let Err(error) = written {
        // The failure that counts is the first one; a draft that stays is removed at a later start.
        let _ = fs::remove_file(draft);
        return Err(error);
    }
    path.parent().map_or(Ok(()), sync_folder)
}

pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

pub(crate) fn sync_if_there(path: &Path) -> io::Result<()> {
    match File::open(path) {
        Ok(file) => file.sync_all(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
