//! `thru daemon`: look after every session of the data folder until told to stop.

use crate::catalog::{HostLine, host};
use crate::fault::{Fault, code};
use crate::render::out;
use serde_json::json;
use throughline::{Home, Throughline, Told};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

pub async fn run(json: bool) -> Result<u8, Fault> {
    let throughline = Throughline::open(&Home::locate()?)?;
    let bug = |error: std::io::Error| Fault::bug(&error.to_string());
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt()).map_err(bug)?, signal(SignalKind::terminate()).map_err(bug)?);
    let (stop, stopped) = watch::channel(false);
    let hosting = throughline.host(stopped, |told| say(&told, json));
    let until_told = async {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        stop.send_replace(true);
        // What it drives is let go of first.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        ended = hosting => ended?,
        () = until_told => {}
    }
    Ok(code::DONE)
}

fn say(told: &Told, json: bool) {
    let line = match told {
        Told::Ready { busy, timed } if json => json!({ "type": "ready", "busy": busy, "timed": timed }).to_string(),
        Told::HeldBack { died, busy, timed } if json => {
            json!({ "type": "held_back", "died": died, "busy": busy, "timed": timed }).to_string()
        }
        Told::Takes(session) if json => json!({ "type": "takes", "session": session }).to_string(),
        Told::Rests { session, rest } if json => json!({ "type": "rests", "session": session, "rest": rest }).to_string(),
        Told::Refuses { session, why } if json => json!({ "type": "refuses", "session": session, "why": why }).to_string(),
        Told::Ready { busy, timed } => host(&HostLine::Ready { busy: *busy, timed: *timed }),
        Told::HeldBack { died, busy, timed } => host(&HostLine::HeldBack { died: *died, busy: *busy, timed: *timed }),
        Told::Takes(session) => host(&HostLine::Takes { session: &session.to_string() }),
        Told::Rests { session, rest } => host(&HostLine::Rests { session: &session.to_string(), rest: *rest }),
        Told::Refuses { session, why } => host(&HostLine::Refuses { session: &session.to_string(), why }),
    };
    out(line.as_bytes());
}
