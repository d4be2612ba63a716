//! The invariants, checked from outside: over the events as they are stored and the effects as they happen.
//!
//! The monitor keeps its own small account and never asks the machine, so that a mistake in the machine shows.

use contract::body::Body;
use contract::call::Class;
use contract::event::Event;
use contract::id::{ActionId, EventId, Key, RunId, Sha256};
use contract::request::ModelRequest;
use contract::text::Text;
use contract::units::{Epoch, Version};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

macro_rules! invariants {
    ($($variant:ident = $name:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Invariant { $($variant,)* }

        impl Invariant {
            pub const ALL: &'static [Invariant] = &[$(Invariant::$variant,)*];

            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Invariant::$variant => $name,)* }
            }
        }
    };
}

invariants! {
    VersionsDense = "versions-dense";
    RunFinishesOnce = "run-finishes-once";
    AttemptEndsOnce = "attempt-ends-once";
    ActionEndsOnce = "action-ends-once";
    RunsAtMostOnce = "runs-at-most-once";
    StartedBeforeEffect = "started-before-effect";
    OneProcess = "one-live-process-per-action";
    OwnerCommits = "only-the-owner-decides";
    FactIdStable = "a-fact-keeps-its-id";
    AckedIsStored = "acknowledged-is-stored";
    RefusedIsNotStored = "refused-is-not-stored";
    MessageOnce = "message-recorded-once";
    ResultOfAttempt = "result-belongs-to-its-attempt";
    TranscriptValid = "transcript-valid";
    RequestProven = "request-matches-its-hash";
    RequestPrefix = "request-is-a-prefix-of-the-next";
    FoldEqualsLive = "fold-equals-live-state";
    ReachesRest = "reaches-rest";
    Answered = "every-message-answered-or-waiting";
    ActionsEnd = "every-action-ends";
    NoStartAfterDenial = "no-start-after-denial";
    WantedOrDone = "effects-are-exactly-what-is-open";
}

#[derive(Clone, Debug)]
pub struct Violation {
    pub invariant: Invariant,
    pub detail: String,
}

impl Violation {
    #[must_use]
    pub fn new(invariant: Invariant, detail: impl Into<String>) -> Violation {
        Violation { invariant, detail: detail.into() }
    }
}

/// Fails with the invariant unless the claim holds.
pub fn hold(claim: bool, invariant: Invariant, detail: impl FnOnce() -> String) -> Result<(), Violation> {
    if claim { Ok(()) } else { Err(Violation::new(invariant, detail())) }
}

/// What the monitor remembers of a history.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Monitor {
    #[serde(skip)]
    version: Version,
    epoch: Epoch,
    open_run: Option<RunId>,
    open_actions: BTreeMap<ActionId, Action>,
    #[serde(skip)]
    ended_actions: BTreeSet<ActionId>,
    messages: BTreeSet<Key>,
    last_request: Option<(u64, Sha256)>,
    config: Option<Sha256>,
    denied: bool,
    /// Ids minted for each message by anyone, stored or not.
    minted: BTreeMap<Key, EventId>,
}

#[derive(Clone, Debug, Serialize)]
struct Action {
    class: Class,
    attempts: u16,
    open: bool,
}

impl Monitor {
    /// An event is stored by a host under this epoch; people's inputs may be stored by anyone.
    pub fn stored(&mut self, event: &Event, by: Option<Epoch>) -> Result<(), Violation> {
        hold(event.version == self.version.next(), Invariant::VersionsDense, || format!("{} after {}", event.version, self.version))?;
        self.version = event.version;
        if is_intent(&event.draft.body) {
            let stale = by.is_none_or(|epoch| epoch < self.epoch);
            hold(!stale, Invariant::OwnerCommits, || format!("{} by epoch {by:?} under {}", event.draft.body.name(), self.epoch))?;
        }
        self.account(event)
    }

