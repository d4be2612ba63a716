//! What can be wrong, as a value.

use contract::ask::AskKind;

/// What can be wrong.
#[derive(Clone, Copy, Debug)]
pub enum Problem<'a> {
    Usage(&'a str),
    /// A word too many after the task.
    TaskUsage(&'a str),
    /// Which session is to be resumed was not said.
    WhichSession,
    Setup(Setup<'a>),
    UnknownTool {
        rule: &'a str,
        known: &'a str,
    },
    Script(&'a str),
    WorkFolder {
        path: &'a str,
        reason: &'a str,
    },
    DataFolder(&'a str),
    BadMachine(&'a str),
    NetworkFilesystem {
        path: &'a str,
        kind: &'a str,
    },
    NewerData(&'a str),
    TooLong {
        bytes: usize,
        max: usize,
    },
    NoSession(&'a str),
    NoSessions,
    Held {
        holder: &'a str,
        session: &'a str,
    },
    NoVersion {
        session: &'a str,
        at: u64,
        last: u64,
    },
    TooDeep {
        session: &'a str,
    },
    OtherFork {
        session: &'a str,
        from: &'a str,
        at: u64,
    },
    OtherWords {
        session: &'a str,
    },
    NotEmpty(&'a str),
    Unwritable(&'a str),
    NoExport(&'a str),
    NewerExport(&'a str),
    BrokenExport(&'a str),
    Differs {
        session: &'a str,
        version: u64,
    },
    Fenced,
    Unclear {
        session: &'a str,
    },
    Damaged(&'a str),
    /// The whole database, and not one session of it.
    Destroyed(&'a str),
    Storage(&'a str),
    Quarantined {
        session: &'a str,
        version: u64,
        reason: &'a str,
    },
    NoAsk(&'a str),
    AskAnswered {
        by: &'a str,
        yes: bool,
        version: u64,
    },
    AskExpired,
    AskOvertaken,
    AskStopped,
    NotAnAnswer {
        kind: AskKind,
    },
    SeveralAsks {
        asks: &'a str,
    },
    EditRefused(&'a str),
    Forbidden(&'a str),
    NoRule,
    NoStandingRule {
        rule: &'a str,
        folder: &'a str,
    },
    NothingToPause,
    PausedAlready {
        session: &'a str,
    },
    PauseOfStopping {
        session: &'a str,
    },
    NothingToResume,
    NothingToStop,
    NotWaiting {
        event: u64,
    },
    NotTakenBack {
        old: u64,
        new: u64,
    },
    InboxFull {
        waiting: usize,
    },
    UnknownTyped(&'a str),
    NotYet {
        position: u64,
    },
    HostHeld {
        holder: &'a str,
    },
    BadAmount {
        text: &'a str,
        why: &'a str,
    },
    NothingAsked,
    Bug(&'a str),
}

/// What can be wrong with models and their keys.
#[derive(Clone, Copy, Debug)]
pub enum Setup<'a> {
    /// With what was tried, each with why it was in vain.
    NoModel {
        tried: &'a str,
    },
    /// These are described, and none is the default.
    SeveralModels(&'a str),
    /// Somebody says where, and not what.
    AddressOnly(&'a str),
    UnknownModel(&'a str),
    ProviderOnly(&'a str),
    BadAddress(&'a str),
    Settings(&'a str),
    /// Settings of a project that nobody has trusted.
    NotTrusted {
        file: &'a str,
        key: &'a str,
        project: &'a str,
    },
    NoProject(&'a str),
    NotTrustedYet(&'a str),
    /// What a rule is to be tried on.
    Trial(&'a str),
    NoAnswer(&'a str),
    Secret(&'a str),
    NoSecret(&'a str),
}
