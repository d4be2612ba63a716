//! `thru resume`: go on with a session from its log, or let whoever drives it go on.

use super::follow::{self, OnInterrupt};
use super::{local, open_existing_with, warn_without_sandbox};
use crate::args::{OnAsk, Show, Which};
use crate::catalog::{Line, Problem, line};
use crate::fault::{Fault, code};
use crate::render::Screen;
use serde_json::json;
use throughline::{Sandboxing, Sent};

pub async fn run(which: Which, show: Show, on_ask: Option<OnAsk>, sandboxing: Sandboxing) -> Result<u8, Fault> {
    let throughline = open_existing_with(sandboxing)?;
    warn_without_sandbox(&Screen::new(show), sandboxing);
    let session = match which {
        Which::Session(session) => session,
        Which::Last => throughline.last().await?.ok_or_else(|| Fault::new(Problem::NoSessions))?,
    };
    if let Some(sent) = throughline.resume_driven(session, local()).await? {
        tell(&Screen::new(show), &sent);
        return Ok(code::DONE);
    }
    let heard = follow::listen(&throughline, show);
    let running = throughline.resume(session, local()).await?;
    follow::follow(&throughline, running, heard, show, on_ask, OnInterrupt::Stop).await
}

/// Says who goes on with it.
fn tell(screen: &Screen, sent: &Sent) {
    let (version, holder, session) = (sent.version.0, sent.holder.map(|holder| holder.to_string()), sent.session.to_string());
    screen.notice(&line(&Line::Sent { version, holder: holder.as_deref(), session: &session }));
    screen.json(&json!({
        "type": "stream.closed",
        "session": session,
        "outcome": "resumed",
        "exit_code": code::DONE,
        "version": version,
        "driven_by": holder,
    }));
}
