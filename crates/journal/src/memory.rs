//! The log in memory, for tests: the same answers as SQLite, without files.
//!
//! Owns one log shared by several hosts, of which the test says who is alive. Must not be cleverer than the stored
//! kind: events are kept encoded and pass the same walk when they are read.

use crate::append::Prepared;
use crate::blobs;
use crate::board::{Board, Mark};
use crate::chain::{Row, Walk, link};
use crate::follow::{self, Follower, Gathering, Page, Source, Watcher};
use contract::filter::Filter;
use contract::id::{EventId, HostId, Sha256, StreamId};
use contract::machine::RestClass;
use contract::port::{
    Append, AppendError, Appended, Blobs, BoxFuture, Lease, LeaseError, Log, LogError, Stored, Subscription, Tail, Watch,
};
use contract::units::{Epoch, Position, Time, Version};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A handle of one host on a shared log. Clones are the same host.
#[derive(Clone, Debug)]
pub struct MemoryJournal {
    memory: Arc<Memory>,
    host: HostId,
}

/// What all hosts see.
#[derive(Debug, Default)]
struct Memory {
    shared: Mutex<Shared>,
    board: Board,
}

#[derive(Debug, Default)]
struct Shared {
    streams: BTreeMap<StreamId, Stream>,
    leases: BTreeMap<StreamId, Holding>,
    alive: BTreeSet<HostId>,
    blobs: BTreeMap<Sha256, Vec<u8>>,
    position: Position,
    /// Where each event is.
    order: BTreeMap<Position, (StreamId, Version)>,
}

#[derive(Debug)]
struct Stream {
    tail: Tail,
    rows: Vec<Row>,
}

/// The row of a lease stays when it is let go of, so that its epoch only grows.
#[derive(Debug, Default)]
struct Holding {
    epoch: Epoch,
    host: Option<HostId>,
}

impl MemoryJournal {
    /// An empty log with one living host.
    #[must_use]
    pub fn new(host: HostId) -> MemoryJournal {
        MemoryJournal { memory: Arc::default(), host }.host(host)
    }

    /// Another living host on the same log.
    #[must_use]
    pub fn host(&self, host: HostId) -> MemoryJournal {
        self.lock().alive.insert(host);
        MemoryJournal { memory: Arc::clone(&self.memory), host }
    }

    /// From now on the host counts as dead: its leases can be taken at once.
    pub fn mark_dead(&self, host: HostId) {
        self.lock().alive.remove(&host);
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.memory.lock()
    }
}

impl Memory {
    /// No operation leaves the log half changed, so it is whole even if a test panicked while it held the lock.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Memory {
    fn board(&self) -> &Board {
        &self.board
    }

    fn listening(&self) -> BoxFuture<'_, Result<(), LogError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn page(&self, after: Position, filter: Filter) -> BoxFuture<'_, Result<Page, LogError>> {
        Box::pin(async move { self.lock().page(after, &filter) })
    }

    fn tail(&self, stream: StreamId) -> BoxFuture<'_, Result<Option<Tail>, LogError>> {
        Box::pin(async move { Ok(self.lock().streams.get(&stream).map(|stream| stream.tail.clone())) })
    }
}

impl Shared {
    fn append(&mut self, prepared: Prepared) -> Result<Appended, AppendError> {
        prepared.check_fence(self.leases.get(&prepared.stream).map(|holding| holding.epoch))?;
        let stream = self.streams.get(&prepared.stream);
        let tail = stream.map_or(Version::NONE, |stream| stream.tail.version);
        if prepared.may_repeat(tail)
            && let Some(stored) = stream.map(|stream| rows_of(stream, &prepared))
        {
            let ids: Vec<EventId> = stored.iter().map(|row| row.id).collect();
            if prepared.is_repeat_of(&ids) {
                return Ok(prepared.stored_before(stored.last().map(|row| row.position).unwrap_or_default()));
            }
        }
        prepared.check_tail(tail)?;
        Ok(self.store(prepared))
    }

