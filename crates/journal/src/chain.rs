//! The hash chain of a stream, and the walk along it that every read is.
//!
//! Owns what makes stored events trustworthy: dense versions, growing positions, hashes that follow from each
//! other, bytes that say what their row says, and a tail that is still there. Must not know where rows come from.

use contract::event::Event;
use contract::id::{EventId, Sha256, StreamId};
use contract::port::{LogError, Stored, Tail};
use contract::units::{Position, Version};
use sha2::{Digest, Sha256 as Hasher};

/// The hash before the first event of every stream.
pub const GENESIS: Sha256 = Sha256([0; 32]);

/// Hash of an event: SHA-256 over the previous hash and the stored bytes.
#[must_use]
pub fn link(previous: Sha256, bytes: &[u8]) -> Sha256 {
    let mut hasher = Hasher::new();
    hasher.update(previous.0);
    hasher.update(bytes);
    Sha256(hasher.finalize().into())
}

/// What a whole stream that passed every check consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    pub events: u64,
    /// Hash of the last event.
    pub hash: Sha256,
}

/// An event as it lies in storage, not checked yet.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub version: Version,
    pub position: Position,
    pub id: EventId,
    pub hash: Sha256,
    pub bytes: Vec<u8>,
}

impl Row {
    pub fn link(&self) -> Link {
        Link { version: self.version, position: self.position, hash: self.hash }
    }
}

/// The place of an event in the chain, without the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub version: Version,
    pub position: Position,
    pub hash: Sha256,
}

/// Checks the rows of one stream, one after the other, against each other and against the recorded tail.
pub(crate) struct Walk<'a> {
    tail: &'a Tail,
    at: Link,
}

impl<'a> Walk<'a> {
    /// Starts before the first event.
    pub fn from_start(tail: &'a Tail) -> Walk<'a> {
        Walk { tail, at: Link { version: Version::NONE, position: Position::default(), hash: GENESIS } }
    }

    /// Starts after an event that the reader already has, at most the tail.
    pub fn after(tail: &'a Tail, previous: Link) -> Result<Walk<'a>, LogError> {
        let walk = Walk { tail, at: previous };
        walk.check_tail()?;
        Ok(walk)
    }

    /// Takes the next row. The chain is checked first and the event decoded after, so that damage is told from an
    /// event of a newer program.
    pub fn step(&mut self, row: Row) -> Result<Stored, LogError> {
        let version = self.at.version.next();
        if row.version != version {
            return Err(corrupt(&self.tail.stream, version, format!("the event is missing, version {} follows", row.version)));
        }
        if version > self.tail.version {
            return Err(corrupt(&self.tail.stream, version, format!("the event lies behind the recorded tail {}", self.tail.version)));
        }
        if row.position <= self.at.position {
            return Err(corrupt(&self.tail.stream, version, "its position is not above that of the event before".to_owned()));
        }
        let hash = link(self.at.hash, &row.bytes);
        if row.hash != hash {
            return Err(corrupt(&self.tail.stream, version, format!("its hash is {}, its bytes give {hash}", row.hash)));
        }
        self.at = Link { version, position: row.position, hash };
        self.check_tail()?;
        let event = Event::decode(&self.tail.stream, &row.bytes).map_err(|source| LogError::Unreadable {
            stream: self.tail.stream.clone(),
            version,
            source,
        })?;
        if event.version != version || event.draft.id != row.id {
            let said = format!("its bytes say version {} and id {}, its row says id {}", event.version, event.draft.id, row.id);
            return Err(corrupt(&self.tail.stream, version, said));
        }
        Ok(Stored { position: row.position, hash, bytes: row.bytes, event })
    }

    /// Called when storage has no further row: the recorded tail must have been reached.
    pub fn end(self) -> Result<Link, LogError> {
        if self.at.version < self.tail.version {
            let reason = format!("the event is missing, the recorded tail is {}", self.tail.version);
            return Err(corrupt(&self.tail.stream, self.at.version.next(), reason));
        }
        Ok(self.at)
    }

    fn check_tail(&self) -> Result<(), LogError> {
        let tail = Link { version: self.tail.version, position: self.tail.position, hash: self.tail.hash };
        if self.at.version != tail.version || self.at == tail {
            return Ok(());
        }
        Err(corrupt(&self.tail.stream, tail.version, format!("its hash is {}, the recorded tail has {}", self.at.hash, tail.hash)))
    }
}

pub(crate) fn corrupt(stream: &StreamId, version: Version, reason: String) -> LogError {
    LogError::Corrupt { stream: stream.clone(), version, reason }
}
