//! Planted bugs: the explorer switches one on per search and must catch it by name.
//!
//! Without the feature `planted` every question here is answered "no" at compile time.

use crate::id::{EventId, StreamId};
use crate::units::Version;

macro_rules! bugs {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Bug { $($(#[$doc])* $name,)* }

        impl Bug {
            pub const ALL: &'static [Bug] = &[$(Bug::$name,)*];

            /// The name by which the explorer reports the bug.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Bug::$name => $text,)* }
            }
        }
    };
}

bugs! {
    /// Facts are named after the version they land at.
    IdsByPlace = "ids-by-place";
    /// Facts get a new name each time they are made.
    RandomIds = "random-ids";
    /// An effect starts while the append of its intent is under way.
    RunBeforeStarted = "run-before-started-is-durable";
    /// After a crash an unsafe tool is simply started again.
    RerunUnsafe = "rerun-unsafe-on-start";
    /// An append with unknown outcome counts as not stored.
    UnknownAsFailure = "unknown-taken-as-failure";
    /// An append with unknown outcome counts as stored.
    UnknownAsSuccess = "unknown-taken-as-success";
    /// An owner goes on deciding after another one took the stream.
    StaleOwner = "stale-owner-commits";
    /// A result is recorded on whatever attempt is open.
    LateResult = "late-result-on-wrong-attempt";
    /// An approval counts for whatever call stands in the slot, whatever its arguments.
    AskUnbound = "ask-not-bound-to-args";
    /// A wait that is over fires again.
    TimerTwice = "timer-fired-twice";
    /// Whoever said something is told that it is recorded while it is not.
    AcknowledgedEarly = "message-acknowledged-before-append";
    /// What was said while a decision was being made is dropped when another writer was first.
    InterjectionLost = "interjection-lost-between-decision-and-append";
    /// A stopped call leaves the conversation without a result.
    ResultMissing = "missing-tool-result-after-cancel";
    /// A message that comes soon after another one counts as its repeat.
    DedupeByTime = "dedupe-by-time-window";
    /// An approval never lapses.
    ApprovalForEver = "approval-outlives-its-hour";
    /// The note of a deferred call is replaced by its result when that comes.
    NoteRewritten = "deferred-note-rewritten";
    /// What a session has seen does not make it careful.
    TaintForgotten = "taint-forgotten";
    /// The next owner does not know what the one before was to bring elsewhere.
    DeliveryForgotten = "delivery-forgotten-by-the-next-owner";
}

#[cfg(feature = "planted")]
mod switch {
    use super::Bug;
    use std::cell::Cell;

    thread_local! {
        static ACTIVE: Cell<Option<Bug>> = const { Cell::new(None) };
        static COUNTER: Cell<u64> = const { Cell::new(0) };
    }

    pub fn plant(bug: Option<Bug>) {
        ACTIVE.set(bug);
    }

    pub fn active(bug: Bug) -> bool {
        ACTIVE.get() == Some(bug)
    }

    pub fn fresh_number() -> u64 {
        COUNTER.set(COUNTER.get() + 1);
        COUNTER.get()
    }
}

#[cfg(feature = "planted")]
pub use switch::plant;

/// Whether this bug is switched on in this thread.
#[must_use]
pub fn active(bug: Bug) -> bool {
    #[cfg(feature = "planted")]
    return switch::active(bug);
    #[cfg(not(feature = "planted"))]
    {
        let _ = bug;
        false
    }
}

/// The wrong id that a planted naming bug would mint for a fact.
pub(crate) fn misnamed(stream: &StreamId, base: Version) -> Option<EventId> {
    #[cfg(feature = "planted")]
    {
        let place = stream.as_str().as_bytes();
        if switch::active(Bug::IdsByPlace) {
            return Some(EventId(crate::id::derive("place", &[place, &base.0.to_be_bytes()])));
        }
        if switch::active(Bug::RandomIds) {
            return Some(EventId(crate::id::derive("random", &[place, &switch::fresh_number().to_be_bytes()])));
        }
    }
    let _ = (stream, base);
    None
}
