//! An append made ready for storage, and the checks it must pass, shared by all implementations.
//!
//! Owns limits, fence, repeat and tail. Must not store anything or look anything up: what is stored is an argument.

use contract::event::Event;
use contract::id::{EventId, StreamId};
use contract::limits::{APPEND_BYTES_MAX, APPEND_EVENTS_MAX};
use contract::machine::Rest;
use contract::port::{Append, AppendError, Appended, Fence};
use contract::units::{Epoch, Position, Time, Version};

/// An append whose events are encoded. Encoding happens before the queue, so the writer only stores bytes.
pub(crate) struct Prepared {
    pub stream: StreamId,
    /// The version that the events follow; zero for a stream that must not exist.
    pub base: Version,
    pub time: Time,
    pub fence: Option<Fence>,
    pub rest: Rest,
    /// The epoch under which another log had it owned; here too nobody owns it under that one again.
    pub owned: Option<Epoch>,
    /// Never empty.
    pub events: Vec<Encoded>,
}

/// Events that another log holds, to be stored byte for byte.
#[derive(Clone, Debug)]
pub struct Import {
    pub stream: StreamId,
    /// The version that they follow.
    pub base: Version,
    /// The stored bytes of each.
    pub events: Vec<Vec<u8>>,
    pub rest: Rest,
    /// The highest epoch under which they were written.
    pub epoch: Epoch,
}

pub(crate) struct Encoded {
    pub version: Version,
    pub id: EventId,
    pub bytes: Vec<u8>,
}

impl Prepared {
    pub fn new(append: Append) -> Result<Prepared, AppendError> {
        let Append { stream, expected, time, drafts, fence, rest } = append;
        if drafts.is_empty() {
            return Err(AppendError::Unavailable("an append needs at least one event".to_owned()));
        }
        at_most("events in one append", drafts.len(), APPEND_EVENTS_MAX)?;
        let base = expected.version();
        let mut events = Vec::with_capacity(drafts.len());
        let mut bytes_total = 0;
        for (version, draft) in versions_after(base).zip(drafts) {
            let id = draft.id;
            let event = Event { version, time, draft };
            let bytes = event.encode(&stream).map_err(|error| AppendError::Unavailable(format!("event {id} is not JSON: {error}")))?;
            bytes_total += bytes.len();
            events.push(Encoded { version, id, bytes });
        }
        at_most("bytes in one append", bytes_total, APPEND_BYTES_MAX)?;
        Ok(Prepared { stream, base, time, fence, rest, owned: None, events })
    }

    /// Nothing is encoded anew: an event of an older version keeps its bytes, and so its hash.
    pub fn import(import: Import) -> Result<Prepared, AppendError> {
        let Import { stream, base, events, rest, epoch } = import;
        at_most("events in one append", events.len(), APPEND_EVENTS_MAX)?;
        at_most("bytes in one append", events.iter().map(Vec::len).sum(), APPEND_BYTES_MAX)?;
        let mut time = Time::default();
        let mut encoded = Vec::with_capacity(events.len());
        for (version, bytes) in versions_after(base).zip(events) {
            let refused = |why: String| AppendError::Unavailable(format!("event {version} cannot be taken over: {why}"));
            let event = Event::decode(&stream, &bytes).map_err(|error| refused(error.to_string()))?;
            if event.version != version {
                return Err(refused(format!("it says version {}", event.version)));
            }
            time = event.time;
            encoded.push(Encoded { version, id: event.draft.id, bytes });
        }
        if encoded.is_empty() {
            return Err(AppendError::Unavailable("an append needs at least one event".to_owned()));
        }
        Ok(Prepared { stream, base, time, fence: None, rest, owned: Some(epoch), events: encoded })
    }

    /// First, the fence: a former owner learns nothing, not even that an append of its own was stored.
    pub fn check_fence(&self, lease: Option<Epoch>) -> Result<(), AppendError> {
        match self.fence {
            Some(fence) if lease != Some(fence.epoch) => Err(AppendError::Fenced { epoch: lease.unwrap_or_default() }),
            Some(_) | None => Ok(()),
        }
    }

    /// Second, the repeat: whether the stream is long enough to hold these events already.
    pub fn may_repeat(&self, tail: Version) -> bool {
        self.last() <= tail
    }

    /// Whether the ids stored at the versions of these events are exactly theirs.
    pub fn is_repeat_of(&self, stored: &[EventId]) -> bool {
        self.events.iter().map(|event| &event.id).eq(stored)
    }

    /// Third, the tail: nothing may follow the expected version.
    pub fn check_tail(&self, tail: Version) -> Result<(), AppendError> {
        if tail == self.base { Ok(()) } else { Err(AppendError::Conflict { actual: tail }) }
    }

    pub fn first(&self) -> Version {
        self.events.first().map_or(self.base, |event| event.version)
    }

    pub fn last(&self) -> Version {
        self.events.last().map_or(self.base, |event| event.version)
    }

    pub fn stored_now(&self, position: Position) -> Appended {
        Appended { first: self.first(), last: self.last(), position, replayed: false }
    }

    pub fn stored_before(&self, position: Position) -> Appended {
        Appended { first: self.first(), last: self.last(), position, replayed: true }
    }
}

fn at_most(what: &'static str, found: usize, max: usize) -> Result<(), AppendError> {
    if found <= max { Ok(()) } else { Err(AppendError::TooLarge { what, found, max }) }
}

/// A caller may expect any number; one at the end of the range saturates and then conflicts with the real tail.
fn versions_after(base: Version) -> impl Iterator<Item = Version> {
    (1u64..).map(move |offset| Version(base.0.saturating_add(offset)))
}
