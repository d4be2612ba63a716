//! Leases: which host owns a stream, under which epoch.
//!
//! Owns the rule that an epoch only grows. Must not decide by time who is alive: a host is alive while its lock is held.

use super::column;
use super::stop::Stop;
use crate::hosts::Hosts;
use contract::id::{HostId, StreamId};
use contract::port::{Lease, LeaseError};
use contract::units::Epoch;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, params};
use std::io;

struct Row {
    epoch: Epoch,
    host: Option<HostId>,
}

/// The epoch against which a fence is checked; it stays when the lease is let go of.
pub(super) fn epoch(connection: &Connection, stream: &StreamId) -> rusqlite::Result<Option<Epoch>> {
    connection
        .prepare_cached("SELECT epoch FROM leases WHERE stream = ?1")?
        .query_row([stream.as_str()], |row| Ok(Epoch(column::number(row, 0)?)))
        .optional()
}

pub(super) fn acquire(connection: &Connection, hosts: &Hosts, stream: &StreamId) -> Result<Lease, Stop<LeaseError>> {
    let me = hosts.me();
    let row = find(connection, stream)?.unwrap_or(Row { epoch: Epoch::default(), host: None });
    if let Some(holder) = row.host
        && holder != me
        && hosts.is_alive(holder).map_err(|error| Stop::Refused(unknown_host(holder, &error)))?
    {
        return Err(Stop::Refused(LeaseError::Held { holder }));
    }
    let epoch = Epoch(row.epoch.0 + 1);
    connection
        .prepare_cached(
            "INSERT INTO leases (stream, epoch, host) VALUES (?1, ?2, ?3)
             ON CONFLICT (stream) DO UPDATE SET epoch = excluded.epoch, host = excluded.host",
        )?
        .execute(params![stream.as_str(), column::integer(epoch.0), me.to_string()])?;
    Ok(Lease { epoch, host: me, until: None })
}

/// A lease lives as long as its host, so there is nothing to write: it is only looked whether it is still there.
pub(super) fn renew(connection: &Connection, me: HostId, stream: &StreamId, epoch: Epoch) -> Result<Lease, LeaseError> {
    let row = find(connection, stream).map_err(|error| LeaseError::Unavailable(error.to_string()))?;
    match row {
        Some(row) if row.epoch == epoch && row.host == Some(me) => Ok(Lease { epoch, host: me, until: None }),
        Some(row) => Err(LeaseError::Lost { epoch: row.epoch }),
        None => Err(LeaseError::Lost { epoch: Epoch::default() }),
    }
}

pub(super) fn release(connection: &Connection, stream: &StreamId, epoch: Epoch) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE leases SET host = NULL WHERE stream = ?1 AND epoch = ?2")?
        .execute(params![stream.as_str(), column::integer(epoch.0)])?;
    Ok(())
}

/// From now on the stream is only owned under higher epochs.
pub(super) fn raise(connection: &Connection, stream: &StreamId, epoch: Epoch) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO leases (stream, epoch, host) VALUES (?1, ?2, NULL)
             ON CONFLICT (stream) DO UPDATE SET epoch = max(epoch, excluded.epoch)",
        )?
        .execute(params![stream.as_str(), column::integer(epoch.0)])?;
    Ok(())
}

pub(super) fn holder(connection: &Connection, hosts: &Hosts, stream: &StreamId) -> Result<Option<HostId>, LeaseError> {
    let row = find(connection, stream).map_err(|error| LeaseError::Unavailable(error.to_string()))?;
    let Some(holder) = row.and_then(|row| row.host) else { return Ok(None) };
    let is_alive = hosts.is_alive(holder).map_err(|error| unknown_host(holder, &error))?;
    Ok(is_alive.then_some(holder))
}

fn find(connection: &Connection, stream: &StreamId) -> rusqlite::Result<Option<Row>> {
    connection
        .prepare_cached("SELECT epoch, host FROM leases WHERE stream = ?1")?
        .query_row([stream.as_str()], |row| {
            let host = match row.get::<_, Option<String>>(1)? {
                Some(text) => Some(text.parse().map_err(|error| column::malformed(1, Type::Text, format!("{error}")))?),
                None => None,
            };
            Ok(Row { epoch: Epoch(column::number(row, 0)?), host })
        })
        .optional()
}

fn unknown_host(host: HostId, error: &io::Error) -> LeaseError {
    LeaseError::Unavailable(format!("whether host {host} is alive cannot be told: {error}"))
}
