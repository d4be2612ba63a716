//! Projections of the log into the lists that people ask for: work, open asks, what runs, what it cost.
//!
//! Owns what rows mean. Must not decide anything, and must not fail on any sequence of events: a log that no machine
//! would write gives lists that are odd, never none.

mod asks;
mod calls;
mod costs;
mod running;
mod work;

pub use asks::AskRow;
pub use costs::{CostRow, day_of};
pub use running::RunningRow;
pub use work::{ForkedFrom, Standing, WorkRow};

use contract::event::Event;
use contract::id::{SessionId, StreamId};
use contract::port::{Projection, Rows};
use contract::units::Position;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The lists, by name.
pub mod list {
    /// Sessions without a parent, by their last change.
    pub const WORK: &str = "work";
    /// Open asks, by when they were opened.
    pub const ASKS: &str = "asks";
    /// The session of every ask there ever was.
    pub const ASKED: &str = "asked";
    /// Attempts that were started and have not ended.
    pub const RUNNING: &str = "running";
    /// What models used, by day and model.
    pub const COSTS: &str = "costs";
    /// Open calls, which later events only refer to.
    pub(crate) const CALLS: &str = "calls";
}

/// All lists as one projection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lists;

impl Projection for Lists {
    fn version(&self) -> u32 {
        4
    }

    fn see(&self, rows: &mut dyn Rows, stream: &StreamId, position: Position, event: &Event) {
        if let Some(session) = stream.session_id() {
            let mut seen = Seen { rows, session, position, event };
            // Each list may look at calls and work as they were before this event.
            asks::see(&mut seen);
            running::see(&mut seen);
            costs::see(&mut seen);
            work::see(&mut seen);
            calls::see(&mut seen);
        }
    }
}

/// An event of a session, and the rows that it may change.
struct Seen<'a> {
    rows: &'a mut dyn Rows,
    session: SessionId,
    position: Position,
    event: &'a Event,
}

impl Seen<'_> {
    fn get<R: DeserializeOwned>(&mut self, list: &'static str, key: &str) -> Option<R> {
        // A row of another shape counts as missing: the version of the projection is there to prevent it.
        serde_json::from_str(&self.rows.get(list, key)?).ok()
    }

    fn put<R: Serialize>(&mut self, list: &'static str, key: &str, order: u64, row: &R) {
        // Strings, numbers and lists of such: nothing in it can fail to be JSON.
        let row = serde_json::to_string(row).unwrap_or_default();
        self.rows.put(list, key, order, row);
    }

    /// The key of the call that the event is about.
    fn call_key(&self) -> Option<String> {
        self.event.draft.call.map(|call| format!("{}/{call}", self.session))
    }
}

/// The beginning of a text, for lists.
fn excerpt(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
