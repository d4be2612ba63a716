//! Making a session that begins as another one was. The other is only read, and is not told.

use crate::Ports;
use crate::read::{ancestors, up_to};
use agent::accept;
use agent::{Agent, State};
use contract::body::{Body, Principal, SessionForked};
use contract::event::Event;
use contract::id::{SessionId, Sha256, StreamId};
use contract::input::Rejection;
use contract::limits::FORKS_DEEP_MAX;
use contract::machine::{Illegal, Machine};
use contract::port::{Append, AppendError, Expected, Log, LogError};
use contract::units::Version;

/// How often an append of which nobody knows whether it is stored is made again.
const TRIES_MAX: usize = 16;

/// Where a new session branches off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forked {
    pub session: SessionId,
    pub from: SessionId,
    pub at: Version,
    /// Chain hash of the other session there.
    pub hash: Sha256,
}

#[derive(Debug, thiserror::Error)]
pub enum ForkError {
    #[error("there is no session {0}")]
    NoSession(SessionId),
    #[error("the session {session} has events 1 to {last}, and none of number {at}")]
    NoVersion { session: SessionId, at: Version, last: Version },
    #[error("the session {0} is a fork of {FORKS_DEEP_MAX} forks")]
    TooDeep(SessionId),
    /// Another fork was made under this name before.
    #[error("the session {} branches off from {} after its event {}", .0.session, .0.from, .0.at)]
    Taken(Forked),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Illegal(#[from] Illegal),
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// Makes `session` out of `from` as it was at a version, or as it is now. One that was made so before is found, and without
/// a version it is found wherever it branches off: the newest event was another one then.
pub async fn fork(ports: &Ports, from: SessionId, at: Option<Version>, session: SessionId, by: Principal) -> Result<Forked, ForkError> {
    let (log, parent, stream) = (ports.log.as_ref(), StreamId::session(from), StreamId::session(session));
    if let Some(forked) = made_before(log, session).await? {
        return same(forked, from, at);
    }
    let wanted = at;
    let last = log.tail(&parent).await?.ok_or(ForkError::NoSession(from))?.version;
    let at = at.unwrap_or(last);
    if at == Version::NONE || at > last {
        return Err(ForkError::NoVersion { session: from, at, last });
    }
    if ancestors(log, &parent).await?.len() + 1 > FORKS_DEEP_MAX {
        return Err(ForkError::TooDeep(from));
    }
    let mut state = State::new(stream.clone());
    let hash = up_to(log, &parent, at, |stored| Ok::<_, ForkError>(Agent::fold(&mut state, &stored.event)?)).await?;
    let drafts = accept::fork(&state, from, hash, by)?;
    let time = ports.clock.now().max(state.time);
    for draft in &drafts {
        Agent::fold(&mut state, &Event { version: Version::NONE.next(), time, draft: draft.clone() })?;
    }
    let append = Append { stream, expected: Expected::NoStream, time, drafts, fence: None, rest: Agent::rest(&state) };
    for _ in 0..TRIES_MAX {
        match log.append(append.clone()).await {
            Ok(_) => return Ok(Forked { session, from, at, hash }),
            // The log tells a repeat from a conflict.
            Err(AppendError::Unknown(_)) => {}
            // Somebody else gave the same name at the same time.
            Err(AppendError::Conflict { .. }) if let Some(forked) = made_before(log, session).await? => return same(forked, from, wanted),
            Err(error) => return Err(error.into()),
        }
    }
    Err(AppendError::Unknown(format!("asked {TRIES_MAX} times")).into())
}

/// The fork of this name, if there is a session of this name.
async fn made_before(log: &dyn Log, session: SessionId) -> Result<Option<Forked>, ForkError> {
    let Some(first) = log.read(&StreamId::session(session), Version::NONE.next(), 1).await?.pop() else { return Ok(None) };
    let Body::SessionForked(SessionForked { from, at, hash, .. }) = first.event.draft.body else { return Err(Rejection::Exists.into()) };
    Ok(Some(Forked { session, from, at, hash }))
}

fn same(forked: Forked, from: SessionId, at: Option<Version>) -> Result<Forked, ForkError> {
    if forked.from == from && at.is_none_or(|at| at == forked.at) { Ok(forked) } else { Err(ForkError::Taken(forked)) }
}
