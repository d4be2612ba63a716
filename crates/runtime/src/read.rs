//! Reads a stream page by page, so that a long one does not stand in memory whole.
//!
//! A stream that was forked begins with events of another one. Whoever folds it reads those first ([`inherited`]);
//! whoever shows it does not.

use contract::body::Body;
use contract::id::{Sha256, StreamId};
use contract::limits::FORKS_DEEP_MAX;
use contract::port::{Log, LogError, Stored};
use contract::units::Version;

/// Events read at once.
const PAGE: usize = 1_000;

/// To whom an event belongs that a stream is folded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// It is in the stream that this one was forked from, or further up.
    Inherited,
    Own,
}

/// Shows everything that the state of a stream is folded from, in the order of the fold.
pub async fn for_folding<E: From<LogError>>(
    log: &dyn Log,
    stream: &StreamId,
    mut look: impl FnMut(&Stored, Whose) -> Result<(), E>,
) -> Result<(), E> {
    inherited(log, stream, |stored| look(stored, Whose::Inherited)).await?;
    each(log, stream, Version::NONE, |stored| look(stored, Whose::Own)).await
}

/// Shows every event after this version, until there are no more or `look` has seen enough.
pub async fn each<E: From<LogError>>(
    log: &dyn Log,
    stream: &StreamId,
    after: Version,
    look: impl FnMut(&Stored) -> Result<(), E>,
) -> Result<(), E> {
    part(log, stream, after, Version(u64::MAX), look).await.map(drop)
}

/// Shows the events that a forked stream is built on, the oldest first; most streams have none. Each part must be what it
/// was when it was forked; what was added there since, or damaged, does not matter.
pub async fn inherited<E: From<LogError>>(
    log: &dyn Log,
    stream: &StreamId,
    mut look: impl FnMut(&Stored) -> Result<(), E>,
) -> Result<(), E> {
    for branch in lineage(log, stream).await?.iter().rev() {
        let last = part(log, &branch.from, Version::NONE, branch.at, &mut look).await?;
        if last != Some((branch.at, branch.hash)) {
            let reason = format!("{} is not what it was forked from at version {}", branch.from, branch.at);
            return Err(LogError::Corrupt { stream: branch.fork.clone(), version: Version::NONE.next(), reason }.into());
        }
    }
    Ok(())
}

/// Shows what the state of a stream at this version is folded from, and gives the chain hash there.
pub async fn up_to<E: From<LogError>>(
    log: &dyn Log,
    stream: &StreamId,
    at: Version,
    mut look: impl FnMut(&Stored) -> Result<(), E>,
) -> Result<Sha256, E> {
    inherited(log, stream, &mut look).await?;
    match part(log, stream, Version::NONE, at, look).await? {
        Some((end, hash)) if end == at => Ok(hash),
        Some(_) | None => Err(LogError::Corrupt { stream: stream.clone(), version: at, reason: "it is not there".to_owned() }.into()),
    }
}

/// The streams that this one is built on, and up to where, the nearest first.
pub async fn ancestors(log: &dyn Log, stream: &StreamId) -> Result<Vec<(StreamId, Version)>, LogError> {
    Ok(lineage(log, stream).await?.into_iter().map(|branch| (branch.from, branch.at)).collect())
}

/// Where one stream branches off from another.
struct Branch {
    fork: StreamId,
    from: StreamId,
    at: Version,
    hash: Sha256,
}

async fn lineage(log: &dyn Log, stream: &StreamId) -> Result<Vec<Branch>, LogError> {
    let mut branches: Vec<Branch> = Vec::new();
    let mut fork = stream.clone();
    loop {
        let first = log.read(&fork, Version::NONE.next(), 1).await?;
        let Some(Body::SessionForked(forked)) = first.first().map(|stored| &stored.event.draft.body) else { return Ok(branches) };
        if branches.len() == FORKS_DEEP_MAX {
            let reason = format!("it is a fork of more than {FORKS_DEEP_MAX} forks");
            return Err(LogError::Corrupt { stream: stream.clone(), version: Version::NONE.next(), reason });
        }
        let from = StreamId::session(forked.from);
        branches.push(Branch { fork: std::mem::replace(&mut fork, from.clone()), from, at: forked.at, hash: forked.hash });
    }
}

/// Shows the events after one version up to another and tells where they end.
pub async fn part<E: From<LogError>>(
    log: &dyn Log,
    stream: &StreamId,
    after: Version,
    upto: Version,
    mut look: impl FnMut(&Stored) -> Result<(), E>,
) -> Result<Option<(Version, Sha256)>, E> {
    let (mut end, mut last) = (after, None);
    while end < upto {
        let max = usize::try_from(upto.0 - end.0).unwrap_or(PAGE).min(PAGE);
        let stored = log.read(stream, end.next(), max).await?;
        for one in &stored {
            look(one)?;
            end = one.event.version;
            last = Some((end, one.hash));
        }
        if stored.len() < max {
            break;
        }
    }
    Ok(last)
}
