//! Subscriptions and watches, the same for every kind of storage.
//!
//! Owns the order read, tell, wait. Must not know how a page is read: that is the source's.

use crate::board::{Board, Mark, Marks};
use contract::filter::Filter;
use contract::id::StreamId;
use contract::port::{BoxFuture, Delivered, Delivery, LogError, Stored, Subscription, Tail, Watch};
use contract::units::{Position, Version};
use std::collections::VecDeque;
use std::sync::Arc;

/// Rows of one page, so that a subscriber far behind does not hold a reader for long.
pub(crate) const PAGE_ROWS_MAX: usize = 1_024;
/// Bytes of events in one page, beyond its last event: what a subscriber holds that is not asked for the next.
pub(crate) const PAGE_BYTES_MAX: usize = 1024 * 1024;

/// Where pages come from.
pub(crate) trait Source: Send + Sync + 'static {
    /// Where it is announced how far the log reaches.
    fn board(&self) -> &Board;

    /// Ends when everything that is appended from then on is sure to be announced on the board.
    fn listening(&self) -> BoxFuture<'_, Result<(), LogError>>;

    /// What follows a position.
    fn page(&self, after: Position, filter: Filter) -> BoxFuture<'_, Result<Page, LogError>>;

    fn tail(&self, stream: StreamId) -> BoxFuture<'_, Result<Option<Tail>, LogError>>;
}

/// Some of what follows a position.
#[derive(Debug)]
pub(crate) struct Page {
    /// What the filter matched, and the damage in the place of what it may have matched.
    pub found: Vec<Result<Delivered, LogError>>,
    /// Up to here everything was looked at; at the end of the log, its end.
    pub reached: Position,
    /// Whether there is more behind it.
    pub is_last: bool,
}

/// A page while it is gathered, row by row.
#[derive(Debug)]
pub(crate) struct Gathering<'a> {
    filter: &'a Filter,
    found: Vec<Result<Delivered, LogError>>,
    reached: Position,
    rows: usize,
    bytes: usize,
}

impl<'a> Gathering<'a> {
    pub fn new(filter: &'a Filter, after: Position) -> Gathering<'a> {
        Gathering { filter, found: Vec::new(), reached: after, rows: 0, bytes: 0 }
    }

    pub fn is_full(&self) -> bool {
        self.rows >= PAGE_ROWS_MAX || self.bytes >= PAGE_BYTES_MAX
    }

    /// Looks at an event, or at the damage in its place.
    pub fn add(&mut self, stream: &StreamId, position: Position, stored: Result<Stored, LogError>) {
        match stored {
            Ok(stored) if self.filter.matches(stream, stored.event.draft.body.name()) => {
                self.pass(position);
                self.bytes += stored.bytes.len();
                self.found.push(Ok(Delivered { stream: stream.clone(), stored }));
            }
            Ok(_) => self.pass(position),
            Err(damage) => self.add_damage(position, damage),
        }
    }

    pub fn add_damage(&mut self, position: Position, damage: LogError) {
        self.pass(position);
        self.found.push(Err(damage));
    }

    /// Goes on behind an event that the filter cannot match.
    pub fn pass(&mut self, position: Position) {
        self.rows += 1;
        self.reached = self.reached.max(position);
    }

    /// There is more to look at.
    pub fn more(self) -> Page {
        Page { found: self.found, reached: self.reached, is_last: false }
    }

    /// Everything up to the end of the log was looked at.
    pub fn end(self, end: Position) -> Page {
        Page { found: self.found, reached: self.reached.max(end), is_last: true }
    }
}

pub(crate) struct Follower<S> {
    source: Arc<S>,
    filter: Filter,
    marks: Marks,
    /// Everything up to here is told or stands in `ready`.
    at: Position,
    ready: VecDeque<Result<Delivery, LogError>>,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Not sure yet to hear of what is appended.
    New,
    Reading,
    /// The end was reached and told.
    AtEnd,
}

impl<S: Source> Follower<S> {
    pub fn new(source: Arc<S>, from: Position, filter: Filter) -> Follower<S> {
        let marks = source.board().follow(filter.only_stream());
        Follower { source, filter, marks, at: from, ready: VecDeque::new(), stage: Stage::New }
    }

    /// A step that is interrupted has changed nothing and is made again.
    async fn step(&mut self) -> Result<(), LogError> {
        match self.stage {
            Stage::New => {
                self.source.listening().await?;
                self.stage = Stage::Reading;
            }
            Stage::Reading => {
                let page = self.source.page(self.at, self.filter.clone()).await?;
                self.at = page.reached;
                self.ready.extend(page.found.into_iter().map(|found| found.map(|event| Delivery::Event(Box::new(event)))));
                if page.is_last {
                    self.ready.push_back(Ok(Delivery::CaughtUp(page.reached)));
                    self.stage = Stage::AtEnd;
                }
            }
            Stage::AtEnd => {
                // What is announced behind this place was not read yet, so the end that is told next is another one.
                let at = self.at;
                if self.marks.wait_for(|mark| mark.position > at).await.is_err() {
                    // Whoever asks again follows anew.
                    self.marks = self.source.board().follow(self.filter.only_stream());
                    self.stage = Stage::New;
                    return Err(closed());
                }
                self.stage = Stage::Reading;
            }
        }
        Ok(())
    }
}

impl<S: Source> Subscription for Follower<S> {
    fn next(&mut self) -> BoxFuture<'_, Result<Delivery, LogError>> {
        Box::pin(async move {
            loop {
                if let Some(ready) = self.ready.pop_front() {
                    return ready;
                }
                self.step().await?;
            }
        })
    }
}

pub(crate) struct Watcher<S> {
    source: Arc<S>,
    stream: StreamId,
    marks: Marks,
    /// How far the stream reached when this watcher was sure to hear of more; then the marks tell.
    at_first: Option<Version>,
}

impl<S: Source> Watcher<S> {
    pub fn new(source: Arc<S>, stream: &StreamId) -> Watcher<S> {
        let marks = source.board().follow(Some(stream));
        Watcher { source, stream: stream.clone(), marks, at_first: None }
    }

    async fn first_version(&mut self) -> Result<Version, LogError> {
        if let Some(version) = self.at_first {
            return Ok(version);
        }
        self.source.listening().await?;
        let tail = self.source.tail(self.stream.clone()).await?;
        Ok(*self.at_first.insert(tail.map_or(Version::NONE, |tail| tail.version)))
    }
}

impl<S: Source> Watch for Watcher<S> {
    fn beyond(&mut self, version: Version) -> BoxFuture<'_, Result<(), LogError>> {
        Box::pin(async move {
            if self.first_version().await? > version {
                return Ok(());
            }
            if self.marks.wait_for(|mark: &Mark| mark.version > version).await.is_err() {
                // Whoever asks again watches anew.
                self.marks = self.source.board().follow(Some(&self.stream));
                self.at_first = None;
                return Err(closed());
            }
            Ok(())
        })
    }
}

fn closed() -> LogError {
    LogError::Unavailable("the log is no longer followed".to_owned())
}

/// A position is only of use for the log that gave it: one behind the end would hide everything up to it.
pub(crate) fn check_start(after: Position, end: Position) -> Result<(), LogError> {
    if after <= end {
        return Ok(());
    }
    Err(LogError::Unavailable(format!("position {} lies behind the end of the log, which is {}", after.0, end.0)))
}
