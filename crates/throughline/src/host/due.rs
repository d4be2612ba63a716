//! When streams at rest are due: each has one time, and the next one is first.

use contract::id::StreamId;
use contract::units::Time;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub struct Due {
    order: BTreeSet<(Time, StreamId)>,
    times: BTreeMap<StreamId, Time>,
}

impl Due {
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// A time that was set before no longer counts.
    pub fn set(&mut self, stream: &StreamId, at: Time) {
        self.forget(stream);
        self.times.insert(stream.clone(), at);
        self.order.insert((at, stream.clone()));
    }

    pub fn forget(&mut self, stream: &StreamId) {
        if let Some((stream, at)) = self.times.remove_entry(stream) {
            self.order.remove(&(at, stream));
        }
    }

    /// The next time of all.
    pub fn first(&self) -> Option<Time> {
        self.order.first().map(|(at, _)| *at)
    }

    /// Takes out a stream whose time has come.
    pub fn pop(&mut self, now: Time) -> Option<StreamId> {
        let (_, stream) = self.order.first().filter(|(at, _)| *at <= now)?.clone();
        self.forget(&stream);
        Some(stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::id::SessionId;

    #[test]
    fn each_stream_is_due_once_at_the_time_that_was_set_last() {
        let stream = |number: u8| StreamId::session(SessionId([number; 16]));
        let mut due = Due::default();
        for at in [9, 7, 5] {
            due.set(&stream(1), Time(at));
        }
        due.set(&stream(2), Time(4));
        due.set(&stream(3), Time(1));
        due.forget(&stream(3));
        assert_eq!((due.len(), due.first()), (2, Some(Time(4))));
        assert_eq!((due.pop(Time(3)), due.pop(Time(4)), due.pop(Time(4))), (None, Some(stream(2)), None));
        assert_eq!((due.pop(Time(99)), due.pop(Time(99)), due.len(), due.first()), (Some(stream(1)), None, 0, None));
    }
}
