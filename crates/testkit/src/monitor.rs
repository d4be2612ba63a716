//! The invariants, checked from outside: over the events as they are stored and the effects as they happen.
//!
//! The monitor keeps its own small account and never asks the machine, so that a mistake in the machine shows.

mod actions;
mod invariant;
#[cfg(test)]
mod tests;

pub use invariant::{Invariant, Violation, hold};

use actions::Actions;
use contract::ask::Answer;
use contract::body::{Body, Mode, ModelCompleted};
use contract::event::Event;
use contract::id::{ActionId, AskId, CallId, EventId, Key, MessageId, RunId, Sha256};
use contract::port::Append;
use contract::request::{ModelRequest, Part};
use contract::text::Text;
use contract::units::{Epoch, Time, Version};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the monitor remembers of a history.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Monitor {
    #[serde(skip)]
    version: Version,
    epoch: Epoch,
    open_run: Option<RunId>,
    open_model: Option<(EventId, u16)>,
    /// A reply whose text was not said yet.
    unsaid: Option<EventId>,
    actions: Actions,
    asks: BTreeSet<AskId>,
    paused: bool,
    /// A person ended the open run.
    denied: bool,
    waiting: Vec<Waiting>,
    messages: BTreeSet<Key>,
    last_request: Option<(u64, Sha256)>,
    /// The model that was asked last; another one begins its requests anew.
    model: Option<String>,
    retry_at: Option<Time>,
    config: Option<Sha256>,
    /// Ids minted for each message by anyone, stored or not.
    minted: BTreeMap<Key, EventId>,
}

/// A message that no model has seen.
#[derive(Clone, Debug, Serialize)]
struct Waiting {
    message: MessageId,
    mode: Mode,
    /// It has started a run.
    triggered: bool,
    /// It was what the session was about to do when a person said no.
    denied: bool,
}

impl Monitor {
    /// An event is stored by a host under this epoch, after these; people's inputs may be stored by anyone.
    pub fn stored(&mut self, event: &Event, by: Option<Epoch>, before: &[Arc<Event>]) -> Result<(), Violation> {
        hold(event.version == self.version.next(), Invariant::VersionsDense, || format!("{} after {}", event.version, self.version))?;
        self.version = event.version;
        let name = event.draft.body.name();
        let is_there = |id: EventId| before.iter().any(|other| other.draft.id == id);
        hold(!is_there(event.draft.id), Invariant::IdsUnique, || format!("{name} {}", event.draft.id))?;
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
        let of_open_run = starts || event.draft.run.is_none() || event.draft.run == self.open_run;
        hold(of_open_run, Invariant::RunIsOpen, || format!("{name} of {:?} while {:?}", event.draft.run, self.open_run))?;
        self.account(event)
    }

