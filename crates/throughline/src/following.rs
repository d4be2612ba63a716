//! The events of a session as they come, whoever makes them.

use crate::Throughline;
use contract::id::{SessionId, StreamId};
use contract::port::{Log, LogError, Stored, Watch};
use contract::units::Version;
use std::fmt;
use std::sync::Arc;

/// Events read at once.
const READ_MAX: usize = 1_000;

/// Events of one session from a version on, those that are there and those that come.
pub struct Following {
    log: Arc<dyn Log>,
    stream: StreamId,
    /// Everything before it was handed out.
    next: Version,
    watch: Box<dyn Watch>,
}

impl Throughline {
    #[must_use]
    pub fn follow(&self, session: SessionId, from: Version) -> Following {
        let stream = StreamId::session(session);
        let watch = self.log().watch(&stream);
        Following { log: self.ports.log.clone(), stream, next: from.max(Version::NONE.next()), watch }
    }
}

impl Following {
    /// The next events, at least one; at the end of the log it waits. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Result<Vec<Stored>, LogError> {
        loop {
            let stored = self.log.read(&self.stream, self.next, READ_MAX).await?;
            if let Some(last) = stored.last() {
                self.next = last.event.version.next();
                return Ok(stored);
            }
            self.watch.beyond(Version(self.next.0 - 1)).await?;
        }
    }
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("stream", &self.stream).field("next", &self.next).finish_non_exhaustive()
    }
}
