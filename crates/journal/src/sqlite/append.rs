//! An append inside its savepoint.
//!
//! Owns the order fence, repeat, tail, and the rows of an event. Must not commit: that is the writer's.

use super::column;
use super::lease;
use super::stop::Stop;
use crate::append::Prepared;
use crate::chain::{GENESIS, link};
use contract::id::{EventId, Sha256};
use contract::machine::Rest;
use contract::port::{AppendError, Appended};
use contract::units::{Position, Version};
use rusqlite::{Connection, OptionalExtension, params};

/// The row of a stream as far as an append needs it.
struct Head {
    key: i64,
    version: Version,
    hash: Sha256,
    rest: Rest,
}

pub(super) fn append(connection: &Connection, append: &Prepared) -> Result<Appended, Stop<AppendError>> {
    append.check_fence(lease::epoch(connection, &append.stream)?).map_err(Stop::Refused)?;
    let head = find_head(connection, append)?;
    let tail = head.as_ref().map_or(Version::NONE, |head| head.version);
    if let Some(head) = &head
        && append.may_repeat(tail)
        && let Some(position) = repeated(connection, head, append)?
    {
        return Ok(append.stored_before(position));
    }
    append.check_tail(tail).map_err(Stop::Refused)?;
    let head = match head {
        Some(head) => head,
        None => insert_stream(connection, append)?,
    };
    if let Some(epoch) = append.owned {
        lease::raise(connection, &append.stream, epoch)?;
    }
    Ok(append.stored_now(store(connection, head, append)?))
}

fn find_head(connection: &Connection, append: &Prepared) -> rusqlite::Result<Option<Head>> {
    connection
        .prepare_cached("SELECT id, version, hash, rest, due FROM streams WHERE name = ?1")?
        .query_row([append.stream.as_str()], |row| {
            let version = Version(column::number(row, 1)?);
            Ok(Head { key: row.get(0)?, version, hash: column::digest(row, 2)?, rest: column::rest(row, 3, 4)? })
        })
        .optional()
}

/// Position of the last of these events, if the stream holds exactly them at their versions.
fn repeated(connection: &Connection, head: &Head, append: &Prepared) -> rusqlite::Result<Option<Position>> {
    let mut ids = Vec::with_capacity(append.events.len());
    let mut last = Position::default();
    let mut statement =
        connection.prepare_cached("SELECT id, position FROM events WHERE stream = ?1 AND version BETWEEN ?2 AND ?3 ORDER BY version")?;
    let mut rows = statement.query(params![head.key, column::integer(append.first().0), column::integer(append.last().0)])?;
    while let Some(row) = rows.next()? {
        ids.push(EventId(row.get(0)?));
        last = Position(column::number(row, 1)?);
    }
    Ok(append.is_repeat_of(&ids).then_some(last))
}

fn insert_stream(connection: &Connection, append: &Prepared) -> rusqlite::Result<Head> {
    let (rest, due) = column::rest_columns(append.rest);
    connection
        .prepare_cached("INSERT INTO streams (name, version, hash, position, time, rest, due) VALUES (?1, 0, ?2, 0, 0, ?3, ?4)")?
        .execute(params![append.stream.as_str(), GENESIS.0, rest, due])?;
    Ok(Head { key: connection.last_insert_rowid(), version: Version::NONE, hash: GENESIS, rest: append.rest })
}

fn store(connection: &Connection, head: Head, append: &Prepared) -> rusqlite::Result<Position> {
    let mut hash = head.hash;
    let mut insert = connection.prepare_cached("INSERT INTO events (stream, version, id, hash, bytes) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for event in &append.events {
        hash = link(hash, &event.bytes);
        insert.execute(params![head.key, column::integer(event.version.0), event.id.0, hash.0, event.bytes])?;
    }
    let position = connection.last_insert_rowid();
    let (version, time) = (column::integer(append.last().0), column::integer(append.time.0));
    // A rest that is named is written to its index, also when it is the same; most appends leave it as it is.
    if head.rest == append.rest {
        connection
            .prepare_cached("UPDATE streams SET version = ?2, hash = ?3, position = ?4, time = ?5 WHERE id = ?1")?
            .execute(params![head.key, version, hash.0, position, time])?;
    } else {
        let (rest, due) = column::rest_columns(append.rest);
        connection
            .prepare_cached("UPDATE streams SET version = ?2, hash = ?3, position = ?4, time = ?5, rest = ?6, due = ?7 WHERE id = ?1")?
            .execute(params![head.key, version, hash.0, position, time, rest, due])?;
    }
    // Positions begin at one and grow, so the conversion cannot fail.
    Ok(Position(position.unsigned_abs()))
}
