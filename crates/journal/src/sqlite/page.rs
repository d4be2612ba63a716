//! One page of what a subscriber follows.
//!
//! Owns the way from a position to checked events. An event is checked against the one before it in its stream, so a
//! missing one shows; damage stands in the place of the event that it hides, and the others go on.

use super::column;
use super::query::{self, Head};
use crate::chain::{Link, Row, Walk, corrupt};
use crate::follow::{self, Gathering, PAGE_ROWS_MAX, Page};
use contract::filter::Filter;
use contract::id::StreamId;
use contract::port::{LogError, Stored};
use contract::units::{Position, Version};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

pub(super) fn page(connection: &Connection, after: Position, filter: &Filter) -> Result<Page, LogError> {
    let end = query::end(connection)?;
    follow::check_start(after, end)?;
    let gathering = Gathering::new(filter, after);
    match filter.only_stream() {
        Some(stream) => page_of_stream(connection, stream, after, gathering, end),
        None => page_of_all(connection, filter, after, gathering, end),
    }
}

fn page_of_stream(
    connection: &Connection,
    stream: &StreamId,
    after: Position,
    mut gathering: Gathering<'_>,
    end: Position,
) -> Result<Page, LogError> {
    let head = match query::find_head(connection, stream) {
        Ok(Some(head)) => head,
        Ok(None) => return Ok(gathering.end(end)),
        Err(unavailable @ LogError::Unavailable(_)) => return Err(unavailable),
        Err(damage) => {
            gathering.add_damage(end, damage);
            return Ok(gathering.end(end));
        }
    };
    if head.tail.position <= after {
        return Ok(gathering.end(end));
    }
    let before = last_at(connection, &head, after)?;
    let mut previous = None;
    let mut is_cut = false;
    query::for_each_row(connection, &head, before, PAGE_ROWS_MAX, |row| {
        if gathering.is_full() {
            is_cut = true;
            return Ok(ControlFlow::Break(()));
        }
        let (link, position) = (row.link(), row.position);
        match check(connection, &head, previous, row) {
            Err(unavailable @ LogError::Unavailable(_)) => return Err(unavailable),
            stored => gathering.add(stream, position, stored),
        }
        previous = Some(link);
        Ok(ControlFlow::Continue(()))
    })?;
    let last = previous.map_or(before, |link| link.version);
    if is_cut || (gathering.is_full() && last < head.tail.version) {
        return Ok(gathering.more());
    }
    if last < head.tail.version {
        let reason = format!("the event is missing, the recorded tail is {}", head.tail.version);
        gathering.add_damage(end, corrupt(stream, last.next(), reason));
    }
    Ok(gathering.end(end))
}

fn page_of_all(
    connection: &Connection,
    filter: &Filter,
    after: Position,
    mut gathering: Gathering<'_>,
    end: Position,
) -> Result<Page, LogError> {
    let mut heads: BTreeMap<i64, Head> = BTreeMap::new();
    let mut links: BTreeMap<i64, Link> = BTreeMap::new();
    let mut statement = connection
        .prepare_cached(
            "SELECT events.version, events.position, events.id, events.hash, events.bytes, events.stream, streams.name
             FROM events LEFT JOIN streams ON streams.id = events.stream
             WHERE events.position > ?1 ORDER BY events.position LIMIT ?2",
        )
        .map_err(query::unavailable)?;
    let mut rows = statement.query(params![column::integer(after.0), column::limit(PAGE_ROWS_MAX)]).map_err(query::unavailable)?;
    while let Some(row) = rows.next().map_err(query::unavailable)? {
        if gathering.is_full() {
            return Ok(gathering.more());
        }
        let position = Position(column::number(row, 1).map_err(query::unavailable)?);
        let (key, name): (i64, Option<String>) = row.get(5).and_then(|key| Ok((key, row.get(6)?))).map_err(query::unavailable)?;
        let stream = match query::parse_name(&name.unwrap_or_default()) {
            Ok(stream) => stream,
            Err(damage) => {
                gathering.add_damage(position, damage);
                continue;
            }
        };
        if !filter.may_match(&stream) {
            gathering.pass(position);
            continue;
        }
        let stored = query::to_row(row).map_err(|error| query::at(&stream, Version::NONE, error)).and_then(|row| {
            if !heads.contains_key(&key)
                && let Some(head) = query::find_head(connection, &stream)?
            {
                heads.insert(key, head);
            }
            let head = heads.get(&key).ok_or_else(|| corrupt(&stream, row.version, "its stream is missing".to_owned()))?;
            let previous = links.insert(key, row.link());
            check(connection, head, previous, row)
        });
        match stored {
            Err(unavailable @ LogError::Unavailable(_)) => return Err(unavailable),
            stored => gathering.add(&stream, position, stored),
        }
    }
    Ok(if gathering.is_full() { gathering.more() } else { gathering.end(end) })
}

/// Checks a row as a read of its stream would.
fn check(connection: &Connection, head: &Head, previous: Option<Link>, row: Row) -> Result<Stored, LogError> {
    if row.version <= Version::NONE.next() {
        return Walk::from_start(&head.tail).step(row);
    }
    let before = Version(row.version.0 - 1);
    let previous = match previous.filter(|link| link.version == before) {
        Some(link) => link,
        None => query::find_link(connection, head, before)?,
    };
    Walk::after(&head.tail, previous)?.step(row)
}

/// The last version of the stream at or before a position. Positions of a stream grow with its versions, so it is found
/// by halving; a version that is missing counts like the next one that is there.
fn last_at(connection: &Connection, head: &Head, after: Position) -> Result<Version, LogError> {
    let (mut before, mut behind) = (Version::NONE, head.tail.version.next());
    while before.next() < behind {
        let middle = Version(before.0 + (behind.0 - before.0) / 2);
        match query::first_link_from(connection, head, middle)? {
            Some(link) if link.position <= after => before = link.version,
            Some(_) | None => behind = middle,
        }
    }
    Ok(before)
}