    fn store(&mut self, prepared: Prepared) -> Appended {
        let stream = self.streams.entry(prepared.stream.clone()).or_insert_with(|| Stream::empty(&prepared));
        for event in &prepared.events {
            self.position = Position(self.position.0 + 1);
            let hash = link(stream.tail.hash, &event.bytes);
            stream.tail.version = event.version;
            stream.tail.hash = hash;
            self.order.insert(self.position, (prepared.stream.clone(), event.version));
            stream.rows.push(Row { version: event.version, position: self.position, id: event.id, hash, bytes: event.bytes.clone() });
        }
        stream.tail.position = self.position;
        stream.tail.time = prepared.time;
        stream.tail.rest = prepared.rest;
        prepared.stored_now(self.position)
    }

    fn read(&self, stream: &StreamId, from: Version, max: usize) -> Result<Vec<Stored>, LogError> {
        let Some(stream) = self.streams.get(stream) else { return Ok(Vec::new()) };
        let skipped = usize::try_from(from.0.saturating_sub(1)).unwrap_or(usize::MAX).min(stream.rows.len());
        let mut walk = match skipped.checked_sub(1).and_then(|before| stream.rows.get(before)) {
            Some(row) => Walk::after(&stream.tail, row.link())?,
            None => Walk::from_start(&stream.tail),
        };
        stream.rows.iter().skip(skipped).take(max).map(|row| walk.step(row.clone())).collect()
    }

    fn page(&self, after: Position, filter: &Filter) -> Result<Page, LogError> {
        follow::check_start(after, self.position)?;
        let mut gathering = Gathering::new(filter, after);
        for (position, (name, version)) in self.order.range((Bound::Excluded(after), Bound::Unbounded)) {
            if gathering.is_full() {
                return Ok(gathering.more());
            }
            if filter.may_match(name) {
                gathering.add(name, *position, self.event(name, *version));
            } else if filter.only_stream().is_none() {
                gathering.pass(*position);
            }
        }
        Ok(gathering.end(self.position))
    }

    fn event(&self, stream: &StreamId, version: Version) -> Result<Stored, LogError> {
        let read = self.read(stream, version, 1)?;
        let missing = || crate::chain::corrupt(stream, version, "the event is missing".to_owned());
        read.into_iter().next().ok_or_else(missing)
    }

    fn resting(&self, class: RestClass, after: Option<&Tail>, max: usize) -> Vec<Tail> {
        let place = |tail: &Tail| (tail.rest.due(), tail.stream.clone());
        let is_next = |tail: &&Tail| tail.rest.class() == class && after.is_none_or(|after| place(tail) > place(after));
        let mut tails: Vec<Tail> = self.streams.values().map(|stream| &stream.tail).filter(is_next).cloned().collect();
        tails.sort_by_key(place);
        tails.truncate(max);
        tails
    }

    fn renew(&self, stream: &StreamId, epoch: Epoch, me: HostId) -> Result<Lease, LeaseError> {
        match self.leases.get(stream) {
            Some(holding) if holding.epoch == epoch && holding.host == Some(me) => Ok(Lease { epoch, host: me, until: None }),
            Some(holding) => Err(LeaseError::Lost { epoch: holding.epoch }),
            None => Err(LeaseError::Lost { epoch: Epoch::default() }),
        }
    }

    fn acquire(&mut self, stream: &StreamId, me: HostId) -> Result<Lease, LeaseError> {
        let holding = self.leases.entry(stream.clone()).or_default();
        match holding.host {
            Some(holder) if holder != me && self.alive.contains(&holder) => Err(LeaseError::Held { holder }),
            Some(_) | None => {
                *holding = Holding { epoch: Epoch(holding.epoch.0 + 1), host: Some(me) };
                Ok(Lease { epoch: holding.epoch, host: me, until: None })
            }
        }
    }

    fn release(&mut self, stream: &StreamId, epoch: Epoch) {
        if let Some(holding) = self.leases.get_mut(stream)
            && holding.epoch == epoch
        {
            holding.host = None;
        }
    }

