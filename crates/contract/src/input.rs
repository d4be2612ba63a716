//! What can be said to a machine, and how it can refuse.

use crate::ask::Answer;
use crate::body::{Mode, Origin, Principal};
use crate::config::Options;
use crate::effect::EffectId;
use crate::id::{AskId, BootId, HostId, Key, MachineId};
use crate::outcome::Outcome;
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
    },
    Answer {
        ask: AskId,
        key: Key,
        answer: Answer,
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
    #[error("the session is closed")]
    Closed,
    #[error("nothing waits to be resumed")]
    NothingToResume,
    #[error("there is no open ask {0}")]
    NoSuchAsk(AskId),
    #[error("the ask {0} has expired")]
    AskExpired(AskId),
    /// The effect or attempt is not open; its outcome came too late.
    #[error("the effect {effect} attempt {attempt} is not open")]
    Stale { effect: EffectId, attempt: u16 },
    #[error("epoch {offered} is not above {current}")]
    OldEpoch { offered: Epoch, current: Epoch },
    #[error("the message has {bytes} bytes, {max} are allowed")]
    TooLong { bytes: u64, max: u64 },
}
