//! Blobs too large for a row: files in `blobs/ab/cdef…`, named by their hash.
//!
//! Owns the folder and the check of bytes against their hash. Must not decide who still needs a blob.

use crate::durable;
use crate::hosts::Hosts;
use contract::id::{HostId, Sha256};
use contract::port::LogError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct BlobFolder {
    folder: PathBuf,
    host: HostId,
    drafts: AtomicU64,
}

impl BlobFolder {
    /// Removes the drafts of hosts that died while they wrote.
    pub fn open(data_folder: &Path, hosts: &Hosts) -> io::Result<BlobFolder> {
        let folder = data_folder.join("blobs");
        let drafts = drafts_folder(&folder);
        durable::create_folder(&drafts)?;
        for entry in fs::read_dir(&drafts)? {
            let entry = entry?;
            let writer = entry.file_name().to_str().and_then(|name| name.split_once('-')?.0.parse::<HostId>().ok());
            let is_abandoned = match writer {
                Some(writer) => !hosts.is_alive(writer)?,
                None => false,
            };
            if is_abandoned {
                durable::remove_if_there(&entry.path())?;
            }
        }
        Ok(BlobFolder { folder, host: hosts.me(), drafts: AtomicU64::new(0) })
    }

    /// Durable on return. An existing file is written anew: that costs little, and heals one that was damaged.
    pub fn put(&self, sha256: Sha256, bytes: &[u8]) -> io::Result<()> {
        let number = self.drafts.fetch_add(1, Ordering::Relaxed);
        let draft = drafts_folder(&self.folder).join(format!("{}-{number}", self.host));
        let path = self.path(sha256);
        if let Some(folder) = path.parent() {
            durable::create_folder(folder)?;
        }
        durable::write_file(&draft, &path, bytes)?;
        // The folder of this blob may be that of another call which has not synced it yet.
        durable::sync_folder(&self.folder)
    }

    pub fn get(&self, sha256: Sha256) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.path(sha256)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn size(&self, sha256: Sha256) -> io::Result<Option<u64>> {
        match fs::metadata(self.path(sha256)) {
            Ok(file) => Ok(Some(file.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn path(&self, sha256: Sha256) -> PathBuf {
        let name = sha256.to_string();
        let (folder, file) = name.split_at(2);
        self.folder.join(folder).join(file)
    }
}

/// A folder of its own, so that abandoned drafts are found without a walk through all blobs.
fn drafts_folder(folder: &Path) -> PathBuf {
    folder.join("new")
}

/// Bytes are only ever handed out when they are what their name says.
pub(crate) fn check(sha256: Sha256, bytes: Vec<u8>) -> Result<Vec<u8>, LogError> {
    let found = Sha256::of(&bytes);
    if found == sha256 {
        return Ok(bytes);
    }
    Err(LogError::Unavailable(format!("blob sha256:{sha256} is damaged, its bytes give {found}")))
}
