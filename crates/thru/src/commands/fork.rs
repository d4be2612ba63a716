//! `thru fork`: begin anew where another session was, and leave that one alone.

use super::follow::{self, OnInterrupt};
use super::{local, open_existing};
use crate::args::Fork;
use crate::catalog::{KeepLine, keep_line};
use crate::fault::{Fault, code};
use crate::render::{Screen, out};
use serde_json::json;
use throughline::{Forked, Job};

pub async fn run(wanted: Fork) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let forked = throughline.fork(wanted.from, wanted.at, wanted.key.as_deref(), local()).await?;
    let screen = Screen::new(wanted.show);
    let (session, from) = (forked.session.to_string(), forked.from.to_string());
    let Some(text) = wanted.text else {
        out(made(&forked, wanted.show.json).as_bytes());
        screen.notice(&keep_line(&KeepLine::ForkWaits { session: &session }));
        return Ok(code::DONE);
    };
    // Folder and model are those of the other session.
    let job = Job { session: Some(forked.session), key: wanted.key, ..Job::new(".", "", text) };
    let heard = follow::listen(&throughline, wanted.show);
    let running = throughline.start(job).await?;
    screen.story(&keep_line(&KeepLine::SessionForked { session: &session, from: &from, at: forked.at.0 }));
    follow::follow(&throughline, running, heard, wanted.show, wanted.on_ask, OnInterrupt::Stop).await
}

/// The new session alone, so that a script can take it as it is.
fn made(forked: &Forked, json: bool) -> String {
    let Forked { session, from, at, hash } = forked;
    if json { json!({ "session": session, "from": from, "at": at, "hash": hash }).to_string() } else { session.to_string() }
}
