//! The tables, their versions, and the settings of every connection.
//!
//! Owns `PRAGMA user_version`: a change of the tables is one more step at the end of `STEPS`, never an edit of one.
//! Must not touch stored events.

use super::tuning::{BUSY_TIMEOUT_MS, Tuning};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// Prepared statements kept by a connection; more than there are different ones here.
const STATEMENTS_MAX: usize = 32;

/// Version of the tables that this program writes.
pub const VERSION: i64 = STEPS.len() as i64;

const STEPS: &[&str] = &[
    "
    CREATE TABLE streams (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        -- Version, hash, position and time of the last event: a lost tail shows because this row still names it.
        version INTEGER NOT NULL,
        hash BLOB NOT NULL CHECK (length(hash) = 32),
        position INTEGER NOT NULL,
        time INTEGER NOT NULL,
        rest TEXT NOT NULL CHECK (rest IN ('busy', 'until', 'waiting', 'closed')),
        due INTEGER CHECK ((due IS NOT NULL) = (rest = 'until'))
    ) STRICT;
    CREATE TABLE events (
        -- AUTOINCREMENT never gives a number twice, so a reader never misses an event behind its position.
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        stream INTEGER NOT NULL REFERENCES streams (id),
        version INTEGER NOT NULL,
        id BLOB NOT NULL CHECK (length(id) = 16),
        hash BLOB NOT NULL CHECK (length(hash) = 32),
        bytes BLOB NOT NULL,
        UNIQUE (stream, version)
    ) STRICT;
    CREATE TABLE leases (
        stream TEXT PRIMARY KEY,
        epoch INTEGER NOT NULL,
        -- NULL when released; the row stays for ever, so that the epoch only grows.
        host TEXT
    ) STRICT;
    CREATE TABLE blobs (
        sha256 BLOB PRIMARY KEY CHECK (length(sha256) = 32),
        bytes BLOB NOT NULL
    ) STRICT;
",
    "
    -- The start-up and timer index: which streams rest how, the next one due first.
    CREATE INDEX streams_resting ON streams (rest, due, name);
",
];

#[derive(Debug)]
pub(super) enum SchemaError {
    Newer { found: i64 },
    Missing,
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for SchemaError {
    fn from(error: rusqlite::Error) -> SchemaError {
        SchemaError::Sqlite(error)
    }
}

/// Makes a database that is whole and synced on return; closing it folds its write-ahead log into the file.
pub(super) fn create(path: &Path) -> Result<(), SchemaError> {
    let mut connection = Connection::open_with_flags(path, flags() | OpenFlags::SQLITE_OPEN_CREATE)?;
    configure(&connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    upgrade(&mut connection, 0)?;
    connection.close().map_err(|(_, error)| SchemaError::Sqlite(error))
}

/// Opens the connection that writes and brings older tables up to date.
pub(super) fn open_writer(path: &Path) -> Result<Connection, SchemaError> {
    let mut connection = Connection::open_with_flags(path, flags())?;
    configure(&connection)?;
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > VERSION {
        return Err(SchemaError::Newer { found });
    }
    if found < 1 {
        return Err(SchemaError::Missing);
    }
    if found < VERSION {
        upgrade(&mut connection, found)?;
    }
    // Nothing to do, unless a person's tool has changed it: everything here rests on the write-ahead log.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    Ok(connection)
}

/// Opens a connection that cannot change anything. It is not read-only to the file system, because even a reader
/// of a write-ahead log writes its place into the shared memory.
pub(super) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags())?;
    configure(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Whether the tables are word for word those that the steps make.
pub(super) fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let mut fresh = Connection::open_in_memory()?;
    upgrade(&mut fresh, 0)?;
    Ok(definitions(connection)? == definitions(&fresh)?)
}

type Definition = (String, String, String, Option<String>);

fn definitions(connection: &Connection) -> rusqlite::Result<Vec<Definition>> {
    let mut statement = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?.collect()
}

pub(super) fn tune(connection: &Connection, tuning: Tuning) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_millis(tuning.busy_timeout_ms))?;
    match tuning.pages_max {
        Some(pages_max) => connection.pragma_update_and_check(None, "max_page_count", pages_max, |_| Ok(())),
        None => Ok(()),
    }
}

/// Each connection stays on one thread at a time, so SQLite needs no locks of its own around it.
fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// FULL makes every commit durable before it returns. The file is never mapped into memory, because a failing disk
/// would then end the process instead of the call. Savepoints spill to memory, so a full or missing folder for temporary
/// files does not break the writer. A plan that may depend on a bound value, such as a limit, would be made anew with every
/// use of its statement; the guarantee of stable plans forbids that.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_millis(BUSY_TIMEOUT_MS))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(())
}

fn upgrade(connection: &mut Connection, from: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for step in STEPS.iter().skip(usize::try_from(from).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}
