//! Opening a data folder.
//!
//! Owns the order of the checks and their errors. Must not repair anything: what is damaged is reported as it is.

use super::SqliteJournal;
use super::bell::Bell;
use super::hub::Hub;
use super::reader::Readers;
use super::schema::{self, SchemaError};
use super::trouble;
use super::tuning::Tuning;
use super::writer::{Desk, Writer};
use crate::blobs::BlobFolder;
use crate::board::Board;
use crate::durable;
use crate::filesystem::{self, ProbeFilesystem};
use crate::hosts::{Gate, Hosts};
use contract::id::HostId;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Options {
    /// The data folder; it is made when it is not there.
    pub folder: PathBuf,
    /// The id of this process, never used before.
    pub host: HostId,
    /// [`crate::filesystem_magic`] except in tests.
    pub probe_filesystem: ProbeFilesystem,
}

impl Options {
    pub fn new(folder: impl Into<PathBuf>, host: HostId) -> Options {
        Options { folder: folder.into(), host, probe_filesystem: filesystem::filesystem_magic }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{} is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    #[error("{} cannot be written: {source}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("{} lies on the network file system {kind}, on which locks cannot be relied upon", path.display())]
    NetworkFilesystem { path: PathBuf, kind: &'static str },
    #[error("{} is damaged: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
    #[error("{} was written by a newer program: its format is {found}, this program knows up to {known}", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{} cannot be opened: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

pub(super) fn open(options: Options, tuning: Tuning) -> Result<SqliteJournal, OpenError> {
    let Options { folder, host, probe_filesystem } = options;
    let at_folder = |error| io_error(&folder, error);
    durable::create_folder(&folder).map_err(at_folder)?;
    if let Some(kind) = filesystem::network_kind(probe_filesystem(&folder).map_err(at_folder)?) {
        return Err(OpenError::NetworkFilesystem { path: folder, kind });
    }
    let gate = Gate::pass(&folder).map_err(at_folder)?;
    let hosts = Arc::new(Hosts::enter(&gate, host).map_err(at_folder)?);
    let blobs = BlobFolder::open(&folder, &hosts).map_err(at_folder)?;

    let database = folder.join("journal.db");
    create_if_missing(&folder, &database)?;
    let connection = schema::open_writer(&database).map_err(|error| schema_error(&database, error))?;
    sync_what_is_there(&folder).map_err(at_folder)?;
    schema::tune(&connection, tuning).map_err(|error| schema_error(&database, error.into()))?;
    let (board, readers) = (Arc::<Board>::default(), Readers::new(database));
    let hub = Arc::new(Hub::new(folder.clone(), readers.clone(), Arc::clone(&board), tuning.may_watch));
    let desk = Desk { connection, hosts: Arc::clone(&hosts), board, bell: Bell::new(&folder, tuning.rings), loss: tuning.loss };
    let writer = Writer::start(desk).map_err(at_folder)?;
    Ok(SqliteJournal { readers, hub, writer, blobs: Arc::new(blobs), is_whole: Arc::default(), hosts })
}

/// A new database is made whole under another name, so one that is empty or without tables was damaged later. The
/// caller holds the gate, so nobody else makes one at the same time.
fn create_if_missing(folder: &Path, database: &Path) -> Result<(), OpenError> {
    let damaged = |reason: &str| Err(OpenError::Damaged { path: database.to_owned(), reason: reason.to_owned() });
    match fs::metadata(database) {
        // SQLite would take it for a new one and delete the write-ahead log beside it.
        Ok(metadata) if metadata.len() == 0 => return damaged("the file is empty"),
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(io_error(database, error)),
    }
    if folder.join("journal.db-wal").exists() {
        return damaged("the file is gone, its write-ahead log is still there");
    }
    let draft = folder.join("journal.db.new");
    for leftover in ["journal.db.new", "journal.db.new-wal", "journal.db.new-shm"] {
        durable::remove_if_there(&folder.join(leftover)).map_err(|error| io_error(database, error))?;
    }
    schema::create(&draft).map_err(|error| schema_error(database, error))?;
    fs::rename(&draft, database).map_err(|error| io_error(database, error))
}

/// A process that was killed may have left a commit that was written but not synced. From here on it can be read and
/// answered as a repeat, so it must be as durable as any other. The write-ahead log carries no locks of SQLite, which
/// would be lost when any handle on their file is closed.
fn sync_what_is_there(folder: &Path) -> io::Result<()> {
    durable::sync_if_there(&folder.join("journal.db-wal"))?;
    durable::sync_folder(folder)
}

fn io_error(path: &Path, source: io::Error) -> OpenError {
    let path = path.to_owned();
    if matches!(source.kind(), io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists) {
        return OpenError::NotAFolder { path };
    }
    if matches!(source.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull) {
        return OpenError::Unwritable { path, source };
    }
    OpenError::Io { path, source }
}

fn schema_error(path: &Path, error: SchemaError) -> OpenError {
    let path = path.to_owned();
    match error {
        SchemaError::Newer { found } => OpenError::Newer { path, found, known: schema::VERSION },
        SchemaError::Missing => OpenError::Damaged { path, reason: "it has no tables of this program".to_owned() },
        SchemaError::Sqlite(error) if trouble::is_damage(&error) => OpenError::Damaged { path, reason: error.to_string() },
        SchemaError::Sqlite(error) if trouble::is_unwritable(&error) => OpenError::Unwritable { path, source: io::Error::other(error) },
        SchemaError::Sqlite(error) => OpenError::Io { path, source: io::Error::other(error) },
    }
}
