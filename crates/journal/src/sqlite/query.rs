//! The queries of readers, and the writing of small blobs.
//!
//! Owns the way from rows to checked events. Must not trust a row: every event passes the walk along its chain.

use super::blob::{self, Look};
use super::column;
use super::schema;
use super::trouble;
use crate::blobs::BlobFolder;
use crate::board::Mark;
use crate::chain::{self, GENESIS, Link, Row, Verified, Walk};
use contract::id::{EventId, Sha256, StreamId};
use contract::machine::RestClass;
use contract::port::{LogError, Stored, Tail};
use contract::units::{Position, Time, Version};
use rusqlite::{Connection, OptionalExtension, ToSql, params};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Times are never negative.
const BEFORE_ANY_TIME: i64 = -1;

/// A stream's row: its key for the events, and its tail.
pub(super) struct Head {
    pub key: i64,
    pub tail: Tail,
}

pub(super) fn read(connection: &Connection, stream: &StreamId, from: Version, max: usize) -> Result<Vec<Stored>, LogError> {
    let Some(head) = find_head(connection, stream)? else { return Ok(Vec::new()) };
    let before = Version(from.0.saturating_sub(1)).min(head.tail.version);
    let mut walk = match before {
        Version::NONE => Walk::from_start(&head.tail),
        before => Walk::after(&head.tail, find_link(connection, &head, before)?)?,
    };
    let mut events = Vec::new();
    for_each_row(connection, &head, before, max, |row| {
        events.push(walk.step(row)?);
        Ok(ControlFlow::Continue(()))
    })?;
    if events.len() < max {
        walk.end()?;
    }
    Ok(events)
}

