//! `thru events`: what happened in a session, as the log has it.

use super::open_existing;
use crate::catalog::Problem;
use crate::fault::{Fault, code};
use crate::render::{Story, out};
use contract::id::SessionId;
use contract::units::Version;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Events read at once.
const PAGE: usize = 1_000;
/// How often a followed session is looked at; a person does not notice less.
const FOLLOW_EVERY: Duration = Duration::from_millis(200);

pub async fn run(session: SessionId, from: Version, follow: bool, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    if throughline.tail(session).await?.is_none() {
        return Err(Fault::new(Problem::NoSession(&session.to_string())));
    }
    // The story needs what came before to name tools, so it is read from the start and told from `from` on.
    let mut next = if json { from } else { Version(1) };
    let mut story = Story::new(session);
    // Once and before the first look, so that no signal falls between two looks.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| Fault::bug(&error.to_string()))?;
    loop {
        let stored = throughline.events(session, next, PAGE).await?;
        for one in &stored {
            next = one.event.version.next();
            if json {
                out(&one.bytes);
            } else if let Some(line) = story.tell(&one.event).filter(|_| one.event.version >= from) {
                out(line.as_bytes());
            }
        }
        if stored.len() < PAGE {
            if !follow {
                return Ok(code::DONE);
            }
            tokio::select! {
                () = tokio::time::sleep(FOLLOW_EVERY) => {}
                _ = interrupt.recv() => return Ok(code::INTERRUPTED),
            }
        }
    }
}
