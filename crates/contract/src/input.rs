//! What can be said to a machine, and how it can refuse.

use crate::ask::{Answer, AskKind};
use crate::body::{Mode, Origin, Principal, Scope};
use crate::call::PreparedCall;
use crate::config::Options;
use crate::effect::EffectId;
use crate::id::{ActionId, AskId, BootId, HostId, Key, MachineId};
use crate::outcome::Outcome;
use crate::rule::Rule;
use crate::text::Text;
use crate::units::{Epoch, Version};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Input {
    Create {
        folder: String,
        options: Options,
        origin: Option<Origin>,
        by: Principal,
    },
    Message {
        key: Key,
        text: Text,
        mode: Mode,
        from: Principal,
        /// How far the person had seen the session: a bare yes cannot answer what they have not been asked.
        seen: Version,
        /// What running attempts had printed when it was said.
        tails: Vec<OutputTail>,
    },
    /// A person takes back a message that no model has been shown.
    Withdraw {
        key: Key,
        message: Key,
        by: Principal,
    },
    Answer {
        ask: AskId,
        key: Key,
        answer: Answer,
        by: Principal,
    },
    /// A person approves a held call with other arguments, prepared like any call.
    Edit {
        ask: AskId,
        key: Key,
        call: Box<PreparedCall>,
        by: Principal,
    },
    Stop {
        key: Key,
        scope: Scope,
        by: Principal,
    },
    Pause {
        key: Key,
        by: Principal,
    },
    /// A person wants a stopped session to go on.
    Resume {
        key: Key,
        by: Principal,
    },
    /// This host took the stream.
    Taken {
        epoch: Epoch,
        host: HostId,
        machine: MachineId,
        boot: BootId,
    },
    /// What came of an effect.
    Done {
        effect: EffectId,
        attempt: u16,
        outcome: Outcome,
    },
}

/// The end of what a running attempt has printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputTail {
    pub action: ActionId,
    pub attempt: u16,
    pub output: Text,
}

/// Why an input led to nothing. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Rejection {
    /// The same input is in the log already.
    #[error("already recorded at version {0}")]
    Known(Version),
    #[error("the session does not exist")]
    NoSession,
    #[error("the session exists already")]
    Exists,
    #[error("nothing waits to be resumed")]
    NothingToResume,
    #[error("there is no open ask {0}")]
    NoSuchAsk(AskId),
    #[error("the ask {0} has expired")]
    AskExpired(AskId),
    #[error("the ask {0} was overtaken by a message")]
    AskSuperseded(AskId),
    #[error("an ask of kind {} cannot be answered so", .kind.name())]
    NotAnAnswer { ask: AskId, kind: AskKind },
    /// A word that would answer one ask was said while several are open.
    #[error("several asks are open")]
    SeveralAsks(Vec<AskId>),
    /// The edited call cannot run as it is.
    #[error("the edited call cannot run: {}", .0.shown())]
    EditRefused(Text),
    #[error("the rule {0} forbids it")]
    Forbidden(Rule),
    #[error("nothing runs that could be stopped")]
    NothingToStop,
    #[error("no run is going that could be paused")]
    NothingToPause,
    #[error("no message with the key {0} waits")]
    NotWaiting(Key),
    #[error("{waiting} messages wait already")]
    InboxFull { waiting: usize },
    /// The effect or attempt is not open; its outcome came too late.
    #[error("the effect {effect} attempt {attempt} is not open")]
    Stale { effect: EffectId, attempt: u16 },
    #[error("epoch {offered} is not above {current}")]
    OldEpoch { offered: Epoch, current: Epoch },
    #[error("no such rule counts there")]
    NoSuchRule,
    #[error("{max} rules count already")]
    TooManyRules { max: usize },
    #[error("the message has {bytes} bytes, {max} are allowed")]
    TooLong { bytes: u64, max: u64 },
}
