//! Everything that decides how a session goes on, as a fold of its events. Nothing here is stored by itself.

mod run;

pub use run::{AfterFailure, Day, Repeats, Retry, Run, RunClock, Turns, Warned};

use crate::transcript::Transcript;
use contract::ask::{Ask, LimitKind, Subject};
use contract::body::{FailureClass, Mode, OwnerTaken, Parcel, Principal, Purpose, Spend, UnknownReason, Verdict, WithdrawReason};
use contract::call::{Class, Prepared, Risk, Touches};
use contract::config::{Options, ResumePolicy};
use contract::event::Level;
use contract::id::{ActionId, AskId, BootId, CallId, EventId, Key, MachineId, MessageId, SessionId, Sha256, StreamId, TimerId};
use contract::limits::{MODEL_RETRIES_MAX, RECOVERIES_MAX};
use contract::rule::Rule;
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
    pub asks: BTreeMap<AskId, OpenAsk>,
    /// What approvals for the whole session have added to its rules.
    pub rules: Vec<Rule>,
    pub taint: Taint,
    pub ledger: Ledger,
    /// What files held when this session last read or wrote them, by their paths.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, KnownFile>,
    /// What is to be brought to other streams, in log order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deliveries: Vec<Delivery>,
}

/// Something that another stream is to have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Delivery {
    /// The `delivery.started` that names it, once there is one.
    pub started: Option<EventId>,
    /// Why it is to be brought, and the first cause behind that.
    pub cause: EventId,
    pub root: EventId,
    pub to: StreamId,
    pub key: Key,
    pub parcel: Parcel,
    /// Where the person answered; what they allowed there says nothing about another machine.
    pub machine: Option<MachineId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KnownFile {
    pub content: Sha256,
    /// Where this became known; the oldest is forgotten first.
    pub version: Version,
}

/// What the conversation has seen, for good: it stays in what the model is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Taint {
    /// What calls that were started may show.
    pub started: Touches,
    /// What the model was shown.
    pub seen: Touches,
    /// What people allowed knowing that strangers may have told the model to send them what is private.
    pub allowed: Vec<Rule>,
}

/// What the session has used up: one stream's own, nothing is shared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    pub spent: Spend,
    /// What the dearest model call cost: the best guess of the next where no price is known.
    pub dearest_micros: u64,
    /// Calls that were started.
    pub tool_calls: u64,
    /// What people added, in the unit of each limit.
    pub extended: BTreeMap<LimitKind, u64>,
}

/// An ask that waits for its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenAsk {
    pub ask: Ask,
    /// The event that opened it, and where: a message after it may overtake it.
    pub opened: EventId,
    /// The first cause behind it.
    pub root: EventId,
    pub version: Version,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Session {
    pub created: EventId,
    pub folder: String,
    pub options: Options,
    pub level: Level,
    pub by: Principal,
    /// Where it branches off from another session.
    pub fork: Option<Fork>,
}

