//! `thru send`: say something to a session, whoever drives it; say it anew, or take it back.

use super::{asks, local, open_existing, status};
use crate::args::{Said, Send};
use crate::catalog::{Line, Problem, line};
use crate::fault::{Fault, code};
use crate::render::out;
use contract::body::Mode;
use contract::id::SessionId;
use contract::units::Version;
use serde_json::json;
use throughline::{Delivery, Fate, Sent, Throughline};

pub async fn run(send: Send) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let Send { session, what, key, json } = send;
    let sent = match what {
        Said::Message { text, mode: Mode::Status } => {
            throughline.send(session, text, Mode::Status, key, local()).await?;
            status::show(&throughline.status(session).await?, json, true);
            return Ok(code::DONE);
        }
        Said::Message { text, mode } => throughline.send(session, text, mode, key, local()).await?,
        Said::Edit { event, text, mode } => {
            let old = waiting(&throughline, session, event).await?;
            // The new words first: whatever happens in between, nothing that was said is lost.
            let sent = throughline.send(session, text, mode.unwrap_or(old.mode), key, local()).await?;
            throughline.withdraw(session, old.key, local()).await?;
            sent
        }
        Said::Withdraw { event } => {
            let old = waiting(&throughline, session, event).await?;
            throughline.withdraw(session, old.key, local()).await?
        }
    };
    match sent.answered {
        Some(yes) => asks::tell(&sent, yes, json),
        None => tell(&sent, json),
    }
    Ok(code::DONE)
}

/// Says where it is recorded and who will act on it.
pub fn tell(sent: &Sent, json: bool) {
    let (version, holder, session) = (sent.version.0, sent.holder.map(|holder| holder.to_string()), sent.session.to_string());
    let said = if json {
        json!({ "session": session, "version": version, "driven_by": holder }).to_string()
    } else {
        line(&Line::Sent { version, holder: holder.as_deref(), session: &session })
    };
    out(said.as_bytes());
}

/// The message of that event, if no model has seen it.
async fn waiting(throughline: &Throughline, session: SessionId, event: Version) -> Result<Delivery, Fault> {
    let messages = throughline.status(session).await?.messages;
    let waits = messages.into_iter().find(|message| message.version == event && message.fate == Fate::Waiting);
    waits.ok_or_else(|| Fault::new(Problem::NotWaiting(&event.to_string())))
}
