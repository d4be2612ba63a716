//! The log: exact semantics of append, read, subscription and ownership. All implementations pass one suite.

use super::BoxFuture;
use crate::event::{BadEvent, Draft, Event};
use crate::filter::Filter;
use crate::id::{HostId, Sha256, StreamId};
use crate::machine::{Rest, RestClass};
use crate::units::{Epoch, Position, Time, Version};
use serde::Serialize;

/// Where the append must land.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Expected {
    /// The stream must not exist.
    NoStream,
    /// No event may follow this version.
    Exactly(Version),
}

impl Expected {
    #[must_use]
    pub fn after(version: Version) -> Expected {
        if version == Version::NONE { Expected::NoStream } else { Expected::Exactly(version) }
    }

    #[must_use]
    pub fn version(self) -> Version {
        match self {
            Expected::NoStream => Version::NONE,
            Expected::Exactly(version) => version,
        }
    }
}

/// The append succeeds only while the stream's lease has this epoch, checked in the same atomic step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fence {
    pub epoch: Epoch,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Append {
    pub stream: StreamId,
    pub expected: Expected,
    /// Time of all events of the call.
    pub time: Time,
    pub drafts: Vec<Draft>,
    pub fence: Option<Fence>,
    pub rest: Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    pub first: Version,
    pub last: Version,
    /// Position of the last event.
    pub position: Position,
    /// The very same events were there already.
    pub replayed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    #[error("the stream is at version {actual}")]
    Conflict { actual: Version },
    #[error("the stream is owned under epoch {epoch}")]
    Fenced { epoch: Epoch },
    #[error("{what}: {found}, at most {max}")]
    TooLarge { what: &'static str, found: usize, max: usize },
    /// Surely not stored.
    #[error("not stored: {0}")]
    Unavailable(String),
    /// Maybe stored: repeat the same call.
    #[error("maybe stored: {0}")]
    Unknown(String),
    /// Storage failed for good; the process must end and recover from what is durable.
    #[error("storage failed: {0}")]
    Broken(String),
    #[error("the log is damaged: {0}")]
    Corrupt(String),
}

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("the log is damaged at version {version} of {stream}: {reason}")]
    Corrupt { stream: StreamId, version: Version, reason: String },
    #[error("version {version} of {stream} cannot be read: {source}")]
    Unreadable { stream: StreamId, version: Version, source: BadEvent },
    #[error("the log cannot be read: {0}")]
    Unavailable(String),
}

/// An event as the journal holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    pub position: Position,
    pub hash: Sha256,
    /// The stored bytes, as they were hashed.
    pub bytes: Vec<u8>,
    pub event: Event,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    pub stream: StreamId,
    pub version: Version,
    pub hash: Sha256,
    pub position: Position,
    pub time: Time,
    pub rest: Rest,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub epoch: Epoch,
    pub host: HostId,
    /// When it ends unless it is renewed; without a time it lives as long as its host.
    pub until: Option<Time>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaseError {
    #[error("owned by the running process {holder}")]
    Held { holder: HostId },
    /// Let go of, or taken by another host.
    #[error("no longer owned: the stream is at epoch {epoch}")]
    Lost { epoch: Epoch },
    #[error("the lease cannot be taken: {0}")]
    Unavailable(String),
}

/// An event with the stream it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivered {
    pub stream: StreamId,
    pub stored: Stored,
}

/// What a subscriber is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivery {
    Event(Box<Delivered>),
    /// The end was reached, and up to here nothing was missed: a later subscription may begin here. Said once each time
    /// that it is reached, also at the very beginning and when nothing matched.
    CaughtUp(Position),
    /// The log gave this subscriber up as too slow. Up to here nothing was missed: subscribe again from here.
    Lagged(Position),
}

/// Events as they come, pulled: one who does not ask is not given any, and none is lost.
pub trait Subscription: Send {
    /// The next delivery, in the order of positions and without a gap. It waits at the end of the log. Nothing is lost when
    /// the future is dropped.
    ///
    /// Damage is told once, in the place of the event that it hides, and the next call goes on behind it. After
    /// `Unavailable` the next call tries again.
    fn next(&mut self) -> BoxFuture<'_, Result<Delivery, LogError>>;
}

/// Tells that a stream has grown without reading it: for whoever made most of its events and holds them already.
pub trait Watch: Send + Sync {
    /// Ends when the stream has an event after this version, whoever appended it. Nothing is lost when the future is
    /// dropped.
    fn beyond(&mut self, version: Version) -> BoxFuture<'_, Result<(), LogError>>;
}

pub trait Log: Send + Sync {
    /// All events or none, durable before Ok, one winner for each version; the same call again is Ok with `replayed`.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<Appended, AppendError>>;

    /// Contiguous events from this version on, hash chain checked, at most `max`.
    fn read<'a>(&'a self, stream: &'a StreamId, from: Version, max: usize) -> BoxFuture<'a, Result<Vec<Stored>, LogError>>;

    fn tail<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Option<Tail>, LogError>>;

    /// Tails of the streams of one kind, the latest changed first.
    fn streams<'a>(&'a self, kind: &'a str, max: usize) -> BoxFuture<'a, Result<Vec<Tail>, LogError>>;

    /// Tails of the streams that rest like this: by the time they are due, else by name. The next page begins after the last
    /// tail of the one before; a stream whose rest changed in between may be in none or in two.
    fn resting<'a>(&'a self, class: RestClass, after: Option<&'a Tail>, max: usize) -> BoxFuture<'a, Result<Vec<Tail>, LogError>>;

    /// Events after this position that the filter matches, those that are there and those that come.
    fn subscribe(&self, from: Position, filter: Filter) -> Box<dyn Subscription>;

    /// Watches one stream.
    fn watch(&self, stream: &StreamId) -> Box<dyn Watch>;

    /// Takes the stream under a new, higher epoch unless a living host holds it.
    fn acquire<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Lease, LeaseError>>;

    /// Keeps the stream for longer; `Lost` when it is no longer held under this epoch.
    fn renew<'a>(&'a self, stream: &'a StreamId, epoch: Epoch) -> BoxFuture<'a, Result<Lease, LeaseError>>;

    /// Lets go of the stream, if it is still held under this epoch.
    fn release<'a>(&'a self, stream: &'a StreamId, epoch: Epoch) -> BoxFuture<'a, Result<(), LeaseError>>;

    /// Who holds the stream now, if that host is alive.
    fn holder<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Option<HostId>, LeaseError>>;
}

pub trait Blobs: Send + Sync {
    /// Durable before Ok.
    fn put(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<Sha256, LogError>>;

    /// Checked against its hash; `None` if it is not there.
    fn get(&self, sha256: Sha256) -> BoxFuture<'_, Result<Option<Vec<u8>>, LogError>>;
}
