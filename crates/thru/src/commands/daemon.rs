//! `thru daemon`: look after every session of the data folder until told to stop.

use super::{open_with, warn_without_sandbox};
use crate::args::Show;
use crate::catalog::{HostLine, host};
use crate::fault::{Fault, code, of_leave};
use crate::render::{Screen, out};
use serde_json::json;
use throughline::{Home, Refused, Sandboxing, Told};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

pub async fn run(json: bool, sandboxing: Sandboxing) -> Result<u8, Fault> {
    let throughline = open_with(&Home::locate()?, sandboxing)?;
    warn_without_sandbox(&Screen::new(Show { json, deltas: false, quiet: false }), sandboxing);
    let bug = |error: std::io::Error| Fault::bug(&error.to_string());
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt()).map_err(bug)?, signal(SignalKind::terminate()).map_err(bug)?);
    let (stop, stopped) = watch::channel(false);
    let hosting = throughline.host(stopped, |told| say(told, json));
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

fn say(told: Told, json: bool) {
    let line = match told {
        Told::Ready { busy, timed } if json => json!({ "type": "ready", "busy": busy, "timed": timed }).to_string(),
        Told::HeldBack { died, busy, timed } if json => {
            json!({ "type": "held_back", "died": died, "busy": busy, "timed": timed }).to_string()
        }
        Told::Takes(session) if json => json!({ "type": "takes", "session": session }).to_string(),
        Told::Rests { session, rest } if json => json!({ "type": "rests", "session": session, "rest": rest }).to_string(),
        Told::Refuses { session, why } if json => {
            json!({ "type": "refuses", "session": session, "why": reason(why, &session.to_string()) }).to_string()
        }
        Told::Ready { busy, timed } => host(&HostLine::Ready { busy, timed }),
        Told::HeldBack { died, busy, timed } => host(&HostLine::HeldBack { died, busy, timed }),
        Told::Takes(session) => host(&HostLine::Takes { session: &session.to_string() }),
        Told::Rests { session, rest } => host(&HostLine::Rests { session: &session.to_string(), rest }),
        Told::Refuses { session, why } => {
            let session = session.to_string();
            host(&HostLine::Refuses { session: &session, why: &reason(why, &session) })
        }
    };
    out(line.as_bytes());
}

fn reason(why: Refused, session: &str) -> String {
    match why {
        Refused::Untaken(error) => Fault::from(error).message,
        Refused::Left(left) => of_leave(&left, session).map(|fault| fault.message).unwrap_or_default(),
        Refused::Died => host(&HostLine::Died),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::units::Version;
    use throughline::Leave;

    #[test]
    fn why_a_session_is_refused_is_said_in_words() {
        let quarantined = Leave::Quarantined { version: Version(3), reason: "illegal".to_owned() };
        assert_eq!(reason(Refused::Left(quarantined), "ses_x"), "the session ses_x is quarantined at event 3: illegal");
        assert_eq!(reason(Refused::Left(Leave::Broken("disk full".to_owned())), "ses_x"), "the log cannot be used: disk full");
    }
}
