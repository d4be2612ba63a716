//! `thru verify`: whether anything stored was changed, lost or put in another order.

use super::open_existing;
use crate::catalog::{Line, Problem, line};
use crate::fault::{Fault, code};
use crate::render::{fault, out};
use contract::id::{SessionId, StreamId};
use contract::port::LogError;
use serde_json::json;
use throughline::{Inspection, Throughline};

pub async fn run(session: Option<SessionId>, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let streams = match session {
        Some(session) if throughline.tail(session).await?.is_none() => {
            return Err(Fault::new(Problem::NoSession(&session.to_string())));
        }
        Some(session) => vec![StreamId::session(session)],
        None => throughline.streams().await?,
    };
    let mut exit = code::DONE;
    for stream in &streams {
        exit = exit.max(check(&throughline, stream, json).await);
    }
    if session.is_none() && exit == code::DONE && !json {
        out(line(&Line::VerifiedAll { streams: streams.len() }).as_bytes());
    }
    Ok(exit)
}

async fn check(throughline: &Throughline, stream: &StreamId, json: bool) -> u8 {
    match throughline.verify(stream).await {
        Ok(found) => {
            out(whole(&found, json).as_bytes());
            code::DONE
        }
        Err(error) => {
            if json {
                out(broken(stream, &error).as_bytes());
            }
            fault(&Fault::from(error), false)
        }
    }
}

fn whole(found: &Inspection, json: bool) -> String {
    let name = name(&found.stream);
    let (stream, events, hash) = (name.as_str(), found.verified.events, found.verified.hash.to_string());
    if json {
        json!({ "stream": stream, "ok": true, "events": events, "requests": found.requests, "hash": hash }).to_string()
    } else {
        line(&Line::VerifiedStream { stream, events, requests: found.requests, hash: &hash })
    }
}

/// A session by its id, as everywhere else.
fn name(stream: &StreamId) -> String {
    stream.session_id().map_or_else(|| stream.to_string(), |session| session.to_string())
}

fn broken(stream: &StreamId, error: &LogError) -> String {
    let version = match error {
        LogError::Corrupt { version, .. } | LogError::Unreadable { version, .. } => Some(version.0),
        LogError::Unavailable(_) => None,
    };
    json!({ "stream": name(stream), "ok": false, "version": version, "reason": error.to_string() }).to_string()
}