    fn account(&mut self, event: &Event) -> Result<(), Violation> {
        match &event.draft.body {
            Body::OwnerTaken(taken) => self.epoch = taken.epoch,
            Body::MessageReceived(received) => {
                hold(self.messages.insert(received.key.clone()), Invariant::MessageOnce, || received.key.to_string())?;
            }
            Body::RunStarted(started) => {
                self.open_run = Some(started.run);
                self.denied = false;
                if self.config.replace(started.config.sha256) != Some(started.config.sha256) {
                    self.last_request = None;
                }
            }
            Body::RunFinished(finished) => {
                let open = self.open_run.take();
                hold(open == Some(finished.run), Invariant::RunFinishesOnce, || format!("{} while {open:?}", finished.run))?;
            }
            Body::ActionDecided(decided) => {
                self.open_actions.insert(decided.action, Action { class: decided.class, attempts: 0, open: false });
            }
            Body::ActionWithdrawn(withdrawn) => {
                if let Some(action) = withdrawn.action {
                    self.end_action(action, false)?;
                }
            }
            Body::ToolStarted(started) => self.start(started.action, started.attempt)?,
            Body::ToolFinished(finished) => {
                self.end_attempt(finished.action, finished.attempt)?;
                hold(result_attempt(&finished.output) == Some(finished.attempt), Invariant::ResultOfAttempt, || {
                    format!("{:?} on attempt {}", finished.output, finished.attempt)
                })?;
                self.end_action(finished.action, true)?;
            }
            Body::ToolCancelled(cancelled) => self.end_attempt(cancelled.action, cancelled.attempt)?,
            Body::ToolUnknown(unknown) => self.end_attempt(unknown.action, unknown.attempt)?,
            Body::ToolReconciled(reconciled) => self.end_action(reconciled.action, false)?,
            Body::ToolAdopted(adopted) => self.open_action(adopted.action).map(drop)?,
            Body::AskAnswered(answered) => self.denied |= answered.answer == contract::ask::Answer::Deny,
            Body::SessionCreated(_)
            | Body::MessageSent(_)
            | Body::RunPaused(_)
            | Body::RunResumed(_)
            | Body::ModelRequested(_)
            | Body::ModelCompleted(_)
            | Body::ModelFailed(_)
            | Body::AskOpened(_)
            | Body::HostQuarantined(_)
            | Body::HostRecovered(_) => {}
        }
        Ok(())
    }

    fn open_action(&mut self, action: ActionId) -> Result<&mut Action, Violation> {
        let ended = self.ended_actions.contains(&action);
        self.open_actions
            .get_mut(&action)
            .ok_or_else(|| Violation::new(Invariant::ActionEndsOnce, format!("{action} is not open, ended before: {ended}")))
    }

    fn start(&mut self, action: ActionId, attempt: u16) -> Result<(), Violation> {
        hold(!self.denied, Invariant::NoStartAfterDenial, || action.to_string())?;
        let account = self.open_action(action)?;
        hold(!account.open && attempt == account.attempts + 1, Invariant::AttemptEndsOnce, || format!("{action} attempt {attempt}"))?;
        account.open = true;
        account.attempts = attempt;
        Ok(())
    }

    fn end_attempt(&mut self, action: ActionId, attempt: u16) -> Result<(), Violation> {
        let account = self.open_action(action)?;
        let fits = account.open && attempt == account.attempts;
        hold(fits, Invariant::AttemptEndsOnce, || format!("{action} attempt {attempt}"))?;
        account.open = false;
        Ok(())
    }

    fn end_action(&mut self, action: ActionId, attempted: bool) -> Result<(), Violation> {
        let account = self.open_action(action)?;
        hold(!account.open || attempted, Invariant::AttemptEndsOnce, || format!("{action} ended with an open attempt"))?;
        self.open_actions.remove(&action);
        self.ended_actions.insert(action);
        Ok(())
    }

    /// Someone proposes this fact under this key; whether it is stored or not, its name must be the same each time.
    pub fn minted(&mut self, key: Key, id: EventId) -> Result<(), Violation> {
        let first = *self.minted.entry(key.clone()).or_insert(id);
        hold(first == id, Invariant::FactIdStable, || format!("{key} is {first} and {id}"))
    }

    /// A tool has its effect now.
    pub fn effect(&self, action: ActionId, attempt: u16, ran_before: u16, live: bool) -> Result<(), Violation> {
        let Some(account) = self.open_actions.get(&action) else {
            return Err(Violation::new(Invariant::StartedBeforeEffect, format!("{action} attempt {attempt} is not decided or has ended")));
        };
        hold(account.attempts >= attempt, Invariant::StartedBeforeEffect, || format!("{action} attempt {attempt}"))?;
        hold(account.class.repeatable() || ran_before == 0, Invariant::RunsAtMostOnce, || {
            format!("{action} ran {ran_before} times before")
        })?;
        hold(!live, Invariant::OneProcess, || action.to_string())
    }

    /// A model is asked now.
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

    #[must_use]
    pub fn has_message(&self, key: &Key) -> bool {
        self.messages.contains(key)
    }

    #[must_use]
    pub fn open_actions(&self) -> usize {
        self.open_actions.len()
    }

    #[must_use]
    pub fn open_attempts(&self) -> usize {
        self.open_actions.values().filter(|action| action.open).count()
    }

    #[must_use]
    pub fn has_open_run(&self) -> bool {
        self.open_run.is_some()
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
