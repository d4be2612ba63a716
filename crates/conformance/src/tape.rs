//! A subscription as a subscriber should use it: one that was given up as too slow subscribes again.

use crate::journal::Journal;
use contract::filter::Filter;
use contract::id::EventId;
use contract::port::{Delivered, Delivery, LogError, Subscription};
use contract::units::Position;

pub struct Tape {
    filter: Filter,
    subscription: Box<dyn Subscription>,
}

impl Tape {
    #[must_use]
    pub fn new(journal: &dyn Journal, from: Position, filter: Filter) -> Tape {
        Tape { subscription: journal.subscribe(from, filter.clone()), filter }
    }

    /// Everything from the beginning of the log.
    #[must_use]
    pub fn of_all(journal: &dyn Journal) -> Tape {
        Tape::new(journal, Position::default(), Filter::everything())
    }

    /// The next event or mark.
    pub async fn next(&mut self, journal: &dyn Journal) -> Result<Delivery, LogError> {
        loop {
            match self.subscription.next().await? {
                Delivery::Lagged(position) => self.subscription = journal.subscribe(position, self.filter.clone()),
                delivery @ (Delivery::Event(_) | Delivery::CaughtUp(_)) => return Ok(delivery),
            }
        }
    }

    /// The events up to the next mark, and the mark.
    pub async fn caught_up(&mut self, journal: &dyn Journal) -> (Vec<Delivered>, Position) {
        let mut events = Vec::new();
        loop {
            match self.next(journal).await.unwrap() {
                Delivery::Event(event) => events.push(*event),
                Delivery::CaughtUp(position) => return (events, position),
                Delivery::Lagged(position) => panic!("{position:?} was handled"),
            }
        }
    }

    /// This many events, over any number of marks.
    pub async fn events(&mut self, journal: &dyn Journal, count: usize) -> Vec<Delivered> {
        let mut events = Vec::new();
        while events.len() < count {
            if let Delivery::Event(event) = self.next(journal).await.unwrap() {
                events.push(*event);
            }
        }
        events
    }
}

#[must_use]
pub fn ids_delivered(events: &[Delivered]) -> Vec<EventId> {
    events.iter().map(|event| event.stored.event.draft.id).collect()
}

impl std::fmt::Debug for Tape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tape").field("filter", &self.filter).finish_non_exhaustive()
    }
}
