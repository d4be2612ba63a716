//! Blobs wherever they lie: rows while they are small, files beyond. The hash does not tell which, so both are asked.
//!
//! Owns what can be wrong with a blob that an event names.

use crate::blobs::{self, BlobFolder};
use contract::event::NamedBlob;
use contract::id::Sha256;
use contract::port::LogError;
use rusqlite::{Connection, OptionalExtension};

/// How closely a blob is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// That it is there with its size, which reads nothing of it.
    Size,
    /// Every byte, against its name.
    Content,
}

/// What is wrong with a blob that an event names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlobFault {
    #[error("blob sha256:{0} is missing")]
    Missing(Sha256),
    #[error("blob sha256:{} has {found} bytes instead of {}", .blob.sha256, .blob.bytes)]
    Size { blob: NamedBlob, found: u64 },
    #[error("{0}")]
    Unreadable(String),
}

pub(super) fn fault(connection: &Connection, files: &BlobFolder, blob: NamedBlob, look: Look) -> Option<BlobFault> {
    match size(connection, files, blob.sha256) {
        Err(error) => return Some(BlobFault::Unreadable(error.to_string())),
        Ok(None) => return Some(BlobFault::Missing(blob.sha256)),
        Ok(Some(found)) if found != blob.bytes => return Some(BlobFault::Size { blob, found }),
        Ok(Some(_)) => {}
    }
    match look {
        Look::Size => None,
        Look::Content => stored(connection, files, blob.sha256).err().map(|error| BlobFault::Unreadable(error.to_string())),
    }
}

/// The bytes, checked against their name.
pub(super) fn stored(connection: &Connection, files: &BlobFolder, sha256: Sha256) -> Result<Option<Vec<u8>>, LogError> {
    let row: Option<Vec<u8>> = connection
        .prepare_cached("SELECT bytes FROM blobs WHERE sha256 = ?1")
        .and_then(|mut statement| statement.query_row([sha256.0], |row| row.get(0)).optional())
        .map_err(unavailable)?;
    let stored = match row {
        Some(bytes) => Some(bytes),
        None => files.get(sha256).map_err(|error| unreadable(sha256, &error))?,
    };
    stored.map(|bytes| blobs::check(sha256, bytes)).transpose()
}

fn size(connection: &Connection, files: &BlobFolder, sha256: Sha256) -> Result<Option<u64>, LogError> {
    let row: Option<i64> = connection
        .prepare_cached("SELECT length(bytes) FROM blobs WHERE sha256 = ?1")
        .and_then(|mut statement| statement.query_row([sha256.0], |row| row.get(0)).optional())
        .map_err(unavailable)?;
    match row {
        Some(bytes) => Ok(Some(bytes.unsigned_abs())),
        None => files.size(sha256).map_err(|error| unreadable(sha256, &error)),
    }
}

fn unreadable(sha256: Sha256, error: &std::io::Error) -> LogError {
    LogError::Unavailable(format!("blob sha256:{sha256} cannot be read: {error}"))
}

fn unavailable(error: rusqlite::Error) -> LogError {
    LogError::Unavailable(error.to_string())
}
