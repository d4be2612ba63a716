//! A small pool of connections that only read.
//!
//! Owns where reads run: never on a thread of the async runtime, each in one transaction, so that a stream's row and
//! its events are of the same moment. Must not know any query.

use super::schema;
use contract::port::{LeaseError, LogError};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use tokio::task;

/// Reads at the same time: enough that one long read does not hold up the rest, few enough to keep their caches small.
const READERS_MAX: usize = 4;

#[derive(Clone)]
pub(super) struct Readers {
    path: Arc<PathBuf>,
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
}

/// An error that can say that a read did not take place.
pub(super) trait Unread {
    fn unread(reason: String) -> Self;
}

impl Unread for LogError {
    fn unread(reason: String) -> LogError {
        LogError::Unavailable(reason)
    }
}

impl Unread for LeaseError {
    fn unread(reason: String) -> LeaseError {
        LeaseError::Unavailable(reason)
    }
}

impl Readers {
    pub fn new(path: PathBuf) -> Readers {
        Readers { path: Arc::new(path), idle: Arc::default(), permits: Arc::new(Semaphore::new(READERS_MAX)) }
    }

    pub fn path(&self) -> Arc<PathBuf> {
        Arc::clone(&self.path)
    }

    pub async fn run<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: Unread + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|closed| E::unread(closed.to_string()))?;
        let (path, idle) = (Arc::clone(&self.path), Arc::clone(&self.idle));
        off_thread(move || {
            // The permit lives as long as the work, also when nobody waits for it any more.
            let _permit = permit;
            let pooled = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let sqlite = |error: rusqlite::Error| E::unread(error.to_string());
            let mut connection = match pooled {
                Some(connection) => connection,
                None => schema::open_reader(&path).map_err(sqlite)?,
            };
            let transaction = connection.transaction().map_err(sqlite)?;
            let result = work(&transaction)?;
            // A rollback would make SQLite forget the tables and all prepared statements, and read and parse them anew
            // for every read.
            transaction.commit().map_err(sqlite)?;
            // A connection whose read failed is not used again: whatever it has cached goes with it.
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            Ok(result)
        })
        .await
    }
}

/// Runs work that blocks on a thread made for it.
pub(super) async fn off_thread<T, E, F>(work: F) -> Result<T, E>
where
    T: Send + 'static,
    E: Unread + Send + 'static,
    F: FnOnce() -> Result<T, E> + Send + 'static,
{
    task::spawn_blocking(work).await.unwrap_or_else(|ended| Err(E::unread(ended.to_string())))
}
