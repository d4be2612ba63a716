//! Writing the folder: beside its place first, then renamed, so that half an export never looks whole.

use super::{BLOBS, CHAIN, Chain, EVENTS, FORMAT, PARENTS, Part};
use crate::{Throughline, random};
use contract::id::{SessionId, Sha256, StreamId};
use contract::port::LogError;
use contract::units::Version;
use runtime::read;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const README: &str = include_str!("README.txt");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    pub session: SessionId,
    pub events: u64,
    /// Of the last event.
    pub hash: Sha256,
    pub blobs: usize,
    /// Sessions that it stands on.
    pub parents: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("there is no session {0}")]
    NoSession(SessionId),
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
    #[error("{} cannot be written: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Log(#[from] LogError),
}

/// The lines of a session, and where each blob that they name is named.
struct Lines {
    part: Part,
    bytes: Vec<u8>,
}

impl Throughline {
    /// Writes the session, as it is now, to a folder that must not be there or be empty. Everything is checked on the way.
    pub async fn export(&self, session: SessionId, folder: &Path) -> Result<Exported, ExportError> {
        let stream = StreamId::session(session);
        let tail = self.log().tail(&stream).await?.ok_or(ExportError::NoSession(session))?;
        check_free(folder)?;
        let mut blobs = BTreeMap::new();
        let mut parts = vec![self.lines(&stream, session, tail.version, &mut blobs).await?];
        for (from, at) in read::ancestors(self.log(), &stream).await? {
            let parent = from.session_id().ok_or_else(|| corrupt(&stream, "it was not forked from a session"))?;
            parts.push(self.lines(&from, parent, at, &mut blobs).await?);
        }
        // A fork is only as good as what it stands on.
        read::inherited(self.log(), &stream, |_| Ok::<(), LogError>(())).await?;
        let exported = Exported {
            session,
            events: tail.version.0,
            hash: parts[0].part.hashes.last().copied().unwrap_or(journal::GENESIS),
            blobs: blobs.len(),
            parents: parts.len() - 1,
        };
        let draft = draft_path(folder).map_err(|source| ExportError::Io { path: folder.to_owned(), source })?;
        let written = self.write(&draft, &parts, &blobs).await;
        let placed = written.and_then(|()| place(&draft, folder).map_err(|source| ExportError::Io { path: folder.to_owned(), source }));
        if placed.is_err() {
            // What counts is the first failure; what stays has a name that nobody takes for an export.
            drop(fs::remove_dir_all(&draft));
        }
        placed.map(|()| exported)
    }

    async fn lines(
        &self,
        stream: &StreamId,
        session: SessionId,
        upto: Version,
        blobs: &mut BTreeMap<Sha256, (StreamId, Version)>,
    ) -> Result<Lines, LogError> {
        let mut lines = Lines { part: Part { session, hashes: Vec::new() }, bytes: Vec::new() };
        read::part(self.log(), stream, Version::NONE, upto, |stored| {
            lines.bytes.extend(&stored.bytes);
            lines.bytes.push(b'\n');
            lines.part.hashes.push(stored.hash);
            for blob in stored.event.blobs() {
                blobs.entry(blob.sha256).or_insert_with(|| (stream.clone(), stored.event.version));
            }
            Ok::<(), LogError>(())
        })
        .await?;
        if lines.part.hashes.len() as u64 != upto.0 {
            return Err(corrupt(stream, "events are missing"));
        }
        Ok(lines)
    }

    async fn write(&self, draft: &Path, parts: &[Lines], blobs: &BTreeMap<Sha256, (StreamId, Version)>) -> Result<(), ExportError> {
        let make = |path: PathBuf| fs::create_dir(&path).map_err(|source| ExportError::Io { path, source });
        let save = |path: PathBuf, bytes: &[u8]| write_synced(&path, bytes).map_err(|source| ExportError::Io { path, source });
        make(draft.to_owned())?;
        make(draft.join(BLOBS))?;
        if parts.len() > 1 {
            make(draft.join(PARENTS))?;
        }
        for (place, lines) in parts.iter().enumerate() {
            save(draft.join(lines.part.file(place)), &lines.bytes)?;
        }
        for (sha256, (stream, version)) in blobs {
            let gone =
                || LogError::Corrupt { stream: stream.clone(), version: *version, reason: format!("its blob sha256:{sha256} is missing") };
            let bytes = self.ports.blobs.get(*sha256).await?.ok_or_else(gone)?;
            save(draft.join(BLOBS).join(sha256.to_string()), &bytes)?;
        }
        let chain = Chain { format: FORMAT, sessions: parts.iter().map(|lines| lines.part.clone()).collect() };
        // Numbers and strings only: nothing in it can fail to be JSON.
        let chain = serde_json::to_string_pretty(&chain).unwrap_or_default();
        save(draft.join(CHAIN), format!("{chain}\n").as_bytes())?;
        save(draft.join("README.txt"), README.replace("{events}", EVENTS).as_bytes())
    }
}

fn corrupt(stream: &StreamId, reason: &str) -> LogError {
    LogError::Corrupt { stream: stream.clone(), version: Version::NONE.next(), reason: reason.to_owned() }
}

/// Whether the folder is not there, or holds nothing.
fn check_free(folder: &Path) -> Result<(), ExportError> {
    match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().map_or(Ok(()), |_| Err(ExportError::NotEmpty(folder.to_owned()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(ExportError::Io { path: folder.to_owned(), source }),
    }
}

/// A name beside the folder that nobody else uses, because both must be on one file system.
fn draft_path(folder: &Path) -> io::Result<PathBuf> {
    let name = folder.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy().into_owned();
    let own = SessionId(random().map_err(io::Error::other)?);
    Ok(folder.with_file_name(format!(".{name}.unfinished-{own}")))
}

/// An empty folder that is there already is replaced; one that somebody filled meanwhile is not.
fn place(draft: &Path, folder: &Path) -> io::Result<()> {
    for inside in [draft.join(BLOBS), draft.join(PARENTS), draft.to_owned()] {
        match File::open(inside) {
            Ok(inside) => inside.sync_all()?,
            // Not every session has both.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    fs::rename(draft, folder)?;
    let beside = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(beside)?.sync_all()
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
