//! Data folders as they lie on disk: kept, copied, damaged.
//!
//! Must not run the program.

use super::fault::Fault;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::fs;
use std::io;
use std::path::Path;

pub const DATABASE: &str = "journal.db";
pub const WAL: &str = "journal.db-wal";
/// Of no use to another: the index of a write-ahead log, locks of processes that are gone, and running commands.
const NOT_COPIED: [&str; 4] = ["journal.db-shm", WAL, "hosts", "spool"];
/// Bytes before the first frame of a write-ahead log, and before the page of each frame.
pub const FIRST_FRAME: u64 = 32;
pub const FRAME_HEADER: u64 = 24;

/// Copies a data folder at rest, without its write-ahead log.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if NOT_COPIED.iter().any(|left_out| name == *left_out) {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

/// A frame of a write-ahead log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Bytes of the log up to and with this frame.
    pub end: u64,
    pub bytes: u64,
    /// The last of a transaction.
    pub commits: bool,
}

/// The frames of a write-ahead log; those of an earlier use of the file, which follow, are left out.
pub fn frames(wal: &[u8]) -> Vec<Frame> {
    let number = |at: usize| wal.get(at..at + 4).map_or(0, |bytes| bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)));
    let salt = |at: usize| wal.get(at..at + 8);
    let bytes = FRAME_HEADER as usize + number(8);
    let begins = (FIRST_FRAME as usize..).step_by(bytes).take_while(|begin| begin + bytes <= wal.len());
    let current = begins.take_while(|begin| salt(begin + 8) == salt(16));
    current.map(|begin| Frame { end: (begin + bytes) as u64, bytes: bytes as u64, commits: number(begin + 4) > 0 }).collect()
}

/// Opens the database so that nobody who closes it is the last one, whose duty it is to empty the write-ahead log.
pub fn keep_open(home: &Path) -> Result<Connection, Fault> {
    let connection = Connection::open(home.join(DATABASE)).map_err(sqlite)?;
    // Only whoever has read something is counted.
    connection.query_row("SELECT count(*) FROM streams", [], |_| Ok(())).map_err(sqlite)?;
    Ok(connection)
}

/// Everything the database holds, row by row, but for leases and the next position: these are of the moment, and what
/// they would allow wrongly is refused by the log itself.
pub fn contents(database: &Path) -> Result<Vec<String>, Fault> {
    let connection = Connection::open(database).map_err(sqlite)?;
    let mut rows = Vec::new();
    for table in ["sqlite_schema", "streams", "events", "blobs"] {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).map_err(sqlite)?;
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get::<_, Value>(column)).collect::<Result<Vec<_>, _>>();
        for found in statement.query_map([], row).map_err(sqlite)? {
            rows.push(format!("{table} {:?}", found.map_err(sqlite)?));
        }
    }
    Ok(rows)
}

fn sqlite(error: rusqlite::Error) -> Fault {
    Fault::Wrong(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_this_use_of_the_log_are_found() {
        let mut wal = vec![0; FIRST_FRAME as usize];
        wal[8..12].copy_from_slice(&512_u32.to_be_bytes());
        wal[16..24].fill(7);
        for (pages, salt) in [(0_u32, 7), (2, 7), (2, 9)] {
            let mut frame = [0; FRAME_HEADER as usize + 512];
            frame[4..8].copy_from_slice(&pages.to_be_bytes());
            frame[8..16].fill(salt);
            wal.extend(frame);
        }
        let frame = |end, commits| Frame { end, bytes: 536, commits };
        assert_eq!(frames(&wal), [frame(568, false), frame(1104, true)]);
        assert_eq!(frames(&wal[..1103]), [frame(568, false)]);
        assert_eq!(frames(&[]), []);
    }
}
