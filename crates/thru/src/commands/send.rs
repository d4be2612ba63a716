//! `thru send`: say something to a session, whoever drives it.

use super::open_existing;
use crate::catalog::{Line, line};
use crate::fault::{Fault, code};
use crate::render::out;
use contract::body::{Mode, Principal};
use contract::id::SessionId;
use serde_json::json;

pub async fn run(session: SessionId, text: String, mode: Mode, key: Option<String>, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let sent = throughline.send(session, text, mode, key, Principal("local".to_owned())).await?;
    let (version, holder, session) = (sent.version.0, sent.holder.map(|holder| holder.to_string()), session.to_string());
    let said = if json {
        json!({ "session": session, "version": version, "driven_by": holder }).to_string()
    } else {
        line(&Line::Sent { version, holder: holder.as_deref(), session: &session })
    };
    out(said.as_bytes());
    Ok(code::DONE)
}
