//! The durable log of the virtual world, as the contract describes it.

use crate::monitor::{Invariant, Monitor, Violation, hold};
use agent::{Agent, State};
use contract::body::Body;
use contract::event::Event;
use contract::id::{Key, StreamId};
use contract::machine::Machine;
use contract::port::{Append, AppendError, Appended};
use contract::units::{Epoch, Position, Version};
use serde::Serialize;
use std::sync::Arc;

#[derive(Clone, Debug, Serialize)]
pub struct VirtualLog {
    pub stream: StreamId,
    #[serde(skip)]
    pub events: Arc<Vec<Arc<Event>>>,
    /// The fold of the events.
    pub state: Arc<State>,
    pub lease: Epoch,
}

impl VirtualLog {
    #[must_use]
    pub fn new(stream: StreamId) -> VirtualLog {
        VirtualLog { state: Arc::new(Agent::new(stream.clone())), stream, events: Arc::default(), lease: Epoch::default() }
    }

    #[must_use]
    pub fn has_owner(&self) -> bool {
        self.state.owner.is_some()
    }

    #[must_use]
    pub fn version(&self) -> Version {
        self.state.version
    }

    #[must_use]
    pub fn read(&self, from: Version) -> Vec<Event> {
        self.events.iter().filter(|event| event.version >= from).map(|event| event.as_ref().clone()).collect()
    }

    /// Where the ask was opened that was answered under this key, if one was.
    #[must_use]
    pub fn asked(&self, key: &Key) -> Option<Version> {
        let bodies = || self.events.iter().map(|event| (event.version, &event.draft.body));
        let mut answers = bodies().filter_map(|(_, body)| if let Body::AskAnswered(answered) = body { Some(answered) } else { None });
        let ask = answers.find(|answered| answered.key == *key)?.ask;
        bodies().find_map(|(version, body)| matches!(body, Body::AskOpened(opened) if opened.ask.ask == ask).then_some(version))
    }

    pub fn acquire(&mut self) -> Epoch {
        self.lease = Epoch(self.lease.0 + 1);
        self.lease
    }

    /// Whether these very events are where the append wants them.
    #[must_use]
    pub fn holds(&self, append: &Append) -> bool {
        let there = self.events.iter().skip(append.expected.version().0 as usize).map(|event| event.draft.id);
        there.take(append.drafts.len()).eq(append.drafts.iter().map(|draft| draft.id))
    }

    /// Appends as the contract demands; `by` is the epoch of the host that asks, if it is one.
    pub fn append(
        &mut self,
        append: &Append,
        by: Option<Epoch>,
        monitor: &mut Monitor,
    ) -> Result<Result<Appended, AppendError>, Violation> {
        if let Some(fence) = append.fence
            && fence.epoch != self.lease
        {
            return Ok(Err(AppendError::Fenced { epoch: self.lease }));
        }
        let base = append.expected.version();
        let appended = |replayed| {
            let last = base.plus(append.drafts.len());
            Appended { first: base.next(), last, position: Position(last.0), replayed }
        };
        if self.holds(append) {
            return Ok(Ok(appended(true)));
        }
        if base != self.version() {
            return Ok(Err(AppendError::Conflict { actual: self.version() }));
        }
        for draft in &append.drafts {
            let event = Event { version: self.version().next(), time: append.time, draft: draft.clone() };
            self.store(event, by, monitor)?;
        }
        let rest = Agent::rest(&self.state);
        hold(append.rest == rest, Invariant::RestIsTrue, || format!("stored {:?}, is {rest:?}", append.rest))?;
        Ok(Ok(appended(false)))
    }

    fn store(&mut self, event: Event, by: Option<Epoch>, monitor: &mut Monitor) -> Result<(), Violation> {
        monitor.stored(&event, by, &self.events)?;
        let folded = Agent::fold(Arc::make_mut(&mut self.state), &event);
        folded.map_err(|illegal| Violation::new(Invariant::ReachesRest, illegal.to_string()))?;
        if let Body::ModelRequested(requested) = &event.draft.body {
            let request = agent::context::context(&self.state);
            let request = request.ok_or_else(|| Violation::new(Invariant::RequestProven, "requested, and no call is open"))?;
            monitor.request(&request, requested.request_sha256, &self.events)?;
        }
        Arc::make_mut(&mut self.events).push(Arc::new(event));
        Ok(())
    }
}
