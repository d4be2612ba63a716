//! `thru export` and `thru import`: a session as a folder that anybody can check, and back.

use super::open_existing;
use crate::catalog::{KeepLine, Problem, keep_line};
use crate::fault::{Fault, code};
use crate::render::out;
use contract::id::SessionId;
use serde_json::json;
use std::path::Path;
use throughline::{ExportError, Exported, Home, Imported, Throughline};

pub async fn export(session: SessionId, dir: &Path, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let exported = throughline.export(session, dir).await.map_err(|error| match error {
        ExportError::NoSession(session) => Fault::new(Problem::NoSession(&session.to_string())),
        ExportError::NotEmpty(path) => Fault::new(Problem::NotEmpty(&path.to_string_lossy())),
        ExportError::Io { .. } => Fault::new(Problem::Unwritable(&error.to_string())),
        ExportError::Log(error) => error.into(),
    })?;
    let Exported { events, hash, blobs, parents, .. } = exported;
    let (session, hash, dir) = (session.to_string(), hash.to_string(), dir.to_string_lossy());
    out(if json {
        json!({ "session": session, "events": events, "hash": hash, "blobs": blobs, "parents": parents, "folder": dir }).to_string()
    } else {
        keep_line(&KeepLine::Exported { session: &session, events, blobs, parents, hash: &hash, folder: &dir })
    }
    .as_bytes());
    Ok(code::DONE)
}

pub async fn import(dir: &Path, json: bool) -> Result<u8, Fault> {
    // A folder that cannot be imported must not make a data folder, but only the whole check can tell.
    throughline::check_export(dir)?;
    let throughline = Throughline::open(&Home::locate()?)?;
    let Imported { session, events, hash, known, blobs, parents } = throughline.import(dir).await?;
    let (session, hash) = (session.to_string(), hash.to_string());
    out(if json {
        json!({ "session": session, "events": events, "hash": hash, "known": known, "blobs": blobs, "parents": parents }).to_string()
    } else if known == events {
        keep_line(&KeepLine::ImportedBefore { session: &session, events, hash: &hash })
    } else {
        keep_line(&KeepLine::Imported { session: &session, events, blobs, parents, hash: &hash })
    }
    .as_bytes());
    Ok(code::DONE)
}
