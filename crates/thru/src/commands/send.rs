//! `thru send`: say something to a session, whoever drives it; say it anew, or take it back.

use super::{local, open_existing, status};
use crate::args::{Said, Send};
use crate::catalog::{Line, Problem, line};
use crate::fault::{Fault, code};
use crate::render::out;
use contract::body::Mode;
use contract::id::SessionId;
use contract::input::Rejection;
use contract::units::Version;
use serde_json::json;
use throughline::{Answered, Delivery, Fate, SayError, Sent, Throughline};

pub async fn run(send: Send) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let Send { session, what, key, json } = send;
    let sent = match what {
        Said::Message { text, mode: Mode::Status } => {
            throughline.send(session, text, Mode::Status, key, local()).await?;
            status::show(&throughline.status(session).await?, json);
            return Ok(code::DONE);
        }
        Said::Message { text, mode } => throughline.send(session, text, mode, key, local()).await?,
        Said::Edit { event, text, mode } => {
            let repeated = match &key {
                Some(key) => throughline.was_said(session, key).await?,
                None => false,
            };
            let old = message(&throughline, session, event, repeated).await?;
            // The new words first: whatever happens in between, nothing that was said is lost.
            let sent = throughline.send(session, text, mode.unwrap_or(old.mode), key, local()).await?;
            let not_taken_back = Problem::NotTakenBack { old: event.0, new: sent.version.0 };
            throughline.withdraw(session, old.key, local()).await.map_err(|error| withdrawal_fault(error, not_taken_back))?;
            sent
        }
        Said::Withdraw { event } => {
            let old = message(&throughline, session, event, false).await?;
            let withdrawn = throughline.withdraw(session, old.key, local()).await;
            withdrawn.map_err(|error| withdrawal_fault(error, Problem::NotWaiting { event: event.0 }))?
        }
    };
    tell(&sent, json);
    Ok(code::DONE)
}

/// Says where it is recorded, what it answered, and who will act on it.
pub fn tell(sent: &Sent, json: bool) {
    let (version, holder, session) = (sent.version.0, sent.holder.map(|holder| holder.to_string()), sent.session.to_string());
    let said = if json {
        let mut said = json!({ "session": session, "version": version, "position": sent.position, "driven_by": holder });
        match sent.answered {
            Some(Answered::Yes) => said["answer"] = "yes".into(),
            Some(Answered::No) => said["answer"] = "no".into(),
            Some(Answered::Replied) => said["answer"] = "reply".into(),
            None => {}
        }
        said.to_string()
    } else {
        line(&match sent.answered {
            Some(how) => Line::Answered { version, how, holder: holder.as_deref(), session: &session },
            None => Line::Sent { version, holder: holder.as_deref(), session: &session },
        })
    };
    out(said.as_bytes());
}

/// The message of that event, if no model has seen it, or what follows was done with it before.
async fn message(throughline: &Throughline, session: SessionId, event: Version, repeated: bool) -> Result<Delivery, Fault> {
    let messages = throughline.status(session).await?.messages;
    let found = messages.into_iter().find(|message| message.version == event && (repeated || message.fate == Fate::Waiting));
    found.ok_or_else(|| Fault::new(Problem::NotWaiting { event: event.0 }))
}

/// A model may have been shown it since it was looked for.
fn withdrawal_fault(error: SayError, seen_meanwhile: Problem<'_>) -> Fault {
    if let SayError::Rejected(Rejection::NotWaiting(_)) = error { Fault::new(seen_meanwhile) } else { error.into() }
}
