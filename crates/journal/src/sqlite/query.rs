//! The queries of readers, and the rows of small blobs.
//!
//! Owns the way from rows to checked events. Must not trust a row: every event passes the walk along its chain.

use super::column;
use super::trouble;
use crate::chain::{self, GENESIS, Link, Row, Verified, Walk};
use contract::id::{EventId, Sha256, StreamId};
use contract::port::{LogError, Stored, Tail};
use contract::units::{Position, Time, Version};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;

/// A stream's row: its key for the events, and its tail.
struct Head {
    key: i64,
    tail: Tail,
}

pub(super) fn read(connection: &Connection, stream: &StreamId, from: Version, max: usize) -> Result<Vec<Stored>, LogError> {
    let Some(head) = find_head(connection, stream)? else { return Ok(Vec::new()) };
    let before = Version(from.0.saturating_sub(1)).min(head.tail.version);
    let mut walk = match before {
        Version::NONE => Walk::from_start(&head.tail),
        before => Walk::after(&head.tail, find_link(connection, &head, before)?)?,
    };
    let mut events = Vec::new();
    let limit = i64::try_from(max).unwrap_or(i64::MAX);
    for_each_row(connection, &head, before, limit, |row| {
        events.push(walk.step(row)?);
        Ok(())
    })?;
    if events.len() < max {
        walk.end()?;
    }
    Ok(events)
}

pub(super) fn verify(connection: &Connection, stream: &StreamId) -> Result<Verified, LogError> {
    let Some(head) = find_head(connection, stream)? else { return Ok(Verified { events: 0, hash: GENESIS }) };
    let mut walk = Walk::from_start(&head.tail);
    let mut ids = BTreeSet::new();
    for_each_row(connection, &head, Version::NONE, i64::MAX, |row| {
        let (version, id) = (row.version, row.id);
        walk.step(row)?;
        if ids.insert(id) { Ok(()) } else { Err(chain::corrupt(stream, version, format!("its id {id} occurs twice"))) }
    })?;
    let end = walk.end()?;
    Ok(Verified { events: end.version.0, hash: end.hash })
}

pub(super) fn tail(connection: &Connection, stream: &StreamId) -> Result<Option<Tail>, LogError> {
    Ok(find_head(connection, stream)?.map(|head| head.tail))
}

pub(super) fn streams(connection: &Connection, kind: &str, max: usize) -> Result<Vec<Tail>, LogError> {
    // The names of one kind are a range of the index: `0` is the character after `/`.
    let names: Vec<String> = connection
        .prepare_cached("SELECT name FROM streams WHERE name > ?1 || '/' AND name < ?1 || '0' ORDER BY position DESC LIMIT ?2")
        .and_then(|mut statement| statement.query_map(params![kind, i64::try_from(max).unwrap_or(i64::MAX)], |row| row.get(0))?.collect())
        .map_err(unavailable)?;
    // Each row is then read under its own name, so that a damaged one is named.
    let mut tails = Vec::with_capacity(names.len());
    for name in names {
        tails.extend(tail(connection, &parse_name(&name)?)?);
    }
    Ok(tails)
}

pub(super) fn stream_names(connection: &Connection) -> Result<Vec<StreamId>, LogError> {
    let names: Vec<String> = connection
        .prepare_cached("SELECT name FROM streams ORDER BY name")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .map_err(unavailable)?;
    names.iter().map(|name| parse_name(name)).collect()
}

pub(super) fn blob(connection: &Connection, sha256: Sha256) -> Result<Option<Vec<u8>>, LogError> {
    connection
        .prepare_cached("SELECT bytes FROM blobs WHERE sha256 = ?1")
        .and_then(|mut statement| statement.query_row([sha256.0], |row| row.get(0)).optional())
        .map_err(unavailable)
}

/// Bytes that are there already are only written again when they were damaged.
pub(super) fn put_blob(connection: &Connection, sha256: Sha256, bytes: &[u8]) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO blobs (sha256, bytes) VALUES (?1, ?2)
             ON CONFLICT (sha256) DO UPDATE SET bytes = excluded.bytes WHERE bytes IS NOT excluded.bytes",
        )?
        .execute(params![sha256.0, bytes])?;
    Ok(())
}

fn find_head(connection: &Connection, stream: &StreamId) -> Result<Option<Head>, LogError> {
    connection
        .prepare_cached("SELECT id, version, hash, position, time, rest, due FROM streams WHERE name = ?1")
        .and_then(|mut statement| {
            statement
                .query_row([stream.as_str()], |row| {
                    let tail = Tail {
                        stream: stream.clone(),
                        version: Version(column::number(row, 1)?),
                        hash: column::digest(row, 2)?,
                        position: Position(column::number(row, 3)?),
                        time: Time(column::number(row, 4)?),
                        rest: column::rest(row, 5, 6)?,
                    };
                    Ok(Head { key: row.get(0)?, tail })
                })
                .optional()
        })
        .map_err(|error| at(stream, Version::NONE, error))
}

fn find_link(connection: &Connection, head: &Head, version: Version) -> Result<Link, LogError> {
    let stream = &head.tail.stream;
    connection
        .prepare_cached("SELECT position, hash FROM events WHERE stream = ?1 AND version = ?2")
        .and_then(|mut statement| {
            statement
                .query_row(params![head.key, column::integer(version.0)], |row| {
                    Ok(Link { version, position: Position(column::number(row, 0)?), hash: column::digest(row, 1)? })
                })
                .optional()
        })
        .map_err(|error| at(stream, version, error))?
        .ok_or_else(|| chain::corrupt(stream, version, "the event is missing".to_owned()))
}

/// Hands on the rows that follow a version, in order.
fn for_each_row(
    connection: &Connection,
    head: &Head,
    after: Version,
    limit: i64,
    mut visit: impl FnMut(Row) -> Result<(), LogError>,
) -> Result<(), LogError> {
    let stream = &head.tail.stream;
    let mut last = after;
    let mut statement = connection
        .prepare_cached(
            "SELECT version, position, id, hash, bytes FROM events WHERE stream = ?1 AND version > ?2 ORDER BY version LIMIT ?3",
        )
        .map_err(unavailable)?;
    let mut rows = statement.query(params![head.key, column::integer(after.0), limit]).map_err(unavailable)?;
    while let Some(row) = rows.next().and_then(|row| row.map(to_row).transpose()).map_err(|error| at(stream, last.next(), error))? {
        last = row.version;
        visit(row)?;
    }
    Ok(())
}

fn to_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        version: Version(column::number(row, 0)?),
        position: Position(column::number(row, 1)?),
        id: EventId(row.get(2)?),
        hash: column::digest(row, 3)?,
        bytes: row.get(4)?,
    })
}

fn parse_name(name: &str) -> Result<StreamId, LogError> {
    StreamId::parse(name).map_err(|error| LogError::Unavailable(format!("a stored stream has no name: {error}")))
}

/// Damage is told from trouble with the file, because only the first is the stream's own.
fn at(stream: &StreamId, version: Version, error: rusqlite::Error) -> LogError {
    if trouble::is_damage(&error) || trouble::is_bad_row(&error) {
        return chain::corrupt(stream, version, error.to_string());
    }
    unavailable(error)
}

fn unavailable(error: rusqlite::Error) -> LogError {
    LogError::Unavailable(error.to_string())
}
