//! Lists kept beside the log for whoever asks. They are derived and never the truth: no decision reads them.

use crate::event::Event;
use crate::id::StreamId;
use crate::units::Position;

/// The rows of all lists, by list and key.
pub trait Rows {
    fn get(&mut self, list: &'static str, key: &str) -> Option<String>;

    /// Adds or replaces a row; `order` is its place in the list.
    fn put(&mut self, list: &'static str, key: &str, order: u64, row: String);

    fn remove(&mut self, list: &'static str, key: &str);
}

/// What the lists say after each event of the log, in the order of positions.
pub trait Projection: Send + Sync {
    /// Grows with every change of what rows mean; rows of another version are made anew from the whole log.
    fn version(&self) -> u32;

    /// Must not fail, whatever the log holds: a list with a gap is worth more than none.
    fn see(&self, rows: &mut dyn Rows, stream: &StreamId, position: Position, event: &Event);
}
