//! The durable log of the virtual world, as the contract describes it.

use crate::monitor::{Invariant, Monitor, Violation};
use agent::{Agent, State};
use contract::event::Event;
use contract::id::StreamId;
use contract::machine::Machine;
use contract::port::{Append, AppendError, Appended};
use contract::units::{Epoch, Position, Version};
use serde::Serialize;
use std::sync::Arc;

#[derive(Clone, Debug, Serialize)]
pub struct VirtualLog {
    pub stream: StreamId,
    #[serde(skip)]
    pub events: Vec<Arc<Event>>,
    /// The fold of the events.
    pub state: State,
    pub lease: Epoch,
}

impl VirtualLog {
    #[must_use]
    pub fn new(stream: StreamId) -> VirtualLog {
        VirtualLog { state: Agent::new(stream.clone()), stream, events: Vec::new(), lease: Epoch::default() }
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
    pub fn read(&self) -> Vec<Event> {
        self.events.iter().map(|event| event.as_ref().clone()).collect()
    }

    pub fn acquire(&mut self) -> Epoch {
        self.lease = Epoch(self.lease.0 + 1);
        self.lease
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
        let there = self.events.iter().skip(base.0 as usize).map(|event| event.draft.id);
        let same = append.drafts.iter().map(|draft| draft.id);
        let appended = |replayed| {
            let last = base.plus(append.drafts.len());
            Appended { first: base.next(), last, position: Position(last.0), replayed }
        };
        if there.take(append.drafts.len()).eq(same) {
            return Ok(Ok(appended(true)));
        }
        if base != self.version() {
            return Ok(Err(AppendError::Conflict { actual: self.version() }));
        }
        for draft in &append.drafts {
            let event = Event { version: self.version().next(), time: append.time, draft: draft.clone() };
            monitor.stored(&event, by)?;
            let folded = Agent::fold(&mut self.state, &event);
            folded.map_err(|illegal| Violation::new(Invariant::ReachesRest, illegal.to_string()))?;
            self.events.push(Arc::new(event));
        }
        Ok(Ok(appended(false)))
    }
}
