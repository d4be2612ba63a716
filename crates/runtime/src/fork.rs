//! Making a session that begins as another one was. The other is only read, and is not told.

use crate::Ports;
use crate::read::{ancestors, up_to};
use agent::accept;
use agent::{Agent, State};
use contract::body::Principal;
use contract::event::Event;
use contract::id::{SessionId, Sha256, StreamId};
use contract::input::Rejection;
use contract::limits::FORKS_DEEP_MAX;
use contract::machine::{Illegal, Machine};
use contract::port::{Append, AppendError, Expected, LogError};
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
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Illegal(#[from] Illegal),
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// Makes `session`, which nobody may have made before, out of `from` as it was at a version, or as it is now.
pub async fn fork(ports: &Ports, from: SessionId, at: Option<Version>, session: SessionId, by: Principal) -> Result<Forked, ForkError> {
    let (log, parent, stream) = (ports.log.as_ref(), StreamId::session(from), StreamId::session(session));
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
            Err(error) => return Err(error.into()),
        }
    }
    Err(AppendError::Unknown(format!("asked {TRIES_MAX} times")).into())
}