    fn account(&mut self, event: &Event) -> Result<(), Violation> {
        match &event.draft.body {
            Body::OwnerTaken(taken) => self.epoch = taken.epoch,
            Body::MessageReceived(received) => {
                hold(self.messages.insert(received.key.clone()), Invariant::MessageOnce, || received.key.to_string())?;
                self.waiting.push(Waiting { message: received.message, mode: received.mode, triggered: false, denied: false });
            }
            Body::MessageSent(sent) => {
                hold(self.unsaid.take() == Some(sent.completed), Invariant::SaidOnce, || format!("{} is said", sent.completed))?;
            }
            Body::RunStarted(started) => {
                self.starts(event)?;
                self.open_run = Some(started.run);
                self.denied = false;
                for waiting in self.waiting.iter_mut().filter(|waiting| waiting.message == started.message) {
                    hold(!waiting.denied, Invariant::NoStartAfterDenial, || format!("{} is answered after all", started.message))?;
                    waiting.triggered = true;
                }
                if self.config.replace(started.config.sha256) != Some(started.config.sha256) {
                    self.last_request = None;
                }
            }
            Body::RunFinished(finished) => self.finish_run(finished.run)?,
            Body::RunPaused(_) => self.paused = true,
            Body::RunResumed(_) => self.paused = false,
            Body::ModelRequested(requested) => {
                self.starts(event)?;
                let early = self.retry_at.take().is_some_and(|at| event.time < at);
                hold(!early, Invariant::NeverEarly, || format!("requested at {:?}", event.time))?;
                if self.model.replace(requested.model.clone()).as_ref() != Some(&requested.model) {
                    self.last_request = None;
                }
                self.waiting.retain(|waiting| waiting.denied || !(waiting.triggered || waiting.mode == Mode::Steer));
                let open = self.open_model.replace((event.draft.id, requested.attempt));
                hold(open.is_none(), Invariant::ModelCallEndsOnce, || format!("requested while {open:?} is open"))?;
            }
            Body::ModelCompleted(completed) => self.complete(event.draft.id, completed)?,
            Body::ModelFailed(failed) => self.end_model(failed.request, failed.attempt)?,
            Body::ModelRetrying(retrying) => self.retry_at = Some(retrying.at),
            Body::ActionDecided(decided) => self.actions.decide(decided)?,
            Body::ActionWithdrawn(withdrawn) => withdrawn.action.map_or(Ok(()), |action| self.actions.end(action, false))?,
            Body::ToolStarted(started) => {
                self.starts(event)?;
                hold(!self.denied, Invariant::NoStartAfterDenial, || started.action.to_string())?;
                self.actions.start(started.action, started.attempt)?;
            }
            Body::ToolFinished(finished) => {
                self.actions.end_attempt(finished.action, finished.attempt)?;
                self.actions.end(finished.action, true)?;
            }
            Body::ToolCancelled(cancelled) => self.actions.cancel(cancelled.action, cancelled.attempt)?,
            Body::ToolUnknown(unknown) => self.actions.end_attempt(unknown.action, unknown.attempt)?,
            Body::ToolReconciled(reconciled) => self.actions.end(reconciled.action, false)?,
            Body::ToolAdopted(adopted) => self.actions.adopt(adopted.action, adopted.attempt)?,
            Body::AskOpened(opened) => drop(self.asks.insert(opened.ask.ask)),
            Body::AskAnswered(answered) => {
                self.asks.remove(&answered.ask);
                if answered.answer == Answer::Deny {
                    self.deny();
                }
            }
            Body::SessionCreated(_) | Body::HostQuarantined(_) | Body::HostRecovered(_) => {}
        }
        Ok(())
    }

    /// Something that acts on the world begins.
    fn starts(&self, event: &Event) -> Result<(), Violation> {
        hold(!self.is_parked(), Invariant::ParkedStartsNothing, || {
            format!("{} at version {} while {:?} are open, paused: {}", event.draft.body.name(), event.version, self.asks, self.paused)
        })
    }

    /// A person says no to what is open, or else to what would come next.
    fn deny(&mut self) {
        self.denied = self.open_run.is_some();
        if !self.denied
            && let Some(next) = self.waiting.iter_mut().find(|waiting| !waiting.denied)
        {
            next.denied = true;
        }
    }

    fn finish_run(&mut self, run: RunId) -> Result<(), Violation> {
        let open = self.open_run.take();
        hold(open == Some(run), Invariant::RunFinishesOnce, || format!("{run} while {open:?}"))?;
        hold(self.open_model.is_none(), Invariant::ModelCallEndsOnce, || format!("{run} finished with an open model call"))?;
        hold(self.unsaid.is_none(), Invariant::SaidOnce, || format!("{run} finished and {:?} was not said", self.unsaid))?;
        hold(self.actions.open() == 0, Invariant::ActionsEnd, || format!("{run} finished with open actions"))
    }

    fn complete(&mut self, id: EventId, completed: &ModelCompleted) -> Result<(), Violation> {
        self.end_model(completed.request, completed.attempt)?;
        let has_text = completed.parts.iter().any(|part| matches!(part, Part::Text(text) if !text.is_empty()));
        hold(self.unsaid.is_none(), Invariant::SaidOnce, || format!("{:?} was not said", self.unsaid))?;
        self.unsaid = has_text.then_some(id);
        Ok(())
    }

    fn end_model(&mut self, request: EventId, attempt: u16) -> Result<(), Violation> {
        let open = self.open_model.take();
        hold(open == Some((request, attempt)), Invariant::ModelCallEndsOnce, || format!("{request} attempt {attempt} while {open:?}"))
    }

