//! Branching off: a new session that begins as another one was.

use crate::{StartError, Throughline, random};
use contract::body::Principal;
use contract::id::{SessionId, derive};
use contract::units::Version;
use runtime::fork::{ForkError, Forked, fork};

impl Throughline {
    /// Makes a session out of another one as it was at a version, or as it is now. The other is unaffected, also while
    /// it runs. The new one waits for something to be said to it. The same key again finds it.
    pub async fn fork(&self, from: SessionId, at: Option<Version>, key: Option<&str>, by: Principal) -> Result<Forked, StartError> {
        let session = match key {
            Some(key) => SessionId(derive("fork", &[key.as_bytes()])),
            None => SessionId(random()?),
        };
        Ok(fork(&self.ports, from, at, session, by).await?)
    }
}

impl From<ForkError> for StartError {
    fn from(error: ForkError) -> StartError {
        match error {
            ForkError::NoSession(session) => StartError::NoSession(session),
            ForkError::NoVersion { .. } | ForkError::TooDeep(_) | ForkError::Taken(_) => StartError::Fork(error),
            ForkError::Log(error) => StartError::Log(error),
            ForkError::Illegal(illegal) => StartError::Store(illegal.to_string()),
            ForkError::Rejected(rejection) => StartError::Rejected(rejection),
            ForkError::Append(error) => StartError::Append(error),
        }
    }
}
