//! The invariants, checked from outside: over the events as they are stored and the effects as they happen.
//!
//! The monitor keeps its own small account and never asks the machine, so that a mistake in the machine shows.

mod account;
mod actions;
mod asks;
mod authors;
mod deliveries;
mod inbox;
mod invariant;
mod request;
mod spent;
mod taint;
#[cfg(test)]
mod tests;

pub use actions::Acted;
pub use authors::is_intent;
pub use invariant::{Invariant, Violation, hold};

use actions::Actions;
use asks::Asks;
use authors::{is_first_cause, person_key};
use contract::body::{Body, Purpose, Spend};
use contract::config::Policy;
use contract::effect::Effect;
use contract::event::Event;
use contract::id::{ActionId, CallId, EventId, Key, RunId, Sha256};
use contract::port::Append;
use contract::request::ModelRequest;
use contract::rule::Rule;
use contract::text::Text;
use contract::units::{Epoch, Time, Version};
use deliveries::Deliveries;
use inbox::Inbox;
use request::Requests;
use serde::Serialize;
use spent::Spent;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the monitor remembers of a history.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Monitor {
    #[serde(skip)]
    version: Version,
    epoch: Epoch,
    run: Option<OpenRun>,
    model: Option<ModelCall>,
    /// A reply whose text was not said yet.
    unsaid: Option<EventId>,
    actions: Actions,
    asks: Asks,
    inbox: Inbox,
    requests: Requests,
    spent: Spent,
    retry_at: Option<Time>,
    /// Of everything people said and did.
    keys: BTreeSet<Key>,
    /// Ids minted for what people said by anyone, stored or not.
    minted: BTreeMap<(&'static str, Key), EventId>,
    /// Of the last run, the same for all runs of a scenario.
    #[serde(skip)]
    policy: Policy,
    /// What approvals for the whole session allow.
    rules: Vec<Rule>,
    taint: taint::Taint,
    deliveries: Deliveries,
    /// A call was not admitted, and nobody has said that it may be made all the same.
    day_is_spent: bool,
}

#[derive(Clone, Debug, Serialize)]
struct OpenRun {
    id: RunId,
    paused: bool,
    /// A person ended it.
    ending: Option<Ending>,
    /// A message wants its foreground ended.
    interrupted: bool,
    empty_replies: u8,
    /// Its model said all it may, or cannot be asked any more.
    is_over: bool,
    /// What people were told of: cost, and a slow call.
    warned: (bool, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Ending {
    Denied,
    Stopped,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct ModelCall {
    request: EventId,
    attempt: u16,
    epoch: Epoch,
    purpose: Purpose,
    reserve: Spend,
}

impl Monitor {
    /// An event is stored by a host under this epoch, after these; people's inputs may be stored by anyone.
    pub fn stored(&mut self, event: &Event, by: Option<Epoch>, before: &[Arc<Event>]) -> Result<(), Violation> {
        let follows = if let Body::SessionForked(forked) = &event.draft.body {
            event.version == Version::NONE.next() && forked.at == self.version
        } else {
            event.version == self.version.next()
        };
        hold(follows, Invariant::VersionsDense, || format!("{} after {}", event.version, self.version))?;
        self.version = event.version;
        let name = event.draft.body.name();
        let is_there = |id: EventId| before.iter().any(|other| other.draft.id == id);
        for cause in event.draft.cause.iter().chain(&event.draft.correlation) {
            hold(is_there(*cause), Invariant::CauseIsEarlier, || format!("{name} has cause {cause}"))?;
        }
        let has_cause = event.draft.cause.is_some() || is_first_cause(&event.draft.body);
        hold(has_cause, Invariant::CauseIsEarlier, || format!("{name} has no cause"))?;
        if is_intent(&event.draft.body) {
            let stale = by.is_none_or(|epoch| epoch < self.epoch);
            hold(!stale, Invariant::OwnerCommits, || format!("{name} by epoch {by:?} under {}", self.epoch))?;
        }
        // The event that starts a run may count itself to it.
        let starts = matches!(&event.draft.body, Body::RunStarted(started) if event.draft.run == Some(started.run));
        let open = self.run.as_ref().map(|run| run.id);
        let of_open_run = starts || event.draft.run.is_none() || event.draft.run == open;
        hold(of_open_run, Invariant::RunIsOpen, || format!("{name} of {:?} while {open:?}", event.draft.run))?;
        if let Some(key) = person_key(&event.draft.body) {
            hold(self.keys.insert(key.clone()), Invariant::KeyOnce, || format!("{name} {key}"))?;
        }
        self.account(event)?;
        // Last, because what a repeat means says more than that it is one.
        hold(!is_there(event.draft.id), Invariant::IdsUnique, || format!("{name} {}", event.draft.id))
    }

    /// Someone wants these events stored. Whether they are or not, a fact has one name, and a result one attempt.
    pub fn offered(&mut self, append: &Append) -> Result<(), Violation> {
        for draft in &append.drafts {
            if let Some(key) = person_key(&draft.body) {
                let (name, id) = (draft.body.name(), draft.id);
                let first = *self.minted.entry((name, key.clone())).or_insert(id);
                hold(first == id, Invariant::FactIdStable, || format!("{name} {key} is {first} and {id}"))?;
            }
            if let Body::ToolFinished(finished) = &draft.body {
                hold(result_attempt(&finished.output) == Some(finished.attempt), Invariant::ResultOfAttempt, || {
                    format!("{:?} on attempt {}", finished.output, finished.attempt)
                })?;
            }
        }
        Ok(())
    }

    /// A tool has its effect now.
    pub fn acted(&mut self, acted: &Acted) -> Result<(), Violation> {
        self.actions.acted(acted)
    }

    /// What was to be brought to another stream is stored there now.
    pub fn arrived(&mut self, key: &Key) -> Result<(), Violation> {
        self.deliveries.arrive(key)
    }

    /// Whether something is still to be brought to another stream.
    #[must_use]
    pub fn has_undelivered(&self) -> bool {
        !self.deliveries.is_empty()
    }

    /// A model is to be asked this, after these events.
    pub fn request(&mut self, request: &ModelRequest, proven: Sha256, log: &[Arc<Event>]) -> Result<(), Violation> {
        self.requests.check(request, proven, log, &self.actions)
    }

    /// Drops ended actions that nobody can act for any more, so that equal worlds look equal.
    pub fn forget(&mut self, may_act: impl Fn(ActionId) -> bool) {
        self.actions.forget(may_act);
    }

    /// What was requested and not answered, as the owner should want it.
    #[must_use]
    pub fn expected_effects(&self) -> Vec<Effect> {
        let parked = self.is_parked();
        let next = self.inbox.next().filter(|_| self.run.is_none() && !parked);
        let model = self.model.filter(|model| model.epoch == self.epoch);
        let model = model.map(|ModelCall { request, attempt, .. }| Effect::Model { request, attempt });
        let deliveries = self.deliveries.started().map(Effect::Deliver);
        next.map(Effect::Prepare).into_iter().chain(model).chain(self.actions.effects(self.epoch, parked)).chain(deliveries).collect()
    }

    /// What must hold when the owner has nothing left to decide: what was stopped is ending.
    pub fn check_ended(&self) -> Result<(), Violation> {
        let run_ends = self.run.as_ref().is_some_and(|run| run.ending.is_some());
        let interrupted = self.run.as_ref().is_some_and(|run| run.interrupted);
        let asks = self.model.filter(|_| run_ends || interrupted);
        hold(asks.is_none(), Invariant::StopEndsScope, || format!("{asks:?} goes on"))?;
        self.actions.check_ended(run_ends)
    }

    /// Whether anybody can still act for this call.
    #[must_use]
    pub fn knows(&self, call: CallId) -> bool {
        self.actions.knows(call)
    }

    /// Whether a person's word with this key is in the log.
    #[must_use]
    pub fn has_key(&self, key: &Key) -> bool {
        self.keys.contains(key)
    }

    #[must_use]
    pub fn open_actions(&self) -> usize {
        self.actions.open().count()
    }

    /// Whether this attempt has started and not ended.
    #[must_use]
    pub fn is_running(&self, action: ActionId, attempt: u16) -> bool {
        self.actions.is_running(action, attempt)
    }

    #[must_use]
    pub fn has_open_run(&self) -> bool {
        self.run.is_some()
    }

    /// Whether a message waits that a run should answer.
    #[must_use]
    pub fn has_unanswered(&self) -> bool {
        self.inbox.next().is_some()
    }

    /// Whether the session begins nothing before a person has spoken. Who stops a run is not asked whether it may go on.
    #[must_use]
    pub fn is_parked(&self) -> bool {
        let ending = self.run.as_ref().is_some_and(|run| run.ending.is_some());
        let paused = self.run.as_ref().is_some_and(|run| run.paused);
        !ending && (paused || self.asks.park())
    }

    /// Whether it is a person's turn.
    #[must_use]
    pub fn waits_for_person(&self) -> bool {
        self.is_parked() || !self.asks.is_empty()
    }
}

/// The text that the virtual world gives as result of an attempt, and its reading.
#[must_use]
pub fn result_of(attempt: u16) -> Text {
    Text::Inline(format!("result of attempt {attempt}"))
}

fn result_attempt(text: &Text) -> Option<u16> {
    text.shown().strip_prefix("result of attempt ")?.parse().ok()
}
