//! Takes a stored session back to an earlier event, as if the machine had stopped right after that event was durable.
//!
//! No kill can be aimed between two appends of the shipped program; a log cut by hand is exactly what such a kill leaves.

use crate::desk::Desk;
use rusqlite::{Connection, params};

pub fn log(desk: &Desk) -> Connection {
    Connection::open(desk.home.join("journal.db")).unwrap()
}

/// Forgets everything after the event at `version`.
pub fn rewind(desk: &Desk, session: &str, version: usize) {
    let log = log(desk);
    let stream = format!("session/{session}");
    let id: i64 = log.query_row("SELECT id FROM streams WHERE name = ?1", [&stream], |row| row.get(0)).unwrap();
    log.execute("DELETE FROM events WHERE stream = ?1 AND version > ?2", params![id, version as i64]).unwrap();
    let last = "SELECT hash, position FROM events WHERE stream = ?1 AND version = ?2";
    let (hash, position): (Vec<u8>, i64) = log.query_row(last, params![id, version as i64], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let tail = "UPDATE streams SET version = ?2, hash = ?3, position = ?4, rest = 'busy', due = NULL WHERE id = ?1";
    log.execute(tail, params![id, version as i64, hash, position]).unwrap();
}
