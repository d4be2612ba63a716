//! Everything a person reads. What is said is a value; how it is said is one exhaustive match a language,
//! so a language with a sentence missing does not compile.

mod en;

use contract::ask::AskKind;
use contract::body::{CancelReason, FinishReason, RunOutcome, UnknownReason};
use throughline::Standing;

/// Texts of `--help`.
#[derive(Clone, Copy, Debug)]
pub enum Help {
    About,
    After,
    Run,
    RunAfter,
    Task,
    Model,
    Fallback,
    Folder,
    Session,
    SessionFlag,
    Key,
    MaxTurns,
    OnResume,
    Json,
    JsonLines,
    EmptyTask,
    Quiet,
    Resume,
    ResumeAfter,
    Last,
    Events,
    EventsAfter,
    From,
    Follow,
    Verify,
    VerifyAfter,
    Send,
    SendAfter,
    SendKey,
    Text,
    Steer,
    Queue,
    Status,
    StatusAfter,
}

/// What can be wrong.
#[derive(Clone, Copy, Debug)]
pub enum Problem<'a> {
    Usage(&'a str),
    NoModel,
    UnknownModel(&'a str),
    Script(&'a str),
    WorkFolder { path: &'a str, reason: &'a str },
    DataFolder(&'a str),
    BadMachine(&'a str),
    NetworkFilesystem { path: &'a str, kind: &'a str },
    NewerData(&'a str),
    TooLong { bytes: usize, max: usize },
    NoSession(&'a str),
    NoSessions,
    Held { holder: &'a str, session: &'a str },
    Fenced,
    Damaged(&'a str),
    Storage(&'a str),
    Quarantined { session: &'a str, version: u64, reason: &'a str },
    Bug(&'a str),
}

/// A line of the story of a session.
#[derive(Clone, Copy, Debug)]
pub enum Line<'a> {
    SessionCreated { session: &'a str, folder: &'a str, model: &'a str },
    NoSandbox,
    Taken { again: bool },
    Received { from: &'a str, text: &'a str },
    RunStarted,
    RunPaused,
    RunResumed { by: &'a str },
    RunFinished { outcome: RunOutcome, reason: Option<FinishReason> },
    Asked { attempt: u16 },
    ModelFailed { why: &'a str },
    ModelInterrupted,
    Retrying { seconds: u64 },
    AskedInstead { model: &'a str },
    Says(&'a str),
    Decided { tool: &'a str, args: &'a str },
    Withdrawn { tool: &'a str, note: &'a str },
    Started { tool: &'a str, attempt: u16 },
    Adopted { tool: &'a str },
    Finished { tool: &'a str, ok: bool, exit: Option<i32>, signal: Option<i32>, bytes: u64, shown: &'a str },
    Cancelled { tool: &'a str, reason: CancelReason },
    Unknown { tool: &'a str, reason: UnknownReason, shown: &'a str },
    Reconciled { tool: &'a str },
    AskOpened { kind: AskKind },
    AskAnswered { by: &'a str },
    Quarantined { stream: &'a str, reason: &'a str },
    Released { stream: &'a str },
    Resuming { session: &'a str },
    Summary { outcome: &'a str, seconds: u64, turns: u32, calls: u32, tokens: u64, cost_micros: u64, events: u64, session: &'a str },
    StillRunning { tool: &'a str },
    HowToResume { session: &'a str },
    NothingToResume { session: &'a str },
    VerifiedStream { stream: &'a str, events: u64, requests: u64, hash: &'a str },
    VerifiedAll { streams: usize },
    Left { signal: &'a str },
    Sent { version: u64, holder: Option<&'a str>, session: &'a str },
}

/// A line about how a session stands.
#[derive(Clone, Copy, Debug)]
pub enum StatusLine<'a> {
    Session { session: &'a str, standing: &'a Standing, driven: bool, task: &'a str },
    Running { tool: &'a str, args: &'a str, seconds: u64 },
    Waiting { text: &'a str },
    Figures { turns: u32, calls: u32, tokens: u64, events: u64, folder: &'a str },
}

#[must_use]
pub fn help(text: Help) -> &'static str {
    en::help(text)
}

#[must_use]
pub fn problem(what: &Problem<'_>) -> String {
    en::problem(what)
}

/// What is unaffected and what to do about it.
#[must_use]
pub fn hint(what: &Problem<'_>) -> String {
    en::hint(what)
}

#[must_use]
pub fn line(what: &Line<'_>) -> String {
    en::line(what)
}

#[must_use]
pub fn status(what: &StatusLine<'_>) -> String {
    en::status(what)
}

/// Word for how a session stands, for the summary.
#[must_use]
pub fn outcome(outcome: RunOutcome) -> &'static str {
    en::outcome(outcome)
}

#[must_use]
pub fn waiting() -> &'static str {
    en::WAITING
}
