//! Everything a person reads. What is said is a value; how it is said is one exhaustive match a language,
//! so a language with a sentence missing does not compile.

mod beyond;
mod en;
mod models;
mod policies;
mod problems;

pub use beyond::{BeyondLine, beyond_line};
pub use models::{AuthHelp, AuthLine, ModelsHelp, ModelsLine, auth_help, auth_line, models_help, models_line, vain};
pub use policies::{PolicyHelp, PolicyLine, policy_help, policy_line};
pub use problems::{Problem, Setup};

use contract::ask::{LimitKind, Subject};
use contract::body::{CancelReason, FinishReason, RunOutcome, UnknownReason, Verdict};
use contract::call::Sandbox;
use contract::machine::Rest;
use throughline::doctor::{Finding, Health};
use throughline::{Answered, CostRow, Fate, RunTurns, Standing};

/// Texts of `--help` of commands that look.
#[derive(Clone, Copy, Debug)]
pub enum LookHelp {
    Attach,
    AttachAfter,
    Daemon,
    DaemonAfter,
    Status,
    StatusAfter,
    Running,
    After,
    Cost,
    CostAfter,
}

/// What is said beside the events of a session that is followed.
#[derive(Clone, Copy, Debug)]
pub enum LookLine<'a> {
    Attached { session: &'a str },
    HowToGoOn { session: &'a str },
    Detached { session: &'a str },
    Live { text: &'a str },
}

/// Lines of `thru cost`.
#[derive(Clone, Copy, Debug)]
pub enum CostLine<'a> {
    Day(&'a CostRow),
    Total { calls: u64, tokens: u64, cost_micros: u64 },
}

/// Lines of `thru daemon`.
#[derive(Clone, Copy, Debug)]
pub enum HostLine<'a> {
    Ready { busy: usize, timed: usize },
    HeldBack { died: usize, busy: usize, timed: usize },
    Takes { session: &'a str },
    Rests { session: &'a str, rest: Rest },
    Refuses { session: &'a str, why: &'a str },
    Died,
}

#[must_use]
pub fn look_help(text: LookHelp) -> &'static str {
    en::look_help(text)
}

#[must_use]
pub fn look_line(what: &LookLine<'_>) -> String {
    en::look_line(what)
}

#[must_use]
pub fn cost(what: &CostLine<'_>) -> String {
    en::cost(what)
}

#[must_use]
pub fn host(what: &HostLine<'_>) -> String {
    en::host(what)
}

/// Texts of `--help`.
#[derive(Clone, Copy, Debug)]
pub enum Help {
    About,
    After,
    Run,
    RunAfter,
    Task,
    Model,
    BaseUrl,
    Fallback,
    Folder,
    Session,
    SessionFlag,
    Key,
    Json,
    JsonLines,
    EmptyText,
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
}

/// Texts of `--help` about what a person may wish of the work: what is allowed, and how much.
#[derive(Clone, Copy, Debug)]
pub enum WishHelp {
    MaxTurns,
    OnResume,
    Mode,
    Allow,
    Deny,
    OnUnknown,
    AskTimeout,
    MaxToolCalls,
    MaxTokens,
    MaxCost,
    Timeout,
    OnAsk,
    BadDuration,
    BadMoney,
    BadCount,
    NoSandbox,
}

/// Texts of `--help` of the commands that say something to a session.
#[derive(Clone, Copy, Debug)]
pub enum TalkHelp {
    Send,
    SendAfter,
    Text,
    Steer,
    Queue,
    Interrupt,
    Edit,
    Withdraw,
    SendKey,
    Approvals,
    ApprovalsAfter,
    Approve,
    ApproveAfter,
    GrantScope,
    EditArgs,
    Amount,
    AnswerKey,
    DenyAsk,
    DenyAfter,
    DenyText,
    DenyStop,
    Stop,
    StopAfter,
    StopScope,
    Pause,
    PauseAfter,
    Ask,
}

/// Texts of `--help` of the commands about a session as a whole, and about the data folder.
#[derive(Clone, Copy, Debug)]
pub enum KeepHelp {
    Fork,
    ForkAfter,
    ForkAt,
    ForkText,
    ForkKey,
    ForkJson,
    Export,
    ExportAfter,
    ExportFolder,
    Import,
    ImportAfter,
    ImportFolder,
    Doctor,
    DoctorAfter,
    DoctorFix,
}

/// What is said of a session as a whole.
#[derive(Clone, Copy, Debug)]
pub enum KeepLine<'a> {
    SessionForked { session: &'a str, from: &'a str, at: u64 },
    ForkWaits { session: &'a str },
    Exported { session: &'a str, events: u64, blobs: usize, parents: usize, hash: &'a str, folder: &'a str },
    Imported { session: &'a str, events: u64, blobs: usize, parents: usize, hash: &'a str },
    ImportedBefore { session: &'a str, events: u64, hash: &'a str },
}

/// A line of the story of a session.
#[derive(Clone, Copy, Debug)]
pub enum Line<'a> {
    SessionCreated { session: &'a str, folder: &'a str, model: &'a str },
    NoSandbox,
    Taken { host: &'a str, again: bool },
    Received { from: &'a str, text: &'a str },
    RulesLoaded { name: &'a str, bytes: u64, trusted: bool },
    RunStarted,
    RunPaused { by: Option<&'a str> },
    StopRequested { by: &'a str, all: bool },
    ModelAborted,
    MessageWithdrawn { by: &'a str },
    RunResumed { by: &'a str },
    RunFinished { outcome: RunOutcome, reason: Option<FinishReason> },
    Asked { attempt: u16 },
    ModelFailed { why: &'a str },
    ModelInterrupted,
    Retrying { seconds: u64 },
    AskedInstead { model: &'a str },
    Says(&'a str),
    AskAnswered { by: &'a str, how: &'a str },
    RuleAdded { rule: &'a str },
    AskExpired,
    AskOvertaken { stopped: bool },
    Quarantined { stream: &'a str, reason: &'a str },
    Released { stream: &'a str },
    HostStarted { host: &'a str },
    HostStopped { host: &'a str },
    Resuming { session: &'a str },
    Summary { outcome: &'a str, seconds: u64, turns: u32, calls: u64, tokens: u64, cost_micros: u64, events: u64, session: &'a str },
    StopAgain,
    NothingToStop { session: &'a str },
    StoppingAlready { session: &'a str },
    StoppedAtRest { version: u64, session: &'a str },
    StillStopping { session: &'a str },
    Paused { version: u64, session: &'a str },
    NoApprovals,
    Answered { version: u64, how: Answered, holder: Option<&'a str>, session: &'a str },
    HowToResume { session: &'a str },
    NothingToResume { session: &'a str },
    VerifiedStream { stream: &'a str, events: u64, requests: u64, hash: &'a str },
    VerifiedAll { streams: usize },
    Left { signal: &'a str },
    Sent { version: u64, holder: Option<&'a str>, session: &'a str },
}

/// A line of the story about a call.
#[derive(Clone, Copy, Debug)]
pub enum CallLine<'a> {
    Decided { tool: &'a str, args: &'a str, sandbox: Option<Sandbox>, network: bool },
    Withdrawn { tool: &'a str, note: &'a str },
    Started { tool: &'a str, attempt: u16 },
    Adopted { tool: &'a str },
    Finished { tool: &'a str, ok: bool, exit: Option<i32>, signal: Option<i32>, bytes: u64, shown: &'a str },
    Cancelled { tool: &'a str, reason: CancelReason },
    Unknown { tool: &'a str, reason: UnknownReason, shown: &'a str },
    Reconciled { tool: &'a str, verdict: Verdict },
    Deferred { tool: &'a str, call: &'a str },
    Backgrounded { tool: &'a str, call: &'a str },
    Stopping { tool: &'a str, call: &'a str },
    Waits { seconds: u64 },
    WaitOver { note: &'a str },
    StillRunning { tool: &'a str, call: &'a str },
}

/// A line about how a session stands.
#[derive(Clone, Copy, Debug)]
pub enum StatusLine<'a> {
    Session {
        session: &'a str,
        standing: &'a Standing,
        holder: Option<&'a str>,
        forsaken: bool,
        task: &'a str,
    },
    HowToResume {
        session: &'a str,
    },
    NoSessions,
    NothingRuns,
    Of {
        session: &'a str,
        holder: Option<&'a str>,
    },
    Forked {
        from: &'a str,
        at: u64,
    },
    Running {
        tool: &'a str,
        call: &'a str,
        args: &'a str,
        seconds: u64,
        background: bool,
        stopping: bool,
        driven: bool,
        sandbox: Option<Sandbox>,
    },
    Output {
        text: &'a str,
    },
    Message {
        event: u64,
        fate: &'a Fate,
        text: &'a str,
    },
    Figures {
        turns: u32,
        run: Option<RunTurns>,
        calls: u64,
        tokens: u64,
        cost_micros: u64,
        events: u64,
        folder: &'a str,
    },
}

/// A part of what is asked of a person.
#[derive(Clone, Copy, Debug)]
pub enum AskText<'a> {
    Headline { subject: &'a Subject },
    Id { ask: &'a str, session: &'a str },
    Arguments,
    Preview,
    Touches { what: &'a str },
    Tainted,
    Leaking,
    Session { rule: &'a str },
    Expires { seconds: u64 },
    HowInPlace { subject: &'a Subject, rule: bool },
    HowElsewhere { subject: &'a Subject, ask: &'a str, session: &'a str },
}

/// What an answer to an ask said.
#[derive(Clone, Copy, Debug)]
pub enum AnswerWord<'a> {
    Yes,
    YesForSession,
    YesForGood,
    Edited { args: &'a str },
    No,
    NoBecause { why: &'a str },
    NoAndStop { why: Option<&'a str> },
    Reply { text: &'a str },
    More { limit: Option<LimitKind>, amount: u64 },
}

#[must_use]
pub fn help(text: Help) -> &'static str {
    en::help(text)
}

#[must_use]
pub fn wish_help(text: WishHelp) -> &'static str {
    en::wish_help(text)
}

#[must_use]
pub fn talk_help(text: TalkHelp) -> &'static str {
    en::talk_help(text)
}

/// What a check of the data folder found.
#[must_use]
pub fn symptom(finding: &Finding) -> String {
    en::symptom(finding)
}

/// What to do about it, where something should be done.
#[must_use]
pub fn cure(finding: &Finding) -> Option<String> {
    en::cure(finding)
}

#[must_use]
pub fn health(health: Health) -> &'static str {
    en::health(health)
}

#[must_use]
pub fn keep_line(what: &KeepLine<'_>) -> String {
    en::keep_line(what)
}

#[must_use]
pub fn keep_help(text: KeepHelp) -> &'static str {
    en::keep_help(text)
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
pub fn call_line(what: &CallLine<'_>) -> String {
    en::call_line(what)
}

#[must_use]
pub fn status(what: &StatusLine<'_>) -> String {
    en::status(what)
}

#[must_use]
pub fn ask(what: &AskText<'_>) -> String {
    en::ask(what)
}

#[must_use]
pub fn answer(what: &AnswerWord<'_>) -> String {
    en::answer(what)
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
