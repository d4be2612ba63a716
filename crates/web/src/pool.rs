//! Connections that wait for the next request to the same server.

use crate::limits::{IDLE_CONNECTION_MS_MAX, IDLE_CONNECTIONS_MAX};
use crate::post::{Origin, Whole};
use hyper::client::conn::http1::SendRequest;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// One connection: the half that sends, and the task that reads and writes.
#[derive(Debug)]
pub struct Line {
    pub sender: SendRequest<Whole>,
    pub task: AbortHandle,
}

/// The task owns the socket, so ending it closes the connection whatever state it is in.
impl Drop for Line {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[derive(Debug, Default)]
pub struct Pool {
    idle: Mutex<BTreeMap<Origin, Vec<(Instant, Line)>>>,
}

impl Pool {
    /// The connection used last, which is the least likely to be closed.
    pub fn take(&self, origin: &Origin) -> Option<Line> {
        let mut idle = self.lock();
        let lines = idle.get_mut(origin)?;
        let since_max = Duration::from_millis(IDLE_CONNECTION_MS_MAX);
        lines.retain(|(since, line)| since.elapsed() < since_max && !line.sender.is_closed());
        lines.pop().map(|(_, line)| line)
    }

    pub fn give_back(&self, origin: Origin, line: Line) {
        if line.sender.is_closed() {
            return;
        }
        let mut idle = self.lock();
        let lines = idle.entry(origin).or_default();
        lines.push((Instant::now(), line));
        if lines.len() > IDLE_CONNECTIONS_MAX {
            lines.remove(0);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Origin, Vec<(Instant, Line)>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
