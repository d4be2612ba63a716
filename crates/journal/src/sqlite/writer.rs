//! The one thread of a process that writes, with group commit.
//!
//! Owns the queue and the transaction around the jobs. Must not answer a caller before the commit, and after a
//! failed one must not write again: the process ends and recovers from what is durable.

use super::bell::Bell;
use super::job::{Failure, Job, Written};
use super::tuning::Loss;
use crate::board::Board;
use crate::hosts::Hosts;
use contract::crash;
use rusqlite::{Connection, TransactionBehavior};
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tokio::sync::mpsc;

/// Jobs that may wait; beyond this a caller waits for its place, so memory is bounded while the disk is slow.
const QUEUE_JOBS_MAX: usize = 256;
/// Jobs of one transaction: enough to share the cost of a sync, few enough that the first does not wait for long.
const BATCH_JOBS_MAX: usize = 64;

pub(super) struct Writer {
    /// Present until the writer is dropped.
    queue: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// Everything that the thread works with.
pub(super) struct Desk {
    pub connection: Connection,
    pub hosts: Arc<Hosts>,
    pub board: Arc<Board>,
    pub bell: Bell,
    pub loss: Option<Loss>,
}

/// Why a job has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Lost {
    #[error("the writer has ended")]
    NotQueued,
    #[error("the writer ended before it answered")]
    Unanswered,
}

impl Writer {
    pub fn start(desk: Desk) -> io::Result<Writer> {
        let (queue, jobs) = mpsc::channel(QUEUE_JOBS_MAX);
        let thread = thread::Builder::new().name("journal-writer".to_owned()).spawn(move || serve(desk, jobs))?;
        Ok(Writer { queue: Some(queue), thread: Some(thread) })
    }

    pub async fn submit(&self, job: Job) -> Result<(), Lost> {
        let queue = self.queue.as_ref().ok_or(Lost::NotQueued)?;
        queue.send(job).await.map_err(|_| Lost::NotQueued)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Without a sender the thread ends after the jobs that are queued.
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has answered nobody since, which its callers saw.
            let _ = thread.join();
        }
    }
}

fn serve(mut desk: Desk, mut jobs: mpsc::Receiver<Job>) {
    let mut batch = Vec::new();
    let mut broken = None;
    while jobs.blocking_recv_many(&mut batch, BATCH_JOBS_MAX) > 0 {
        desk.lose(Loss::NotStored, &mut batch);
        let end = match &broken {
            None => commit(&mut desk.connection, &desk.hosts, &mut batch),
            Some(failure) => Err(Failure::clone(failure)),
        };
        let has_grown = end.is_ok() && desk.announce(&batch);
        desk.lose(Loss::Stored, &mut batch);
        for job in batch.drain(..) {
            job.settle(end.as_ref().copied());
        }
        if has_grown {
            desk.bell.ring();
        }
        if let Err(failure @ Failure::Broken(_)) = end {
            broken = Some(failure);
        }
    }
}

impl Desk {
    /// Tells the followers in this process what was added; false if nothing was.
    fn announce(&self, batch: &[Job]) -> bool {
        let mut has_grown = false;
        for (stream, mark) in batch.iter().filter_map(Job::added) {
            self.board.announce(stream, mark);
            has_grown = true;
        }
        has_grown
    }

    /// Drops an append that a test wants to get no answer.
    fn lose(&mut self, loss: Loss, batch: &mut Vec<Job>) {
        if self.loss == Some(loss)
            && let Some(at) = batch.iter().position(Job::is_append)
        {
            batch.remove(at);
            self.loss = None;
        }
    }
}

/// Runs the jobs in one transaction, so that one that is refused leaves no trace.
fn commit(connection: &mut Connection, hosts: &Hosts, batch: &mut [Job]) -> Result<(), Failure> {
    match commit_plainly(connection, hosts, batch)? {
        Traces::None => Ok(()),
        Traces::Left => commit_in_savepoints(connection, hosts, batch),
    }
}

/// Whether a job that was refused had written something before.
enum Traces {
    None,
    Left,
}

/// A job is refused before it writes unless the log is damaged. With traces nothing of all the jobs is stored.
fn commit_plainly(connection: &mut Connection, hosts: &Hosts, batch: &mut [Job]) -> Result<Traces, Failure> {
    // Immediate: the stream rows that the jobs read cannot change under them.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in batch {
        let before = transaction.total_changes();
        if job.run(&transaction, hosts)? == Written::Undone && transaction.total_changes() != before {
            transaction.rollback()?;
            return Ok(Traces::Left);
        }
    }
    crash::point("commit");
    transaction.commit()?;
    crash::point("committed");
    Ok(Traces::None)
}

/// Each job in a savepoint, which costs about as much as a small job.
fn commit_in_savepoints(connection: &mut Connection, hosts: &Hosts, batch: &mut [Job]) -> Result<(), Failure> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in batch {
        let mut savepoint = transaction.savepoint()?;
        if job.run(&savepoint, hosts)? == Written::Undone {
            savepoint.rollback()?;
        }
        savepoint.commit()?;
    }
    crash::point("commit");
    transaction.commit()?;
    crash::point("committed");
    Ok(())
}
