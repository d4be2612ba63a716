//! `thru events`: what happened in a session, as the log has it.

use super::open_existing;
use crate::catalog::Problem;
use crate::fault::{Fault, code};
use crate::render::{Story, out};
use contract::id::SessionId;
use contract::port::Stored;
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
}

pub async fn run(session: SessionId, from: Version, follow: bool, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    if throughline.tail(session).await?.is_none() {
        return Err(Fault::new(Problem::NoSession(&session.to_string())));
    }
    // The story needs what came before to name tools, so it is read from the start and told from `from` on.
    let first = if json { from } else { Version(1) };
    let telling = Telling { from, story: Story::new(session), json };
    if follow { as_they_come(&throughline, session, first, telling).await } else { so_far(&throughline, session, first, telling).await }
}

async fn so_far(throughline: &Throughline, session: SessionId, first: Version, mut telling: Telling) -> Result<u8, Fault> {
    let mut next = first;
    loop {
        let stored = throughline.events(session, next, PAGE).await?;
        stored.iter().for_each(|one| telling.tell(one));
        match stored.last() {
            Some(last) if stored.len() == PAGE => next = last.event.version.next(),
            Some(_) | None => return Ok(code::DONE),
        }
    }
}

async fn as_they_come(throughline: &Throughline, session: SessionId, first: Version, mut telling: Telling) -> Result<u8, Fault> {
    // Before the first look, so that no signal falls between two looks.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| Fault::bug(&error.to_string()))?;
    let mut following = throughline.follow(session, first);
    loop {
        tokio::select! {
            stored = following.next() => stored?.iter().for_each(|one| telling.tell(one)),
            _ = interrupt.recv() => return Ok(code::INTERRUPTED),
        }
    }
}

impl Telling {
    fn tell(&mut self, stored: &Stored) {
        if self.json {
            out(&stored.bytes);
        } else if let Some(line) = self.story.tell(&stored.event).filter(|_| stored.event.version >= self.from) {
            out(line.as_bytes());
        }
    }
}
