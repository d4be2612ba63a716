//! The durable log of the virtual world, as the contract describes it.

use crate::monitor::{Invariant, Monitor, Violation, hold};
use agent::{Agent, State};
use contract::body::{Body, Principal};
use contract::event::Event;
use contract::id::{Key, Sha256, StreamId};
use contract::machine::{Machine, Rest};
use contract::port::{Append, AppendError, Appended};
use contract::units::{Epoch, Position, Time, Version};
use serde::Serialize;
use std::sync::Arc;

#[derive(Clone, Debug, Serialize)]
pub struct VirtualLog {
    pub stream: StreamId,
    /// Everything that the state is folded from.
    #[serde(skip)]
    pub events: Arc<Vec<Arc<Event>>>,
    /// How many of them belong to the session that this one was forked from.
    #[serde(skip)]
    inherited: usize,
    /// The fold of the events.
    pub state: Arc<State>,
    pub lease: Epoch,
}

impl VirtualLog {
    #[must_use]
    pub fn new(stream: StreamId) -> VirtualLog {
        VirtualLog { state: Arc::new(Agent::new(stream.clone())), stream, events: Arc::default(), inherited: 0, lease: Epoch::default() }
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
        self.own().filter(|event| event.version >= from).map(|event| event.as_ref().clone()).collect()
    }

    /// Events of the session that this one was forked from.
    pub fn inherited(&self) -> impl Iterator<Item = &Arc<Event>> {
        self.events.iter().take(self.inherited)
    }

    fn own(&self) -> impl Iterator<Item = &Arc<Event>> {
        self.events.iter().skip(self.inherited)
    }

    /// Goes on as another session, forked from this one as it is now. Nobody has driven that one yet.
    pub fn fork(&mut self, stream: StreamId, by: Principal, now: Time, monitor: &mut Monitor) -> Result<(), Violation> {
        let wrong = |what: String| Violation::new(Invariant::ReachesRest, what);
        let from = std::mem::replace(&mut self.stream, stream.clone()).session_id().ok_or_else(|| wrong("no session".to_owned()))?;
        Arc::make_mut(&mut self.state).stream = stream;
        (self.inherited, self.lease) = (self.events.len(), Epoch::default());
        let drafts = agent::accept::fork(&self.state, from, Sha256::of(b"chain"), by).map_err(|error| wrong(error.to_string()))?;
        for draft in drafts {
            self.store(Event { version: Version::NONE.next(), time: now.max(self.state.time), draft }, None, monitor)?;
        }
        let rest = Agent::rest(&self.state);
        hold(rest == Rest::Waiting, Invariant::ReachesRest, || format!("a fork is {rest:?}: {:?}", self.state))
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
        let there = self.own().skip(append.expected.version().0 as usize).map(|event| event.draft.id);
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
