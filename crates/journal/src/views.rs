//! The tables of projections, in `views.db` beside the log.
//!
//! Owns the rows and up to where in the log they are right. Must not be trusted: the file may be deleted or damaged at
//! any time, by anybody, and is then made anew from the log. So every use opens it, under a lock of its own: nobody
//! holds a handle on a file that is gone, and no write-ahead log outlives its database.

use crate::sqlite::trouble;
use contract::event::Event;
use contract::id::{Sha256, StreamId};
use contract::port::{Projection, Rows};
use contract::units::Position;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS projection (
        version INTEGER NOT NULL,
        position INTEGER NOT NULL,
        -- The last event that was told, so that the rows of another log are noticed.
        last INTEGER,
        hash BLOB
    ) STRICT;
    CREATE TABLE IF NOT EXISTS rows (
        list TEXT NOT NULL,
        key TEXT NOT NULL,
        place INTEGER NOT NULL,
        row TEXT NOT NULL,
        PRIMARY KEY (list, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS places ON rows (list, place);
";

#[derive(Debug, thiserror::Error)]
#[error("the lists in {} cannot be used: {reason}", path.display())]
pub struct ViewsError {
    pub path: PathBuf,
    pub reason: String,
}

/// An event of the log, as a projection is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub stream: StreamId,
    pub position: Position,
    pub hash: Sha256,
    pub event: Event,
}

/// Up to where the rows are right, and the last event that they were told of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    pub position: Position,
    pub last: Option<(Position, Sha256)>,
}

/// Which end of a list comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    Oldest,
    Newest,
}

pub struct Views {
    folder: PathBuf,
    projection: Arc<dyn Projection>,
}

impl std::fmt::Debug for Views {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Views").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Views {
    pub fn new(folder: impl Into<PathBuf>, projection: Arc<dyn Projection>) -> Views {
        Views { folder: folder.into(), projection }
    }

    /// Up to where the rows are right.
    pub fn mark(&self) -> Result<Mark, ViewsError> {
        self.with(mark)
    }

    /// Forgets all rows: they are of another log.
    pub fn reset(&self) -> Result<Mark, ViewsError> {
        self.with(|transaction| {
            empty(transaction, self.projection.version())?;
            mark(transaction)
        })
    }

    /// Tells the projection of these events, which are all that follow the mark up to `upto`. Nothing is done when somebody
    /// else was faster. Gives the mark that the rows have then.
    pub fn apply(&self, from: Mark, upto: Position, events: &[Told]) -> Result<Mark, ViewsError> {
        self.with(|transaction| {
            let now = mark(transaction)?;
            if now != from {
                return Ok(now);
            }
            let mut rows = Table { transaction, failed: None };
            for Told { stream, position, event, .. } in events {
                self.projection.see(&mut rows, stream, *position, event);
            }
            if let Some(error) = rows.failed {
                return Err(error);
            }
            let last = events.last().map(|told| (told.position, told.hash)).or(from.last);
            let (position, hash) = last.map(|(position, hash)| (position.0 as i64, hash.0)).unzip();
            transaction.execute("UPDATE projection SET position = ?1, last = ?2, hash = ?3", params![upto.0 as i64, position, hash])?;
            Ok(Mark { position: upto, last })
        })
    }

    /// The rows of a list in its order.
    pub fn list(&self, list: &str, first: First, max: usize) -> Result<Vec<String>, ViewsError> {
        let order = match first {
            First::Oldest => "SELECT row FROM rows WHERE list = ?1 ORDER BY place, key LIMIT ?2",
            First::Newest => "SELECT row FROM rows WHERE list = ?1 ORDER BY place DESC, key LIMIT ?2",
        };
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        self.with(|transaction| transaction.prepare(order)?.query_map(params![list, max], |row| row.get(0))?.collect())
    }

    pub fn get(&self, list: &str, key: &str) -> Result<Option<String>, ViewsError> {
        self.with(|transaction| row(transaction, list, key))
    }

    /// Runs work in one transaction of the only process that has the file open. A damaged file is made anew.
    fn with<T>(&self, work: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, ViewsError> {
        let path = self.folder.join("views.db");
        let fail = |reason: String| ViewsError { path: path.clone(), reason };
        let lock = File::create(self.folder.join("views.lock")).map_err(|error| fail(error.to_string()))?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| fail(error.to_string()))?;
        let run = || {
            let mut connection = Connection::open(&path)?;
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            prepare(&transaction, self.projection.version())?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        match run() {
            Err(error) if trouble::is_damage(&error) || trouble::is_bad_row(&error) || trouble::is_foreign(&error) => {
                remove(&path).map_err(|error| fail(error.to_string()))?;
                run().map_err(|error: rusqlite::Error| fail(error.to_string()))
            }
            other => other.map_err(|error| fail(error.to_string())),
        }
    }
}

/// Makes the tables, and empties them when they were written by another version.
fn prepare(transaction: &Transaction<'_>, version: u32) -> rusqlite::Result<()> {
    transaction.execute_batch(TABLES)?;
    let found: Option<u32> = transaction.query_row("SELECT version FROM projection", [], |row| row.get(0)).optional()?;
    if found == Some(version) { Ok(()) } else { empty(transaction, version) }
}

fn empty(transaction: &Transaction<'_>, version: u32) -> rusqlite::Result<()> {
    transaction.execute_batch("DELETE FROM rows; DELETE FROM projection")?;
    transaction.execute("INSERT INTO projection (version, position) VALUES (?1, 0)", [version])?;
    Ok(())
}

fn mark(transaction: &Transaction<'_>) -> rusqlite::Result<Mark> {
    transaction.query_row("SELECT position, last, hash FROM projection", [], |row| {
        let position = |column: Option<i64>| column.map(|number| Position(number.unsigned_abs()));
        let (last, hash) = (position(row.get(1)?), row.get::<_, Option<[u8; 32]>>(2)?.map(Sha256));
        Ok(Mark { position: position(row.get(0)?).unwrap_or_default(), last: last.zip(hash) })
    })
}

fn row(transaction: &Transaction<'_>, list: &str, key: &str) -> rusqlite::Result<Option<String>> {
    transaction
        .prepare_cached("SELECT row FROM rows WHERE list = ?1 AND key = ?2")?
        .query_row(params![list, key], |row| row.get(0))
        .optional()
}

fn remove(path: &std::path::Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The rows inside a transaction; the first failure ends it.
struct Table<'a> {
    transaction: &'a Transaction<'a>,
    failed: Option<rusqlite::Error>,
}

impl Table<'_> {
    fn keep<T: Default>(&mut self, result: rusqlite::Result<T>) -> T {
        result.unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            T::default()
        })
    }
}

impl Rows for Table<'_> {
    fn get(&mut self, list: &'static str, key: &str) -> Option<String> {
        let found = row(self.transaction, list, key);
        self.keep(found)
    }

    fn put(&mut self, list: &'static str, key: &str, order: u64, row: String) {
        let put = self
            .transaction
            .prepare_cached("INSERT OR REPLACE INTO rows (list, key, place, row) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut statement| statement.execute(params![list, key, order as i64, row]));
        self.keep(put);
    }

    fn remove(&mut self, list: &'static str, key: &str) {
        let removed = self
            .transaction
            .prepare_cached("DELETE FROM rows WHERE list = ?1 AND key = ?2")
            .and_then(|mut statement| statement.execute(params![list, key]));
        self.keep(removed);
    }
}