    fn holder(&self, stream: &StreamId) -> Option<HostId> {
        self.leases.get(stream)?.host.filter(|host| self.alive.contains(host))
    }
}

impl Stream {
    fn empty(prepared: &Prepared) -> Stream {
        let tail = Tail {
            stream: prepared.stream.clone(),
            version: Version::NONE,
            hash: crate::chain::GENESIS,
            position: Position::default(),
            time: Time::default(),
            rest: prepared.rest,
        };
        Stream { tail, rows: Vec::new() }
    }
}

/// What the stream holds at the versions of these events.
fn rows_of<'a>(stream: &'a Stream, prepared: &Prepared) -> Vec<&'a Row> {
    stream.rows.iter().filter(|row| row.version >= prepared.first() && row.version <= prepared.last()).collect()
}

impl Log for MemoryJournal {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<Appended, AppendError>> {
        Box::pin(async move {
            let prepared = Prepared::new(append)?;
            let stream = prepared.stream.clone();
            let appended = self.lock().append(prepared)?;
            if !appended.replayed {
                self.memory.board.announce(&stream, Mark { version: appended.last, position: appended.position });
            }
            Ok(appended)
        })
    }

    fn read<'a>(&'a self, stream: &'a StreamId, from: Version, max: usize) -> BoxFuture<'a, Result<Vec<Stored>, LogError>> {
        Box::pin(async move { self.lock().read(stream, from, max) })
    }

    fn tail<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Option<Tail>, LogError>> {
        Box::pin(async move { Ok(self.lock().streams.get(stream).map(|stream| stream.tail.clone())) })
    }

    fn streams<'a>(&'a self, kind: &'a str, max: usize) -> BoxFuture<'a, Result<Vec<Tail>, LogError>> {
        Box::pin(async move {
            let mut tails: Vec<Tail> =
                self.lock().streams.iter().filter(|(name, _)| name.kind() == kind).map(|(_, stream)| stream.tail.clone()).collect();
            tails.sort_by_key(|tail| std::cmp::Reverse(tail.position));
            tails.truncate(max);
            Ok(tails)
        })
    }

    fn resting<'a>(&'a self, class: RestClass, after: Option<&'a Tail>, max: usize) -> BoxFuture<'a, Result<Vec<Tail>, LogError>> {
        Box::pin(async move { Ok(self.lock().resting(class, after, max)) })
    }

    fn subscribe(&self, from: Position, filter: Filter) -> Box<dyn Subscription> {
        Box::new(Follower::new(Arc::clone(&self.memory), from, filter))
    }

    fn watch(&self, stream: &StreamId) -> Box<dyn Watch> {
        Box::new(Watcher::new(Arc::clone(&self.memory), stream))
    }

    fn acquire<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Lease, LeaseError>> {
        Box::pin(async move { self.lock().acquire(stream, self.host) })
    }

    fn renew<'a>(&'a self, stream: &'a StreamId, epoch: Epoch) -> BoxFuture<'a, Result<Lease, LeaseError>> {
        Box::pin(async move { self.lock().renew(stream, epoch, self.host) })
    }

    fn release<'a>(&'a self, stream: &'a StreamId, epoch: Epoch) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move {
            self.lock().release(stream, epoch);
            Ok(())
        })
    }

    fn holder<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Option<HostId>, LeaseError>> {
        Box::pin(async move { Ok(self.lock().holder(stream)) })
    }
}

impl Blobs for MemoryJournal {
    fn put(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<Sha256, LogError>> {
        Box::pin(async move {
            let sha256 = Sha256::of(&bytes);
            self.lock().blobs.insert(sha256, bytes);
            Ok(sha256)
        })
    }

    fn get(&self, sha256: Sha256) -> BoxFuture<'_, Result<Option<Vec<u8>>, LogError>> {
        Box::pin(async move {
            let bytes = self.lock().blobs.get(&sha256).cloned();
            bytes.map(|bytes| blobs::check(sha256, bytes)).transpose()
        })
    }
}
