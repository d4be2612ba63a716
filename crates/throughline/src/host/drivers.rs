//! The tasks that drive sessions. Whichever way one ends, its stream is known and free again.

use contract::id::StreamId;
use contract::machine::Rest;
use contract::port::Clock;
use contract::units::Version;
use runtime::drive::Leave;
use runtime::shell::Handle;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinSet};

/// How long a session that rests stays in memory, because people often go on at once.
const REST_PATIENCE: Duration = Duration::from_secs(30);

/// What a driven session is heard of.
#[derive(Debug, PartialEq)]
pub enum Heard {
    /// This process owns it now.
    Owned(StreamId),
    LetGo(StreamId, How),
}

/// How a session was let go.
#[derive(Debug, PartialEq)]
pub enum How {
    Rested,
    Left(Leave),
    /// Its task ended without a word, which only a bug does.
    Died,
}

#[derive(Debug)]
pub struct Drivers {
    tasks: JoinSet<How>,
    streams: BTreeMap<StreamId, Id>,
    /// Told by a task when it owns its stream.
    owns: mpsc::UnboundedSender<StreamId>,
    owned: mpsc::UnboundedReceiver<StreamId>,
}

impl Drivers {
    pub fn new() -> Drivers {
        let (owns, owned) = mpsc::unbounded_channel();
        Drivers { tasks: JoinSet::new(), streams: BTreeMap::new(), owns, owned }
    }

    pub fn contains(&self, stream: &StreamId) -> bool {
        self.streams.contains_key(stream)
    }

    pub fn len(&self) -> usize {
        self.streams.len()
    }

    pub fn drive(&mut self, stream: StreamId, handle: Handle, stop: watch::Receiver<bool>, clock: Arc<dyn Clock>) {
        let (owns, own) = (self.owns.clone(), stream.clone());
        // Whoever does not listen any more has ended.
        self.begin(stream, drive(handle, stop, clock, move || drop(owns.send(own))));
    }

    fn begin(&mut self, stream: StreamId, work: impl Future<Output = How> + Send + 'static) {
        let task = self.tasks.spawn(work);
        self.streams.insert(stream, task.id());
    }

    /// The next news; none comes while nothing is driven.
    pub async fn next(&mut self) -> Heard {
        loop {
            let ended = tokio::select! {
                // A session is owned before it is let go.
                biased;
                Some(stream) = self.owned.recv() => return Heard::Owned(stream),
                Some(ended) = self.tasks.join_next_with_id() => ended,
                else => std::future::pending().await,
            };
            let (id, how) = match ended {
                Ok((id, how)) => (id, how),
                Err(panicked) => (panicked.id(), How::Died),
            };
            let stream = self.streams.iter().find(|(_, task)| **task == id).map(|(stream, _)| stream.clone());
            if let Some(stream) = stream {
                self.streams.remove(&stream);
                return Heard::LetGo(stream, how);
            }
        }
    }

    /// Waits until everything is let go; whoever stops them has told them so.
    pub async fn end(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Drives a session until it has rested for a while, its driver left, or this process is to stop.
async fn drive(handle: Handle, mut stop: watch::Receiver<bool>, clock: Arc<dyn Clock>, owns: impl FnOnce()) -> How {
    let mut progress = handle.progress();
    let mut owns = Some(owns);
    loop {
        let now = progress.borrow_and_update().clone();
        // Nothing is shown before the takeover is durable.
        if now.version > Version::NONE
            && let Some(owns) = owns.take()
        {
            owns();
        }
        if let Some(left) = now.left {
            return How::Left(left);
        }
        let rests = match now.rest {
            Rest::Busy => false,
            Rest::Until(at) => at > clock.now().plus_ms(REST_PATIENCE.as_millis() as u64),
            Rest::Waiting | Rest::Closed => true,
        };
        tokio::select! {
            changed = progress.changed() => if changed.is_err() {
                return progress.borrow().left.clone().map_or(How::Died, How::Left);
            },
            () = tokio::time::sleep(REST_PATIENCE), if rests => break,
            _ = stop.wait_for(|stop| *stop) => break,
        }
    }
    handle.drain().await;
    How::Rested
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::id::SessionId;

    #[tokio::test]
    async fn a_task_that_panics_gives_its_stream_back() {
        let stream = StreamId::session(SessionId([1; 16]));
        let mut drivers = Drivers::new();
        drivers.begin(stream.clone(), async { panic!("planted") });
        assert!(drivers.contains(&stream));
        assert_eq!(drivers.next().await, Heard::LetGo(stream.clone(), How::Died));
        assert_eq!((drivers.contains(&stream), drivers.len()), (false, 0));
    }
}