    /// Someone wants these events stored. Whether they are or not, a fact has one name, and a result one attempt.
    pub fn offered(&mut self, append: &Append) -> Result<(), Violation> {
        for draft in &append.drafts {
            if let Body::MessageReceived(received) = &draft.body {
                let (key, id) = (&received.key, draft.id);
                let first = *self.minted.entry(key.clone()).or_insert(id);
                hold(first == id, Invariant::FactIdStable, || format!("{key} is {first} and {id}"))?;
            }
            if let Body::ToolFinished(finished) = &draft.body {
                hold(result_attempt(&finished.output) == Some(finished.attempt), Invariant::ResultOfAttempt, || {
                    format!("{:?} on attempt {}", finished.output, finished.attempt)
                })?;
            }
        }
        Ok(())
    }

    /// A tool has its effect now; it had it so often before, and another process of it may live.
    pub fn effect(&mut self, action: ActionId, attempt: u16, ran_before: u16, live: bool) -> Result<(), Violation> {
        self.actions.effect(action, attempt, ran_before, live)
    }

    /// A model is to be asked this, in the order of the log.
    pub fn request(&mut self, request: &ModelRequest, proven: Sha256) -> Result<(), Violation> {
        hold(request.is_valid(), Invariant::TranscriptValid, || format!("{:?}", request.items))?;
        let bytes = request.canonical();
        hold(Sha256::of(&bytes) == proven, Invariant::RequestProven, || proven.to_string())?;
        if let Some((len, hash)) = self.last_request {
            let prefix = bytes.get(..len as usize).map(Sha256::of);
            hold(prefix == Some(hash), Invariant::RequestPrefix, || format!("{len} bytes"))?;
        }
        self.last_request = Some((bytes.len() as u64, proven));
        Ok(())
    }

    /// Drops ended actions that nobody can act for any more, so that equal worlds look equal.
    pub fn forget(&mut self, may_act: impl Fn(ActionId) -> bool) {
        self.actions.forget(may_act);
    }

    /// Whether anybody can still act for this call.
    #[must_use]
    pub fn knows(&self, call: CallId) -> bool {
        self.actions.knows(call)
    }

    #[must_use]
    pub fn has_message(&self, key: &Key) -> bool {
        self.messages.contains(key)
    }

    #[must_use]
    pub fn open_actions(&self) -> usize {
        self.actions.open()
    }

    #[must_use]
    pub fn open_attempts(&self) -> usize {
        self.actions.open_attempts()
    }

    /// Whether this attempt has started and not ended.
    #[must_use]
    pub fn is_running(&self, action: ActionId, attempt: u16) -> bool {
        self.actions.is_running(action, attempt)
    }

    #[must_use]
    pub fn has_open_run(&self) -> bool {
        self.open_run.is_some()
    }

    #[must_use]
    pub fn is_parked(&self) -> bool {
        self.paused || !self.asks.is_empty()
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

/// Whether only an owner may say this.
#[must_use]
pub fn is_intent(body: &Body) -> bool {
    match body {
        Body::MessageSent(_)
        | Body::RunPaused(_)
        | Body::RunFinished(_)
        | Body::ModelRequested(_)
        | Body::ModelRetrying(_)
        | Body::AskOpened(_)
        | Body::ToolStarted(_)
        | Body::ToolReconciled(_) => true,
        Body::SessionCreated(_)
        | Body::OwnerTaken(_)
        | Body::MessageReceived(_)
        | Body::RunStarted(_)
        | Body::RunResumed(_)
        | Body::ModelCompleted(_)
        | Body::ModelFailed(_)
        | Body::ActionDecided(_)
        | Body::ActionWithdrawn(_)
        | Body::AskAnswered(_)
        | Body::ToolAdopted(_)
        | Body::ToolFinished(_)
        | Body::ToolCancelled(_)
        | Body::ToolUnknown(_)
        | Body::HostQuarantined(_)
        | Body::HostRecovered(_) => false,
    }
}

/// What people say by themselves; everything else follows from an event.
fn is_first_cause(body: &Body) -> bool {
    matches!(body, Body::SessionCreated(_) | Body::MessageReceived(_) | Body::AskAnswered(_) | Body::RunResumed(_))
}
