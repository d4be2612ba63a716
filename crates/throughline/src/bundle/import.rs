//! Taking a session over from a folder: first everything is checked, then blobs are stored, then what it stands on, then
//! its own events. Whatever is cut off in between is completed by the same import.

use super::check::{self, BundleError, Checked};
use crate::Throughline;
use contract::id::{SessionId, Sha256, StreamId};
use contract::limits::{APPEND_BYTES_MAX, APPEND_EVENTS_MAX};
use contract::machine::Rest;
use contract::port::{AppendError, LogError};
use contract::units::{Epoch, Version};
use journal::Import;
use std::path::Path;

/// How often an append of which nobody knows whether it is stored is made again.
const TRIES_MAX: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    pub session: SessionId,
    pub events: u64,
    /// Of the last event.
    pub hash: Sha256,
    /// Events of it that were here already.
    pub known: u64,
    pub blobs: usize,
    /// Sessions that it stands on.
    pub parents: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// Another session, or another continuation of this one, has the name here.
    #[error("the session {session} is here already and differs from event {version} on")]
    Differs { session: SessionId, version: Version },
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Append(#[from] AppendError),
}

impl Throughline {
    /// Stores the session of an exported folder under its own name, with its own bytes. It stands still until somebody
    /// resumes it: what it was copied from may go on elsewhere.
    pub async fn import(&self, folder: &Path) -> Result<Imported, ImportError> {
        let bundle = check::read(folder)?;
        let mut known = Vec::new();
        for (place, part) in bundle.sessions.iter().enumerate() {
            // What another session stands on may have gone on here.
            known.push(self.known(part, place > 0).await?);
        }
        let imported = Imported {
            session: bundle.sessions[0].session,
            events: bundle.sessions[0].events.len() as u64,
            hash: bundle.sessions[0].hashes.last().copied().unwrap_or(journal::GENESIS),
            known: known[0].0,
            blobs: bundle.blobs.len(),
            parents: bundle.sessions.len() - 1,
        };
        for bytes in bundle.blobs {
            self.ports.blobs.put(bytes).await?;
        }
        for (part, known) in bundle.sessions.into_iter().zip(known).rev() {
            self.take_over(part, known).await?;
        }
        Ok(imported)
    }

    /// How many of these events are here already. Any other event under this name is a conflict.
    async fn known(&self, part: &Checked, may_go_on: bool) -> Result<Version, ImportError> {
        let (stream, events) = (StreamId::session(part.session), part.events.len() as u64);
        let here = self.log().tail(&stream).await?.map_or(Version::NONE, |tail| tail.version);
        let both = Version(here.0.min(events));
        let differs = |version: Version| ImportError::Differs { session: part.session, version };
        runtime::read::part(self.log(), &stream, Version::NONE, both, |stored| {
            let version = stored.event.version;
            let same = part.hashes.get(version.0 as usize - 1) == Some(&stored.hash);
            if same { Ok(()) } else { Err(differs(version)) }
        })
        .await?;
        if here.0 > events && !may_go_on {
            return Err(differs(Version(events + 1)));
        }
        Ok(both)
    }

    async fn take_over(&self, part: Checked, known: Version) -> Result<(), AppendError> {
        let stream = StreamId::session(part.session);
        let mut base = known;
        let mut left = part.events.into_iter().skip(known.0 as usize).peekable();
        while left.peek().is_some() {
            let (mut events, mut bytes) = (Vec::new(), 0);
            while let Some(event) = left.next_if(|event| events.len() < APPEND_EVENTS_MAX && bytes + event.len() <= APPEND_BYTES_MAX) {
                bytes += event.len();
                events.push(event);
            }
            if events.is_empty() {
                return Err(AppendError::TooLarge { what: "bytes in one event", found: APPEND_BYTES_MAX + 1, max: APPEND_BYTES_MAX });
            }
            let count = events.len();
            // An epoch that no event names: whoever checks the session sees that it stands still on purpose.
            let epoch = Epoch(part.epoch.0 + 1);
            let import = Import { stream: stream.clone(), base, events, rest: Rest::Waiting, epoch };
            self.store_events(import).await?;
            base = base.plus(count);
        }
        Ok(())
    }

    async fn store_events(&self, import: Import) -> Result<(), AppendError> {
        for _ in 0..TRIES_MAX {
            match self.journal.import(import.clone()).await {
                Ok(_) => return Ok(()),
                // The log tells a repeat from a conflict.
                Err(AppendError::Unknown(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Err(AppendError::Unknown(format!("asked {TRIES_MAX} times")))
    }
}
