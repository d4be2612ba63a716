//! `thru events`: what happened in a session, as the log has it.

use super::{open_existing, reader};
use crate::catalog::Problem;
use crate::fault::{Fault, code};
use crate::render::{Story, out};
use contract::id::SessionId;
use contract::port::{LogError, Stored};
use contract::units::Version;
use throughline::Throughline;
use tokio::signal::unix::{SignalKind, signal};

/// Events read at once.
const PAGE: usize = 1_000;

/// How events are told.
struct Telling {
    from: Version,
    story: Story,
    json: bool,
    /// What is read next; everything before it was told.
    next: Version,
}

pub async fn run(session: SessionId, from: Version, follow: bool, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    if throughline.tail(session).await?.is_none() {
        return Err(Fault::new(Problem::NoSession(&session.to_string())));
    }
    // The story needs what came before to name tools, so it is read from the start and told from `from` on.
    let first = if json { from } else { Version(1) };
    let mut telling = Telling { from, story: Story::new(session), json, next: first };
    let told =
        if follow { as_they_come(&throughline, session, &mut telling).await? } else { so_far(&throughline, session, &mut telling).await };
    match told {
        Ok(code) => Ok(code),
        Err(error) => {
            for one in whole_before(&throughline, session, telling.next, &error).await {
                telling.tell(&one);
            }
            Err(error.into())
        }
    }
}

async fn so_far(throughline: &Throughline, session: SessionId, telling: &mut Telling) -> Result<u8, LogError> {
    loop {
        let stored = throughline.events(session, telling.next, PAGE).await?;
        stored.iter().for_each(|one| telling.tell(one));
        if stored.len() < PAGE {
            return Ok(code::DONE);
        }
    }
}

/// The events from here on that are whole, where the read of them ended at a bad one.
async fn whole_before(throughline: &Throughline, session: SessionId, next: Version, error: &LogError) -> Vec<Stored> {
    let bad = match error {
        LogError::Corrupt { version, .. } | LogError::Unreadable { version, .. } => *version,
        LogError::Unavailable(_) => return Vec::new(),
    };
    match usize::try_from(bad.0.saturating_sub(next.0)) {
        // What cannot be read either is told by the fault.
        Ok(count @ 1..) => throughline.events(session, next, count).await.unwrap_or_default(),
        Ok(0) | Err(_) => Vec::new(),
    }
}

async fn as_they_come(throughline: &Throughline, session: SessionId, telling: &mut Telling) -> Result<Result<u8, LogError>, Fault> {
    // Before the first look, so that no signal falls between two looks.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| Fault::bug(&error.to_string()))?;
    let mut following = throughline.follow(session, telling.next);
    let mut gone = std::pin::pin!(reader::gone());
    loop {
        tokio::select! {
            stored = following.next() => match stored {
                Ok(stored) => stored.iter().for_each(|one| telling.tell(one)),
                Err(error) => return Ok(Err(error)),
            },
            _ = interrupt.recv() => return Ok(Ok(code::INTERRUPTED)),
            () = &mut gone => return Ok(Ok(code::DONE)),
        }
    }
}

impl Telling {
    fn tell(&mut self, stored: &Stored) {
        self.next = stored.event.version.next();
        if self.json {
            out(&stored.bytes);
        } else if let Some(line) = self.story.tell(&stored.event).filter(|_| stored.event.version >= self.from) {
            out(line.as_bytes());
        }
    }
}
