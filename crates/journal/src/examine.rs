//! A look at a database file from outside, by a connection of its own that changes nothing and waits for nobody for long.

use crate::sqlite::trouble;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// How long a look waits for whoever writes at that moment.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a database file looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Examined {
    /// SQLite finds nothing wrong.
    Sound,
    /// The first thing that is wrong.
    Damaged(String),
    /// Somebody kept it locked the whole time.
    Busy,
    Unreadable(String),
}

/// Lets SQLite check the pages of a database that exists.
#[must_use]
pub fn examine(path: &Path) -> Examined {
    match quick_check(path) {
        Ok(found) if found == "ok" => Examined::Sound,
        Ok(found) => Examined::Damaged(found),
        Err(error) if trouble::is_damage(&error) => Examined::Damaged(error.to_string()),
        Err(error) if is_busy(&error) => Examined::Busy,
        Err(error) => Examined::Unreadable(error.to_string()),
    }
}

fn quick_check(path: &Path) -> rusqlite::Result<String> {
    // Not read-only to the file system, because even a reader of a write-ahead log writes its place into shared memory.
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
