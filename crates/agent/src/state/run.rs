//! A run while it is open.

use contract::body::{DaySpend, FinishReason};
use contract::config::ConfigRef;
use contract::id::{EventId, MessageId, RunId, Sha256};
use contract::units::Time;
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    pub id: RunId,
    pub started: EventId,
    /// The message it answers, and the event that brought it.
    pub message: MessageId,
    pub trigger: EventId,
    pub config: ConfigRef,
    pub turns: Turns,
    /// Requests since the last reply.
    pub attempts: u16,
    pub empty_replies: u8,
    pub paused: bool,
    /// A person ended it, and how; it finishes as soon as nothing of its foreground is open.
    pub stop: Option<FinishReason>,
    /// A message wants its foreground ended before the model is asked again.
    pub interrupted: bool,
    pub repeats: Repeats,
    pub clock: RunClock,
    /// Which model is asked: the first, then its fallbacks.
    pub model: String,
    /// How many fallbacks were taken.
    pub fallbacks: usize,
    /// Failures of that model since the last reply that pass by themselves.
    pub failures: u16,
    pub retry: Retry,
    /// No model is left that could answer.
    pub failed: bool,
    #[serde(skip_serializing_if = "Day::is_untouched")]
    pub day: Day,
    #[serde(skip_serializing_if = "Warned::is_nothing")]
    pub warned: Warned,
}

/// How a run stands with what everything together may cost on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Day {
    /// Its last call was not admitted, and nobody has been asked about it yet.
    pub refused: Option<DaySpend>,
    /// How much more people let this run go on to; millionths of the price unit.
    pub extended: u64,
}

impl Day {
    fn is_untouched(&self) -> bool {
        *self == Day::default()
    }
}

/// What people were told of in this run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Warned {
    pub cost: bool,
    pub slow_call: bool,
}

impl Warned {
    fn is_nothing(&self) -> bool {
        *self == Warned::default()
    }
}

/// How many replies a run has had, and may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Turns {
    pub taken: u64,
    /// What people added to its limit.
    pub extended: u64,
    /// A person gives it no more: the next reply must be its answer.
    pub last: bool,
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

/// What a run does when its model call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterFailure {
    Retry,
    Fallback(String),
    /// A person decides whether to go on.
    Ask,
    Fail,
}

/// Equal calls with equal results in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repeats {
    /// Of the last call and its result.
    pub digest: Option<Sha256>,
    pub count: u32,
    /// The model was told.
    pub corrected: bool,
}

/// How long a run has worked: the time it waits for a person does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RunClock {
    pub started: Time,
    pub waited_ms: u64,
    /// What people added to the limit of this run.
    pub extended_ms: u64,
    pub waiting_since: Option<Time>,
}
