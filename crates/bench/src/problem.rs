//! What can stop a measurement.

use contract::port::{AppendError, LeaseError, LogError};
use std::io;

#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("{0}")]
    Usage(String),
    #[error("{0}: {1}")]
    Io(String, io::Error),
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Open(#[from] throughline::OpenError),
    #[error(transparent)]
    Journal(#[from] throughline::JournalError),
    #[error(transparent)]
    Start(#[from] throughline::StartError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// What was measured did not do what it should have.
    #[error("{0}")]
    Wrong(String),
}

/// Says what was being done when an operation of the system failed.
pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Problem {
    let what = what.into();
    move |error| Problem::Io(what, error)
}

pub fn wrong(what: impl Into<String>) -> Problem {
    Problem::Wrong(what.into())
}
