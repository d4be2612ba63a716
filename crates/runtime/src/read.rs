//! Reads a stream page by page, so that a long one does not stand in memory whole.

use contract::id::StreamId;
use contract::port::{Log, LogError, Stored};
use contract::units::Version;

/// Events read at once.
const PAGE: usize = 1_000;

/// Shows every event after this version, until there are no more or `look` has seen enough.
pub async fn each<E: From<LogError>>(
    log: &dyn Log,
    stream: &StreamId,
    after: Version,
    mut look: impl FnMut(&Stored) -> Result<(), E>,
) -> Result<(), E> {
    let mut next = after.next();
    loop {
        let stored = log.read(stream, next, PAGE).await?;
        for one in &stored {
            look(one)?;
            next = one.event.version.next();
        }
        if stored.len() < PAGE {
            return Ok(());
        }
    }
}
