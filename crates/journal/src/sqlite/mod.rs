//! The log on SQLite: one database in the data folder, one writer thread and a few readers a process.
//!
//! Owns opening, and the path of each call to the writer or to a reader. Must not run SQL on the caller's thread.

mod append;
mod bell;
mod blob;
mod column;
mod hub;
mod job;
mod lease;
mod open;
mod page;
mod query;
mod reader;
mod schema;
mod stop;
pub(crate) mod trouble;
mod tuning;
mod writer;

pub use blob::BlobFault;
pub use open::{OpenError, Options};
pub use schema::VERSION as FORMAT;
pub use tuning::{Loss, Tuning};

use crate::append::{Import, Prepared};
use crate::blobs::BlobFolder;
use crate::chain::Verified;
use crate::follow::{Follower, Watcher};
use crate::hosts::Hosts;
use blob::Look;
use contract::event::NamedBlob;
use contract::filter::Filter;
use contract::id::{HostId, Sha256, StreamId};
use contract::limits::BLOB_ROW_BYTES_MAX;
use contract::machine::RestClass;
use contract::port::{
    Append, AppendError, Appended, Blobs, BoxFuture, Lease, LeaseError, Log, LogError, Stored, Subscription, Tail, Watch,
};
use contract::units::{Epoch, Position, Version};
use hub::Hub;
use job::{Job, Ticket};
use reader::Readers;
use rusqlite::Connection;
use std::fmt;
use std::sync::{Arc, OnceLock};
use writer::{Lost, Writer};

/// One host on the log in a data folder. Dropping it waits for the writer, then ends the host.
pub struct SqliteJournal {
    // Fields are dropped in this order: the host stays alive until its last write is done.
    readers: Readers,
    hub: Arc<Hub>,
    writer: Writer,
    blobs: Arc<BlobFolder>,
    /// Set when the database was found whole: it is as large as all streams together, so it is looked at once.
    is_whole: Arc<OnceLock<()>>,
    hosts: Arc<Hosts>,
}

impl SqliteJournal {
    /// Opens the log in the folder, or makes both. Blocks for some file operations; never reads the whole log.
    pub fn open(options: Options) -> Result<SqliteJournal, OpenError> {
        open::open(options, Tuning::default())
    }

    /// Opens the log with other limits, so that a test meets a full disk or a busy database at once.
    #[doc(hidden)]
    pub fn open_tuned(options: Options, tuning: Tuning) -> Result<SqliteJournal, OpenError> {
        open::open(options, tuning)
    }

    #[must_use]
    pub fn host(&self) -> HostId {
        self.hosts.me()
    }

    /// Reads and checks every event of a stream with the blobs that it names, and that no id occurs twice in it; once
    /// also the database around the streams.
    pub async fn verify(&self, stream: &StreamId) -> Result<Verified, LogError> {
        let (stream, blobs, is_whole) = (stream.clone(), Arc::clone(&self.blobs), Arc::clone(&self.is_whole));
        let verify = move |connection: &Connection| {
            // The stream first: damage that can be named is named.
            let verified = query::verify(connection, Some(&blobs), &stream)?;
            if is_whole.get().is_none() {
                query::check_database(connection)?;
                // Another stream may have been first.
                let _ = is_whole.set(());
            }
            Ok(verified)
        };
        self.readers.run(verify).await
    }

    /// The same without the blobs and the database, which reads only the events.
    pub async fn verify_events(&self, stream: &StreamId) -> Result<Verified, LogError> {
        let stream = stream.clone();
        self.readers.run(move |connection| query::verify(connection, None, &stream)).await
    }

    /// Those of the blobs that are not there with their size. Nothing of them is read, so what has changed without
    /// growing is not noticed.
    pub async fn missing_blobs(&self, named: Vec<NamedBlob>) -> Result<Vec<(NamedBlob, BlobFault)>, LogError> {
        let blobs = Arc::clone(&self.blobs);
        let look = move |connection: &Connection| {
            let faults = named.iter().filter_map(|one| Some((*one, blob::fault(connection, &blobs, *one, Look::Size)?)));
            Ok(faults.collect())
        };
        self.readers.run(look).await
    }

    /// The highest epoch under which the stream was ever owned.
    pub async fn epoch(&self, stream: &StreamId) -> Result<Epoch, LogError> {
        let stream = stream.clone();
        let look = move |connection: &Connection| {
            lease::epoch(connection, &stream).map(Option::unwrap_or_default).map_err(|error| query::at(&stream, Version::NONE, error))
        };
        self.readers.run(look).await
    }

    /// Every stream of the log, by name.
    pub async fn stream_names(&self) -> Result<Vec<StreamId>, LogError> {
        self.readers.run(query::stream_names).await
    }

    /// Pages read by all subscriptions so far: what following costs.
    #[doc(hidden)]
    #[must_use]
    pub fn pages_read(&self) -> u64 {
        self.hub.pages_read()
    }

    /// Stores events of another log with their versions and bytes, so that their hashes are the same here.
    pub async fn import(&self, import: Import) -> Result<Appended, AppendError> {
        self.store(Prepared::import(import)?).await
    }

