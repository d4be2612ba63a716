//! What the writer can be asked to do, and the ticket by which each caller gets its answer.
//!
//! Owns the rule that an answer is kept back until the transaction is durable. Must not touch the connection itself.

use super::stop::Stop;
use super::trouble;
use super::{append, lease, query};
use crate::append::Prepared;
use crate::board::Mark;
use crate::hosts::Hosts;
use contract::id::{Sha256, StreamId};
use contract::port::{AppendError, Appended, Lease, LeaseError, LogError};
use contract::units::Epoch;
use rusqlite::Connection;
use tokio::sync::oneshot;

pub(super) enum Job {
    Append { append: Prepared, ticket: Ticket<Appended, AppendError> },
    PutBlob { sha256: Sha256, bytes: Vec<u8>, ticket: Ticket<(), LogError> },
    Acquire { stream: StreamId, ticket: Ticket<Lease, LeaseError> },
    Release { stream: StreamId, epoch: Epoch, ticket: Ticket<(), LeaseError> },
}

/// Whether what a job wrote becomes part of the transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Kept,
    Undone,
}

/// Why a whole transaction was not committed.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// Surely not stored; the next transaction may succeed.
    Busy(String),
    /// Maybe stored, and nothing after it can be trusted to be.
    Broken(String),
}

impl Job {
    /// Does the work inside the savepoint of this job. An error is one of the storage and ends the transaction.
    pub fn run(&mut self, connection: &Connection, hosts: &Hosts) -> Result<Written, Failure> {
        match self {
            Job::Append { append, ticket } => ticket.keep(append::append(connection, append)),
            Job::PutBlob { sha256, bytes, ticket } => ticket.keep(query::put_blob(connection, *sha256, bytes).map_err(Stop::Storage)),
            Job::Acquire { stream, ticket } => ticket.keep(lease::acquire(connection, hosts, stream)),
            Job::Release { stream, epoch, ticket } => ticket.keep(lease::release(connection, stream, *epoch).map_err(Stop::Storage)),
        }
    }

    /// What an append has added to the log, if it did.
    pub fn added(&self) -> Option<(&StreamId, Mark)> {
        match self {
            Job::Append { append, ticket } => match &ticket.outcome {
                Some(Ok(appended)) if !appended.replayed => {
                    Some((&append.stream, Mark { version: appended.last, position: appended.position }))
                }
                Some(Ok(_) | Err(_)) | None => None,
            },
            Job::PutBlob { .. } | Job::Acquire { .. } | Job::Release { .. } => None,
        }
    }

    pub fn is_append(&self) -> bool {
        match self {
            Job::Append { .. } => true,
            Job::PutBlob { .. } | Job::Acquire { .. } | Job::Release { .. } => false,
        }
    }

    /// Answers the caller, now that the transaction is durable or surely failed.
    pub fn settle(self, end: Result<(), &Failure>) {
        match self {
            Job::Append { ticket, .. } => ticket.settle(end),
            Job::PutBlob { ticket, .. } => ticket.settle(end),
            Job::Acquire { ticket, .. } => ticket.settle(end),
            Job::Release { ticket, .. } => ticket.settle(end),
        }
    }
}

pub(super) struct Ticket<T, E> {
    reply: oneshot::Sender<Result<T, E>>,
    outcome: Option<Result<T, E>>,
}

impl<T, E> Ticket<T, E> {
    pub fn new() -> (Ticket<T, E>, oneshot::Receiver<Result<T, E>>) {
        let (reply, answer) = oneshot::channel();
        (Ticket { reply, outcome: None }, answer)
    }
}

impl<T, E: Refusal> Ticket<T, E> {
    fn keep(&mut self, outcome: Result<T, Stop<E>>) -> Result<Written, Failure> {
        let (written, outcome) = match outcome {
            Ok(answer) => (Written::Kept, Ok(answer)),
            Err(Stop::Refused(refusal)) => (Written::Undone, Err(refusal)),
            Err(Stop::Storage(error)) if trouble::is_bad_row(&error) => (Written::Undone, Err(E::bad_row(error.to_string()))),
            Err(Stop::Storage(error)) => return Err(error.into()),
        };
        self.outcome = Some(outcome);
        Ok(written)
    }

    fn settle(self, end: Result<(), &Failure>) {
        let answer = match (end, self.outcome) {
            (Ok(()), Some(outcome)) => outcome,
            (Ok(()), None) => Err(E::failed(&Failure::Busy("the call was not run".to_owned()))),
            (Err(failure), _) => Err(E::failed(failure)),
        };
        // A caller that went away asks again or reads; the log is the same either way.
        let _ = self.reply.send(answer);
    }
}

/// How each kind of caller is told about trouble that is not its own.
pub(super) trait Refusal {
    fn failed(failure: &Failure) -> Self;
    fn bad_row(reason: String) -> Self;
}

impl Refusal for AppendError {
    fn failed(failure: &Failure) -> AppendError {
        match failure {
            Failure::Busy(reason) => AppendError::Unavailable(reason.clone()),
            Failure::Broken(reason) => AppendError::Broken(reason.clone()),
        }
    }

    fn bad_row(reason: String) -> AppendError {
        AppendError::Corrupt(reason)
    }
}

impl Refusal for LogError {
    fn failed(failure: &Failure) -> LogError {
        LogError::Unavailable(failure.reason().to_owned())
    }

    fn bad_row(reason: String) -> LogError {
        LogError::Unavailable(reason)
    }
}

impl Refusal for LeaseError {
    fn failed(failure: &Failure) -> LeaseError {
        LeaseError::Unavailable(failure.reason().to_owned())
    }

    fn bad_row(reason: String) -> LeaseError {
        LeaseError::Unavailable(reason)
    }
}

impl Failure {
    fn reason(&self) -> &str {
        match self {
            Failure::Busy(reason) | Failure::Broken(reason) => reason,
        }
    }
}

/// Everything but a lock that was not free counts as broken: after a failed write or sync nobody knows what is on
/// the disk.
impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        if trouble::is_busy(&error) { Failure::Busy(error.to_string()) } else { Failure::Broken(error.to_string()) }
    }
}