/// Checks the whole stream, and with a folder of blobs also those that it names.
pub(super) fn verify(connection: &Connection, files: Option<&BlobFolder>, stream: &StreamId) -> Result<Verified, LogError> {
    let Some(head) = find_head(connection, stream)? else { return Ok(Verified { events: 0, hash: GENESIS }) };
    let mut walk = Walk::from_start(&head.tail);
    let (mut ids, mut blobs, mut time) = (BTreeSet::new(), BTreeSet::new(), head.tail.time);
    for_each_row(connection, &head, Version::NONE, usize::MAX, |row| {
        let (version, id) = (row.version, row.id);
        let event = walk.step(row)?.event;
        time = event.time;
        if !ids.insert(id) {
            return Err(chain::corrupt(stream, version, format!("its id {id} occurs twice")));
        }
        if let Some(files) = files {
            let unseen = event.blobs().into_iter().filter(|named| blobs.insert(*named));
            let fault = unseen.filter_map(|named| blob::fault(connection, files, named, Look::Content)).next();
            fault.map_or(Ok(()), |fault| Err(chain::corrupt(stream, version, format!("its {fault}"))))?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let end = walk.end()?;
    if time != head.tail.time {
        let reason = format!("its time is {}, the recorded tail has {}", time.0, head.tail.time.0);
        return Err(chain::corrupt(stream, end.version, reason));
    }
    Ok(Verified { events: end.version.0, hash: end.hash })
}

pub(super) fn tail(connection: &Connection, stream: &StreamId) -> Result<Option<Tail>, LogError> {
    Ok(find_head(connection, stream)?.map(|head| head.tail))
}

pub(super) fn streams(connection: &Connection, kind: &str, max: usize) -> Result<Vec<Tail>, LogError> {
    // The names of one kind are a range of the index: `0` is the character after `/`.
    let names: Vec<String> = connection
        .prepare_cached("SELECT name FROM streams WHERE name > ?1 || '/' AND name < ?1 || '0' ORDER BY position DESC LIMIT ?2")
        .and_then(|mut statement| statement.query_map(params![kind, column::limit(max)], |row| row.get(0))?.collect())
        .map_err(unavailable)?;
    tails(connection, names)
}

pub(super) fn resting(connection: &Connection, class: RestClass, after: Option<&Tail>, max: usize) -> Result<Vec<Tail>, LogError> {
    let name = after.map_or("", |tail| tail.stream.as_str());
    let (rest, max) = (column::rest_class(class), column::limit(max));
    let due = after.and_then(|tail| tail.rest.due()).map_or(BEFORE_ANY_TIME, |due| column::integer(due.0));
    let (sql, place): (_, &[(&str, &dyn ToSql)]) = match class {
        RestClass::Until => (
            "SELECT name FROM streams WHERE rest = :rest AND (due, name) > (:due, :name) ORDER BY due, name LIMIT :max",
            &[(":rest", &rest), (":due", &due), (":name", &name), (":max", &max)],
        ),
        RestClass::Busy | RestClass::Waiting | RestClass::Closed => (
            "SELECT name FROM streams WHERE rest = :rest AND due IS NULL AND name > :name ORDER BY name LIMIT :max",
            &[(":rest", &rest), (":name", &name), (":max", &max)],
        ),
    };
    let names: Vec<String> = connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_map(place, |row| row.get(0))?.collect())
        .map_err(unavailable)?;
    tails(connection, names)
}

/// Position of the last event that was ever appended, also if it is lost.
pub(super) fn end(connection: &Connection) -> Result<Position, LogError> {
    connection
        .prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
        .and_then(|mut statement| statement.query_row([], |row| column::number(row, 0)).optional())
        .map(|end| Position(end.unwrap_or_default()))
        .map_err(unavailable)
}

/// The names of streams that have events after a position, with how far they reach.
pub(super) fn grown(connection: &Connection, after: Position) -> Result<Vec<(String, Mark)>, LogError> {
    connection
        .prepare_cached(
            "SELECT streams.name, max(events.version), max(events.position)
             FROM events NOT INDEXED JOIN streams ON streams.id = events.stream WHERE events.position > ?1 GROUP BY events.stream",
        )
        .and_then(|mut statement| {
            let mark = |row: &rusqlite::Row<'_>| {
                let (version, position) = (Version(column::number(row, 1)?), Position(column::number(row, 2)?));
                Ok((row.get(0)?, Mark { version, position }))
            };
            statement.query_map([column::integer(after.0)], mark)?.collect()
        })
        .map_err(unavailable)
}

/// Each row is read under its own name, so that a damaged one is named.
fn tails(connection: &Connection, names: Vec<String>) -> Result<Vec<Tail>, LogError> {
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

/// Whether the tables are those of this program and the file holds them as SQLite left them: what no stream can tell.
pub(super) fn check_database(connection: &Connection) -> Result<(), LogError> {
    if !schema::is_ours(connection).map_err(unavailable)? {
        return Err(LogError::Unavailable("the database is damaged: its tables are not those of this program".to_owned()));
    }
    let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(unavailable)?;
    if found == "ok" { Ok(()) } else { Err(LogError::Unavailable(format!("the database is damaged: {found}"))) }
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

pub(super) fn find_head(connection: &Connection, stream: &StreamId) -> Result<Option<Head>, LogError> {
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

pub(super) fn find_link(connection: &Connection, head: &Head, version: Version) -> Result<Link, LogError> {
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

/// The place of the first event from this version on.
pub(super) fn first_link_from(connection: &Connection, head: &Head, from: Version) -> Result<Option<Link>, LogError> {
    connection
        .prepare_cached("SELECT version, position, hash FROM events WHERE stream = ?1 AND version >= ?2 ORDER BY version LIMIT 1")
        .and_then(|mut statement| {
            statement
                .query_row(params![head.key, column::integer(from.0)], |row| {
                    let (version, position) = (Version(column::number(row, 0)?), Position(column::number(row, 1)?));
                    Ok(Link { version, position, hash: column::digest(row, 2)? })
                })
                .optional()
        })
        .map_err(|error| at(&head.tail.stream, from, error))
}

/// Hands on the rows that follow a version, in order, until `visit` has enough.
pub(super) fn for_each_row(
    connection: &Connection,
    head: &Head,
    after: Version,
    max: usize,
    mut visit: impl FnMut(Row) -> Result<ControlFlow<()>, LogError>,
) -> Result<(), LogError> {
    let stream = &head.tail.stream;
    let mut last = after;
    let mut statement = connection
        .prepare_cached(
            "SELECT version, position, id, hash, bytes FROM events WHERE stream = ?1 AND version > ?2 ORDER BY version LIMIT ?3",
        )
        .map_err(unavailable)?;
    let mut rows = statement.query(params![head.key, column::integer(after.0), column::limit(max)]).map_err(unavailable)?;
    while let Some(row) = rows.next().and_then(|row| row.map(to_row).transpose()).map_err(|error| at(stream, last.next(), error))? {
        last = row.version;
        if visit(row)?.is_break() {
            break;
        }
    }
    Ok(())
}

pub(super) fn to_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        version: Version(column::number(row, 0)?),
        position: Position(column::number(row, 1)?),
        id: EventId(row.get(2)?),
        hash: column::digest(row, 3)?,
        bytes: row.get(4)?,
    })
}

pub(super) fn parse_name(name: &str) -> Result<StreamId, LogError> {
    StreamId::parse(name).map_err(|error| LogError::Unavailable(format!("a stored stream has no name: {error}")))
}

/// Damage is told from trouble with the file, because only the first is the stream's own.
pub(super) fn at(stream: &StreamId, version: Version, error: rusqlite::Error) -> LogError {
    if trouble::is_damage(&error) || trouble::is_bad_row(&error) {
        return chain::corrupt(stream, version, error.to_string());
    }
    unavailable(error)
}

pub(super) fn unavailable(error: rusqlite::Error) -> LogError {
    LogError::Unavailable(error.to_string())
}
