//! Everything that decides how a session goes on, as a fold of its events. Nothing here is stored by itself.

use crate::transcript::Transcript;
use contract::ask::Ask;
use contract::body::{FailureClass, Mode, OwnerTaken, Principal, Purpose, UnknownReason};
use contract::call::Class;
use contract::config::{ConfigRef, Options, ResumePolicy};
use contract::event::Level;
use contract::id::{ActionId, AskId, BootId, CallId, EventId, Key, MachineId, MessageId, RunId, Sha256, StreamId};
use contract::limits::{MODEL_RETRIES_MAX, RECOVERIES_MAX};
use contract::text::Text;
use contract::units::{Epoch, Time, Version};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    pub stream: StreamId,
    pub version: Version,
    /// Time of the latest event; `now` is never less.
    pub time: Time,
    pub session: Option<Session>,
    /// Whoever appended the latest `owner.taken`.
    pub owner: Option<OwnerTaken>,
    /// Owners in a row that took busy work over and ended without an outcome or an input.
    pub recoveries: u8,
    /// A person said go on, and no owner has taken the stream since.
    pub resumed: bool,
    /// What the resume policy still wants done after the last takeover.
    pub gate: Option<Gate>,
    pub run: Option<Run>,
    /// Accepted and not shown to the model yet, in log order.
    pub inbox: Vec<Message>,
    /// Keys of people's inputs, for ever: a repeat is found here.
    pub seen: BTreeMap<Key, Version>,
    pub transcript: Transcript,
    /// At most one model call is open.
    pub model: Option<ModelCall>,
    /// The last reply of the open run, while it matters.
    pub reply: Option<Reply>,
    /// Replies of the whole session; the next one names its calls by this number.
    pub replies: u32,
    /// Open calls only, in the order of the conversation.
    pub calls: BTreeMap<CallId, Call>,
    pub asks: BTreeMap<AskId, Ask>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Session {
    pub created: EventId,
    pub folder: String,
    pub options: Options,
    pub level: Level,
    pub by: Principal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Gate {
    Ask,
    Pause,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    pub id: RunId,
    pub started: EventId,
    /// The message it answers, and the event that brought it.
    pub message: MessageId,
    pub trigger: EventId,
    pub config: ConfigRef,
    /// Replies so far.
    pub iteration: u32,
    /// Requests since the last reply.
    pub attempts: u16,
    pub empty_replies: u8,
    pub paused: bool,
    /// A person ended it; it finishes as soon as nothing of it is open.
    pub denied: bool,
    /// Which model is asked: the first, then its fallbacks.
    pub model: String,
    /// Failures of that model since the last reply that pass by themselves.
    pub failures: u16,
    pub retry: Retry,
    /// No model is left that could answer.
    pub failed: bool,
}

/// Whether and when a failed model call is made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Retry {
    #[default]
    No,
    /// To be set, after this call and what its provider asked for.
    Wanted {
        request: EventId,
        retry_after_ms: Option<u64>,
    },
    At(Time),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    pub id: MessageId,
    pub event: EventId,
    pub version: Version,
    pub text: Text,
    pub mode: Mode,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelCall {
    /// The `model.requested` that opened it; also its name.
    pub request: EventId,
    pub attempt: u16,
    pub epoch: Epoch,
    pub purpose: Purpose,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reply {
    pub completed: EventId,
    pub purpose: Purpose,
    pub has_text: bool,
    pub has_calls: bool,
    /// Its text was said to the person.
    pub said: bool,
    /// Calls of the reply with no decision yet, with the provider's name of each.
    pub undecided: BTreeMap<CallId, String>,
}

/// A decided call that has not ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Call {
    pub action: ActionId,
    pub decided: EventId,
    pub provider_call: String,
    pub tool: String,
    pub args: Text,
    pub args_hash: Sha256,
    pub class: Class,
    pub witness: Option<Sha256>,
    /// Attempts so far.
    pub attempts: u16,
    /// The latest attempt that may have had its effect; from then on nobody may say that the action did not run.
    pub lost: Option<Lost>,
    pub stage: Stage,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lost {
    pub reason: UnknownReason,
    /// What it had printed.
    pub output: Text,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Stage {
    /// To be started.
    Decided,
    Started(Attempt),
    /// The last attempt may or may not have had its effect.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attempt {
    pub number: u16,
    pub started: EventId,
    pub epoch: Epoch,
    pub machine: MachineId,
    pub boot: BootId,
    /// The owner that found it running, if it was not the one that started it.
    pub adopted: Option<Epoch>,
}

impl State {
    #[must_use]
    pub fn new(stream: StreamId) -> State {
        State {
            stream,
            version: Version::NONE,
            time: Time(0),
            session: None,
            owner: None,
            recoveries: 0,
            resumed: false,
            gate: None,
            run: None,
            inbox: Vec::new(),
            seen: BTreeMap::new(),
            transcript: Transcript::default(),
            model: None,
            reply: None,
            replies: 0,
            calls: BTreeMap::new(),
            asks: BTreeMap::new(),
        }
    }

    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.owner.as_ref().map(|owner| owner.epoch).unwrap_or_default()
    }

    #[must_use]
    pub fn level(&self) -> Level {
        self.session.as_ref().map(|session| session.level).unwrap_or_default()
    }

    #[must_use]
    pub fn resume_policy(&self) -> ResumePolicy {
        self.session.as_ref().map(|session| session.options.resume).unwrap_or_default()
    }

    /// The model to ask when the one of this run cannot answer.
    #[must_use]
    pub fn next_model(&self) -> Option<&str> {
        let run = self.run.as_ref()?;
        let mut models = std::iter::once(&run.config.model).chain(&run.config.fallback);
        models.find(|model| **model == run.model)?;
        models.next().map(String::as_str)
    }

    /// Whether the run has a retry or another model left after such a failure of the open call.
    #[must_use]
    pub fn goes_on_after(&self, class: FailureClass) -> bool {
        let retries_left = self.run.as_ref().is_some_and(|run| run.failures < MODEL_RETRIES_MAX);
        (class.passes() && retries_left) || self.next_model().is_some()
    }

    /// Whether the session waits for a person and wants nothing of the world until then.
    #[must_use]
    pub fn is_parked(&self) -> bool {
        let paused = self.run.as_ref().is_some_and(|run| run.paused);
        paused || self.gate.is_some() || !self.asks.is_empty() || self.is_crash_looping()
    }

    #[must_use]
    pub fn is_crash_looping(&self) -> bool {
        self.recoveries >= RECOVERIES_MAX
    }

    /// Messages of the inbox that the open run shows at its next model call.
    pub fn showable(&self) -> impl Iterator<Item = &Message> {
        let trigger = self.run.as_ref().map(|run| run.message);
        self.inbox.iter().filter(move |message| Some(message.id) == trigger || (trigger.is_some() && message.mode == Mode::Steer))
    }

    #[must_use]
    pub fn call_of(&self, action: ActionId) -> Option<(CallId, &Call)> {
        self.calls.iter().find(|(_, call)| call.action == action).map(|(id, call)| (*id, call))
    }

    /// Attempts that run, or ran when their owner died.
    #[must_use]
    pub fn running(&self) -> usize {
        self.calls.values().filter(|call| matches!(call.stage, Stage::Started(_))).count()
    }
}
