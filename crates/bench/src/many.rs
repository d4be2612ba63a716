//! A log of many sessions, copied from one and stored through the journal in big batches.

use crate::problem::{Problem, io, wrong};
use crate::seed::random;
use agent::{Agent, State};
use contract::event::Event;
use contract::id::{HostId, SessionId, StreamId, derive};
use contract::limits::APPEND_EVENTS_MAX;
use contract::machine::{Machine, Rest};
use contract::port::{Append, Blobs, Expected, Log};
use contract::units::{Time, Version};
use journal::{Options, SqliteJournal};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Appends under way at once; the writer stores as many in one transaction.
const AT_ONCE: usize = 64;

/// Sessions of one kind.
#[derive(Clone, Debug)]
pub struct Kind {
    pub sessions: usize,
    /// The events of each.
    pub events: Vec<Event>,
}

impl Kind {
    /// The session with this number, the same in every log.
    pub fn id(name: &str, number: usize) -> SessionId {
        SessionId(derive("bench", &[name.as_bytes(), &number.to_be_bytes()]))
    }
}

/// Makes the log unless one of the same making is there. A log that was not finished is made again.
pub async fn make(home: &Path, making: &str, kinds: &[(&'static str, Kind)], blob: Vec<u8>) -> Result<(), Problem> {
    let mark = home.join("made");
    if fs::read_to_string(&mark).is_ok_and(|made| made == making) {
        return Ok(());
    }
    if home.exists() {
        fs::remove_dir_all(home).map_err(io("an older log"))?;
    }
    let journal = Arc::new(SqliteJournal::open(Options::new(home, HostId(random()?)))?);
    journal.put(blob).await?;
    for (name, kind) in kinds {
        fill(&journal, name, kind).await?;
    }
    fs::write(mark, making).map_err(io("the mark of a log"))
}

async fn fill(journal: &Arc<SqliteJournal>, name: &'static str, kind: &Kind) -> Result<(), Problem> {
    let drafts: Arc<Vec<_>> = Arc::new(kind.events.iter().map(|event| event.draft.clone()).collect());
    let time = kind.events.last().map_or(Time(0), |event| event.time);
    let mut state = State::new(StreamId::session(Kind::id(name, 0)));
    for event in &kind.events {
        Agent::fold(&mut state, event).map_err(|illegal| wrong(illegal.to_string()))?;
    }
    let rest = Agent::rest(&state);
    let mut under_way = JoinSet::new();
    for number in 0..kind.sessions {
        if under_way.len() == AT_ONCE {
            finished(&mut under_way).await?;
        }
        let (journal, drafts) = (Arc::clone(journal), Arc::clone(&drafts));
        under_way.spawn(async move {
            let stream = StreamId::session(Kind::id(name, number));
            // The events say that an owner has had it, so the lease must say so too; who is at work still has it.
            let lease = journal.acquire(&stream).await?;
            let mut version = Version::NONE;
            for drafts in drafts.chunks(APPEND_EVENTS_MAX) {
                let (expected, drafts) = (Expected::after(version), drafts.to_vec());
                version = journal.append(Append { stream: stream.clone(), expected, time, drafts, fence: None, rest }).await?.last;
            }
            if rest != Rest::Busy {
                journal.release(&stream, lease.epoch).await?;
            }
            Ok(())
        });
    }
    while !under_way.is_empty() {
        finished(&mut under_way).await?;
    }
    Ok(())
}

async fn finished(under_way: &mut JoinSet<Result<(), Problem>>) -> Result<(), Problem> {
    match under_way.join_next().await {
        Some(ended) => ended.map_err(|error| wrong(error.to_string()))?,
        None => Ok(()),
    }
}