/// A version of another session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fork {
    pub from: SessionId,
    pub at: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Gate {
    Ask,
    Pause,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    pub id: MessageId,
    pub key: Key,
    pub event: EventId,
    pub version: Version,
    pub text: Text,
    pub mode: Mode,
    /// Whether it may start a run; what a stopped run had not shown is shown by the next one and starts none.
    pub starts: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelCall {
    /// The `model.requested` that opened it; also its name.
    pub request: EventId,
    pub attempt: u16,
    pub epoch: Epoch,
    pub purpose: Purpose,
    pub reserve: Spend,
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
    /// The first cause behind it, which outlives its run.
    pub root: EventId,
    pub provider_call: String,
    pub tool: String,
    pub args: Text,
    pub args_hash: Sha256,
    pub class: Class,
    pub risk: Risk,
    pub prepared: Box<Prepared>,
    /// What the model is told beside the result, when a person changed the call.
    pub note: Option<Text>,
    /// A person approved it, and until when that counts.
    pub approved_until: Option<Time>,
    /// Holds its run, and ends with it.
    pub foreground: bool,
    /// The model was told that it has not ended; its end is told late.
    pub deferred: bool,
    /// Why it must end.
    pub halt: Option<Halt>,
    /// Attempts so far.
    pub attempts: u16,
    /// The latest attempt that may have had its effect; from then on nobody may say that the action did not run.
    pub lost: Option<Lost>,
    pub stage: Stage,
}

/// Why a call must not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Halt {
    /// A person stopped its run, or everything.
    Stopped,
    /// A message interrupted it.
    NewerMessage,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lost {
    pub reason: UnknownReason,
    /// What it had printed.
    pub output: Text,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Stage {
    /// To be started, if it may.
    Decided,
    /// Waits for the answer of a person.
    Held(AskId),
    /// Will not be started; the note is for the model.
    Refused(WithdrawReason, Text),
    /// Waits for a time, or for another call.
    Waiting {
        timer: TimerId,
        at: Time,
    },
    Started(Attempt),
    /// The last attempt may or may not have had its effect.
    Unknown,
    /// A person said what became of it.
    Judged(Verdict, Option<Text>),
}

impl Call {
    /// The attempt that runs, or ran when its owner died.
    #[must_use]
    pub fn attempt(&self) -> Option<&Attempt> {
        match &self.stage {
            Stage::Started(attempt) => Some(attempt),
            Stage::Decided | Stage::Held(_) | Stage::Refused(..) | Stage::Waiting { .. } | Stage::Unknown | Stage::Judged(..) => None,
        }
    }
}

impl Stage {
    /// A person answered with other arguments, and the call with those is not decided yet.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        matches!(self, Stage::Refused(WithdrawReason::NeverDecided, _))
    }
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
    pub since: Time,
    /// It must end by then.
    pub deadline: Option<Time>,
    /// The end of its output, as it was when a person last said something.
    pub tail: Option<Text>,
}

impl Attempt {
    /// Whether an earlier owner began it and this one has not found it running.
    #[must_use]
    pub fn is_left_to(&self, owner: Epoch) -> bool {
        self.epoch < owner && self.adopted != Some(owner)
    }
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
            rules: Vec::new(),
            taint: Taint::default(),
            ledger: Ledger::default(),
            files: BTreeMap::new(),
            deliveries: Vec::new(),
        }
    }

    /// Whether it is to be brought by the owner of now.
    #[must_use]
    pub fn is_due_here(&self, delivery: &Delivery) -> bool {
        delivery.machine == self.owner.as_ref().map(|owner| owner.machine)
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

    /// What the open run has left after such a failure of its model call.
    #[must_use]
    pub fn after_failure(&self, class: FailureClass) -> AfterFailure {
        let Some(run) = &self.run else { return AfterFailure::Fail };
        if class == FailureClass::DayLimit {
            return AfterFailure::Ask;
        }
        if class.passes() && run.failures < MODEL_RETRIES_MAX {
            return AfterFailure::Retry;
        }
        // By place and not by name: a list may name a model twice.
        run.config.fallback.get(run.fallbacks).map_or(AfterFailure::Fail, |model| AfterFailure::Fallback(model.clone()))
    }

    /// Whether the session waits for a person and begins nothing until then; what it has begun goes on.
    #[must_use]
    pub fn is_parked(&self) -> bool {
        // Whoever stops a run does not want to be asked whether it may go on.
        if self.is_stopping() {
            return false;
        }
        let paused = self.run.as_ref().is_some_and(|run| run.paused);
        let asked = self.asks.values().any(|open| open.ask.subject.parks());
        paused || asked || self.gate.is_some() || self.is_crash_looping()
    }

    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.stop.is_some())
    }

    /// Whether it is a person's turn: something is asked, or the run is paused.
    #[must_use]
    pub fn waits_for_person(&self) -> bool {
        self.is_parked() || !self.asks.is_empty()
    }

    /// A message that the model has not seen and that this ask is older than: the model is to decide anew.
    #[must_use]
    pub fn overtaking(&self, open: &OpenAsk) -> Option<&Message> {
        let overtakes = |message: &&Message| message.version > open.version && message.mode.enters_run() && message.starts;
        let held = matches!(open.ask.subject, Subject::Tool { .. } | Subject::Question { .. });
        self.inbox.iter().find(|message| held && overtakes(message))
    }

    /// Open calls that hold the run.
    pub fn foreground(&self) -> impl Iterator<Item = &Call> {
        self.calls.values().filter(|call| call.foreground)
    }

    /// Whether a run is open or about to start.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.run.is_some() || self.next_message().is_some()
    }

    /// The message that starts the next run.
    #[must_use]
    pub fn next_message(&self) -> Option<&Message> {
        self.inbox.iter().find(|message| message.starts)
    }

    #[must_use]
    pub fn is_crash_looping(&self) -> bool {
        // What only runs in the background is watched however often its watcher dies.
        self.recoveries >= RECOVERIES_MAX && self.has_work()
    }

    /// Messages of the inbox that the open run shows at its next model call.
    pub fn showable(&self) -> impl Iterator<Item = &Message> {
        let trigger = self.run.as_ref().map(|run| run.message);
        let shows = move |message: &&Message| message.mode.enters_run() || !message.starts;
        self.inbox.iter().filter(move |message| Some(message.id) == trigger || (trigger.is_some() && shows(message)))
    }

    #[must_use]
    pub fn call_of(&self, action: ActionId) -> Option<(CallId, &Call)> {
        self.calls.iter().find(|(_, call)| call.action == action).map(|(id, call)| (*id, call))
    }

    /// Whether it is still to be found out here what became of this attempt of an earlier owner.
    #[must_use]
    pub fn is_sought(&self, attempt: &Attempt) -> bool {
        let here = self.owner.as_ref().map(|owner| owner.machine);
        attempt.is_left_to(self.epoch()) && Some(attempt.machine) == here
    }

    /// Foreground attempts that run, or ran when their owner died; what is in the background takes no place.
    #[must_use]
    pub fn running(&self) -> usize {
        self.foreground().filter(|call| call.attempt().is_some()).count()
    }
}