    async fn store(&self, append: Prepared) -> Result<Appended, AppendError> {
        let lost = |lost: Lost| match lost {
            Lost::NotQueued => AppendError::Broken(lost.to_string()),
            Lost::Unanswered => AppendError::Unknown(lost.to_string()),
        };
        self.write(|ticket| Job::Append { append, ticket }, lost).await
    }

    /// Queues a job and waits for its answer; `lost` says what the caller is told when there is none.
    async fn write<T, E>(&self, job: impl FnOnce(Ticket<T, E>) -> Job, lost: impl FnOnce(Lost) -> E) -> Result<T, E> {
        let (ticket, answer) = Ticket::new();
        match self.writer.submit(job(ticket)).await {
            Ok(()) => answer.await.unwrap_or_else(|_| Err(lost(Lost::Unanswered))),
            Err(not_queued) => Err(lost(not_queued)),
        }
    }
}

impl Drop for SqliteJournal {
    fn drop(&mut self) {
        // Subscriptions may outlive the journal, and must not wait for what nobody announces.
        self.hub.end();
    }
}

impl fmt::Debug for SqliteJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteJournal").field("host", &self.hosts.me()).finish_non_exhaustive()
    }
}

impl Log for SqliteJournal {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<Appended, AppendError>> {
        Box::pin(async move { self.store(Prepared::new(append)?).await })
    }

    fn read<'a>(&'a self, stream: &'a StreamId, from: Version, max: usize) -> BoxFuture<'a, Result<Vec<Stored>, LogError>> {
        let stream = stream.clone();
        Box::pin(self.readers.run(move |connection| query::read(connection, &stream, from, max)))
    }

    fn tail<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Option<Tail>, LogError>> {
        let stream = stream.clone();
        Box::pin(self.readers.run(move |connection| query::tail(connection, &stream)))
    }

    fn streams<'a>(&'a self, kind: &'a str, max: usize) -> BoxFuture<'a, Result<Vec<Tail>, LogError>> {
        let kind = kind.to_owned();
        Box::pin(self.readers.run(move |connection| query::streams(connection, &kind, max)))
    }

    fn resting<'a>(&'a self, class: RestClass, after: Option<&'a Tail>, max: usize) -> BoxFuture<'a, Result<Vec<Tail>, LogError>> {
        let after = after.cloned();
        Box::pin(self.readers.run(move |connection| query::resting(connection, class, after.as_ref(), max)))
    }

    fn subscribe(&self, from: Position, filter: Filter) -> Box<dyn Subscription> {
        self.hub.start();
        Box::new(Follower::new(Arc::clone(&self.hub), from, filter))
    }

    fn watch(&self, stream: &StreamId) -> Box<dyn Watch> {
        self.hub.start();
        Box::new(Watcher::new(Arc::clone(&self.hub), stream))
    }

    fn acquire<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Lease, LeaseError>> {
        let stream = stream.clone();
        Box::pin(self.write(|ticket| Job::Acquire { stream, ticket }, |lost| LeaseError::Unavailable(lost.to_string())))
    }

    fn renew<'a>(&'a self, stream: &'a StreamId, epoch: Epoch) -> BoxFuture<'a, Result<Lease, LeaseError>> {
        let (stream, me) = (stream.clone(), self.hosts.me());
        Box::pin(self.readers.run(move |connection| lease::renew(connection, me, &stream, epoch)))
    }

    fn release<'a>(&'a self, stream: &'a StreamId, epoch: Epoch) -> BoxFuture<'a, Result<(), LeaseError>> {
        let stream = stream.clone();
        Box::pin(self.write(move |ticket| Job::Release { stream, epoch, ticket }, |lost| LeaseError::Unavailable(lost.to_string())))
    }

    fn holder<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Option<HostId>, LeaseError>> {
        let stream = stream.clone();
        let hosts = Arc::clone(&self.hosts);
        Box::pin(self.readers.run(move |connection| lease::holder(connection, &hosts, &stream)))
    }
}

impl Blobs for SqliteJournal {
    fn put(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<Sha256, LogError>> {
        Box::pin(async move {
            let sha256 = Sha256::of(&bytes);
            if bytes.len() <= BLOB_ROW_BYTES_MAX {
                let lost = |lost: Lost| LogError::Unavailable(lost.to_string());
                self.write(|ticket| Job::PutBlob { sha256, bytes, ticket }, lost).await?;
            } else {
                let blobs = Arc::clone(&self.blobs);
                reader::off_thread(move || {
                    blobs.put(sha256, &bytes).map_err(|error| LogError::Unavailable(format!("blob sha256:{sha256} is not stored: {error}")))
                })
                .await?;
            }
            Ok(sha256)
        })
    }

    fn get(&self, sha256: Sha256) -> BoxFuture<'_, Result<Option<Vec<u8>>, LogError>> {
        let blobs = Arc::clone(&self.blobs);
        Box::pin(self.readers.run(move |connection| blob::stored(connection, &blobs, sha256)))
    }
}
