//! What people want to count beyond the session: brought once, for sure, and not before it was to be.

use super::{Invariant, Violation, hold};
use contract::ask::{Answer, Grant};
use contract::body::{AskAnswered, DeliveryStarted, Parcel};
use contract::id::{EventId, Key};
use contract::rule::Rule;
use serde::Serialize;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Deliveries(Vec<Delivery>);

#[derive(Clone, Debug, Serialize)]
struct Delivery {
    rule: Rule,
    started: Option<(EventId, Key)>,
    arrived: bool,
}

impl Deliveries {
    /// A person answered; an approval for good is to be brought.
    pub fn answer(&mut self, answered: &AskAnswered) {
        if let (Answer::Approve { grant: Grant::Always }, Some(rule)) = (&answered.answer, &answered.rule) {
            self.0.push(Delivery { rule: rule.clone(), started: None, arrived: false });
        }
    }

    pub fn start(&mut self, delivery: EventId, started: &DeliveryStarted) -> Result<(), Violation> {
        let Parcel::Rule { rule, .. } = &started.parcel;
        let wanted = self.0.iter_mut().find(|open| open.started.is_none() && open.rule == *rule);
        match wanted {
            Some(open) => open.started = Some((delivery, started.key.clone())),
            None => return Err(Violation::new(Invariant::DeliveredOnce, format!("nobody wants {rule} to count for good"))),
        }
        Ok(())
    }

    /// It is stored in the other stream.
    pub fn arrive(&mut self, key: &Key) -> Result<(), Violation> {
        let open = self.0.iter_mut().find(|open| open.started.as_ref().is_some_and(|(_, other)| other == key));
        let Some(open) = open else {
            return Err(Violation::new(Invariant::StartedBeforeEffect, format!("{key} arrives and was not to be brought")));
        };
        hold(!std::mem::replace(&mut open.arrived, true), Invariant::DeliveredOnce, || format!("{key} arrives again"))
    }

    pub fn end(&mut self, delivery: EventId, finished: bool) -> Result<(), Violation> {
        let place = self.0.iter().position(|open| open.started.as_ref().is_some_and(|(started, _)| *started == delivery));
        let Some(place) = place else {
            return Err(Violation::new(Invariant::DeliveredOnce, format!("{delivery} ends and is not open")));
        };
        let open = self.0.remove(place);
        hold(open.arrived || !finished, Invariant::DeliveredOnce, || format!("{open:?} is called delivered"))
    }

    /// What is to be brought now.
    pub fn started(&self) -> impl Iterator<Item = EventId> {
        self.0.iter().filter_map(|open| open.started.as_ref().map(|(delivery, _)| *delivery))
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
