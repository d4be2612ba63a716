//! Reading the folder: everything is checked before anybody stores anything of it.

use super::{BLOBS, CHAIN, Chain, FORMAT, Part};
use agent::State;
use contract::body::{BadBody, Body};
use contract::event::{BadEvent, Event};
use contract::id::{SessionId, Sha256, StreamId};
use contract::units::Epoch;
use journal::{GENESIS, link};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("{} cannot be read: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is not the export of a session: {reason}", path.display())]
    Foreign { path: PathBuf, reason: String },
    #[error("{what} was written by a newer program: {reason}")]
    Newer { what: String, reason: String },
    #[error("line {line} of {file}: {reason}")]
    Line { file: String, line: usize, reason: String },
    #[error("the blob {0} is not what its name says")]
    Blob(Sha256),
}

/// A session of an export, checked.
pub(super) struct Checked {
    pub session: SessionId,
    pub hashes: Vec<Sha256>,
    /// The stored bytes of each event.
    pub events: Vec<Vec<u8>>,
    /// The highest epoch under which they were written.
    pub epoch: Epoch,
}

pub(super) struct Bundle {
    /// The session first, then what it stands on.
    pub sessions: Vec<Checked>,
    pub blobs: Vec<Vec<u8>>,
}

/// Whether the folder is a whole export; opens nothing and stores nothing.
pub fn check_export(folder: &Path) -> Result<(), BundleError> {
    read(folder).map(drop)
}

/// Reads the folder and checks everything in it: each line against its hash, each event against the machine, each fork
/// against what it stands on, each blob against its name.
pub(super) fn read(folder: &Path) -> Result<Bundle, BundleError> {
    let chain = read_chain(folder)?;
    let mut named_at = BTreeMap::new();
    let mut parsed = Vec::new();
    for (place, part) in chain.sessions.iter().enumerate() {
        let (lines, events) = read_part(folder, part, place)?;
        let file = part.file(place);
        for (line, event) in (1..).zip(&events) {
            for blob in event.blobs() {
                named_at.entry(blob.sha256).or_insert_with(|| (file.clone(), line));
            }
        }
        parsed.push((part, lines, events));
    }
    fold(&chain, parsed.iter().map(|(_, _, events)| events.as_slice()).collect())?;
    let blobs = named_at.into_iter().map(|(sha256, place)| read_blob(folder, sha256, place)).collect::<Result<_, _>>()?;
    let sessions = parsed.into_iter().map(|(part, lines, events)| Checked {
        session: part.session,
        hashes: part.hashes.clone(),
        events: lines,
        epoch: events.iter().map(|event| epoch(&event.draft.body)).max().unwrap_or_default(),
    });
    Ok(Bundle { sessions: sessions.collect(), blobs })
}

fn epoch(body: &Body) -> Epoch {
    if let Body::OwnerTaken(taken) = body { taken.epoch } else { Epoch::default() }
}

fn read_chain(folder: &Path) -> Result<Chain, BundleError> {
    let path = folder.join(CHAIN);
    let bytes = fs::read(&path).map_err(|source| BundleError::Io { path: path.clone(), source })?;
    let foreign = |reason: String| BundleError::Foreign { path: folder.to_owned(), reason };
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| foreign(format!("{CHAIN}: {error}")))?;
    if let Some(format) = value["format"].as_u64().filter(|format| *format > u64::from(FORMAT)) {
        return Err(BundleError::Newer { what: CHAIN.to_owned(), reason: format!("its format is {format}, this one knows {FORMAT}") });
    }
    let chain: Chain = serde_json::from_value(value).map_err(|error| foreign(format!("{CHAIN}: {error}")))?;
    if chain.sessions.is_empty() || chain.sessions.iter().any(|part| part.hashes.is_empty()) {
        return Err(foreign(format!("{CHAIN} names no events")));
    }
    Ok(chain)
}

fn read_part(folder: &Path, part: &Part, place: usize) -> Result<(Vec<Vec<u8>>, Vec<Event>), BundleError> {
    let file = part.file(place);
    let path = folder.join(&file);
    let bytes = fs::read(&path).map_err(|source| BundleError::Io { path, source })?;
    let stream = StreamId::session(part.session);
    let broken = |line: usize, reason: String| BundleError::Line { file: file.clone(), line, reason };
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    // Every line ends with a newline, so nothing follows the last.
    if lines.pop().is_some_and(|rest| !rest.is_empty()) {
        return Err(broken(lines.len() + 1, "it has no end".to_owned()));
    }
    let (mut hash, mut events, mut ids) = (GENESIS, Vec::new(), BTreeSet::new());
    for (number, line) in (1..).zip(&lines) {
        hash = link(hash, line);
        match part.hashes.get(number - 1) {
            Some(recorded) if *recorded == hash => {}
            Some(recorded) => return Err(broken(number, format!("its hash is {hash}, {CHAIN} says {recorded}"))),
            None => return Err(broken(number, format!("{CHAIN} has no hash of it"))),
        }
        let event = Event::decode(&stream, line).map_err(|error| match error {
            BadEvent::Body(BadBody::UnknownType(_) | BadBody::Newer { .. }) => {
                BundleError::Newer { what: format!("line {number} of {file}"), reason: error.to_string() }
            }
            BadEvent::Body(BadBody::Malformed { .. }) | BadEvent::Envelope(_) | BadEvent::OtherStream { .. } => {
                broken(number, error.to_string())
            }
        })?;
        if event.version.0 != number as u64 {
            return Err(broken(number, format!("it is event {}", event.version)));
        }
        if !ids.insert(event.draft.id) {
            return Err(broken(number, format!("its id {} occurs twice", event.draft.id)));
        }
        events.push(event);
    }
    if lines.len() < part.hashes.len() {
        return Err(broken(lines.len() + 1, format!("it is missing, {CHAIN} has {} hashes", part.hashes.len())));
    }
    Ok((lines.into_iter().map(<[u8]>::to_vec).collect(), events))
}

/// Folds the oldest session first; each fork must name the end of the one before it.
fn fold(chain: &Chain, events: Vec<&[Event]>) -> Result<(), BundleError> {
    let mut state = State::new(StreamId::session(chain.sessions[0].session));
    for (place, (part, events)) in chain.sessions.iter().zip(events).enumerate().rev() {
        let broken = |line: usize, reason: String| BundleError::Line { file: part.file(place), line, reason };
        let below = chain.sessions.get(place + 1);
        let stands_on = events.first().and_then(|event| stands_on(&event.draft.body));
        if stands_on != below.map(|below| (below.session, below.hashes.last().copied().unwrap_or(GENESIS))) {
            return Err(broken(1, format!("it begins with {stands_on:?}, which is not what {CHAIN} names next")));
        }
        for event in events {
            agent::fold::fold(&mut state, event).map_err(|illegal| broken(event.version.0 as usize, illegal.to_string()))?;
        }
    }
    Ok(())
}

fn stands_on(body: &Body) -> Option<(SessionId, Sha256)> {
    if let Body::SessionForked(forked) = body { Some((forked.from, forked.hash)) } else { None }
}

fn read_blob(folder: &Path, sha256: Sha256, (file, line): (String, usize)) -> Result<Vec<u8>, BundleError> {
    let path = folder.join(BLOBS).join(sha256.to_string());
    let named = |source: io::Error| io::Error::new(source.kind(), format!("{source}; line {line} of {file} names it"));
    let bytes = fs::read(&path).map_err(|source| BundleError::Io { path, source: named(source) })?;
    if Sha256::of(&bytes) == sha256 { Ok(bytes) } else { Err(BundleError::Blob(sha256)) }
}
