//! What went wrong, as a person and a script learn it: kind, message, hint, exit code.

use crate::catalog::{Problem, Setup, hint, problem};
use contract::input::Rejection;
use contract::port::LogError;
use std::path::Path;
use throughline::policy::TrialError;
use throughline::settings::{BadFile, BadName, SecretsError, TrustError};
use throughline::{
    BundleError, ConfigError, ForkError, Forked, HomeError, HostError, ImportError, JournalError, Leave, ListError, ModelNameError,
    OpenError, ProbeError, Refusal, SayError, StartError,
};

/// Exit codes that scripts rely on.
pub mod code {
    pub const DONE: u8 = 0;
    pub const FAILED: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const CONFIGURATION: u8 = 3;
    pub const WAITING: u8 = 4;
    pub const DENIED: u8 = 5;
    pub const LIMIT: u8 = 6;
    pub const NOT_FOUND: u8 = 8;
    pub const CONFLICT: u8 = 9;
    pub const BUG: u8 = 70;
    pub const INTERRUPTED: u8 = 130;
    pub const TERMINATED: u8 = 143;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: &'static str,
    pub message: String,
    pub hint: String,
    pub code: u8,
}

impl Fault {
    pub fn new(what: Problem<'_>) -> Fault {
        let (kind, code) = class(&what);
        Fault { kind, code, message: problem(&what), hint: hint(&what) }
    }

    pub fn bug(what: &str) -> Fault {
        Fault::new(Problem::Bug(what))
    }
}

fn class(what: &Problem<'_>) -> (&'static str, u8) {
    match what {
        Problem::Usage(_) | Problem::TaskUsage(_) | Problem::WhichSession | Problem::NoVersion { .. } | Problem::TooDeep { .. } => {
            ("usage", code::USAGE)
        }
        Problem::Setup(Setup::Trial(_)) => ("usage", code::USAGE),
        Problem::Setup(Setup::NoSecret(_) | Setup::NoProject(_) | Setup::NotTrustedYet(_)) => ("not_found", code::NOT_FOUND),
        Problem::Setup(Setup::NoAnswer(_)) => ("failed", code::FAILED),
        Problem::Setup(_)
        | Problem::UnknownTool { .. }
        | Problem::Script(_)
        | Problem::WorkFolder { .. }
        | Problem::DataFolder(_)
        | Problem::BadMachine(_)
        | Problem::NetworkFilesystem { .. }
        | Problem::NewerData(_)
        | Problem::NotEmpty(_)
        | Problem::Unwritable(_)
        | Problem::NoExport(_)
        | Problem::NewerExport(_)
        | Problem::TooLong { .. } => ("configuration", code::CONFIGURATION),
        Problem::EditRefused(_) | Problem::UnknownTyped(_) | Problem::BadAmount { .. } => ("usage", code::USAGE),
        Problem::NoSession(_) | Problem::NoSessions | Problem::NoAsk(_) | Problem::NoStandingRule { .. } => ("not_found", code::NOT_FOUND),
        Problem::Forbidden(_) => ("denied", code::DENIED),
        Problem::HostHeld { .. }
        | Problem::NotYet { .. }
        | Problem::Held { .. }
        | Problem::Fenced
        | Problem::Unclear { .. }
        | Problem::AskAnswered { .. }
        | Problem::AskExpired
        | Problem::AskOvertaken
        | Problem::AskStopped
        | Problem::NotAnAnswer { .. }
        | Problem::SeveralAsks { .. }
        | Problem::NoRule
        | Problem::NothingToPause
        | Problem::PausedAlready { .. }
        | Problem::PauseOfStopping { .. }
        | Problem::NothingToResume
        | Problem::NothingToStop
        | Problem::NothingAsked
        | Problem::NotWaiting { .. }
        | Problem::NotTakenBack { .. }
        | Problem::Differs { .. }
        | Problem::OtherFork { .. }
        | Problem::OtherWords { .. }
        | Problem::InboxFull { .. } => ("conflict", code::CONFLICT),
        Problem::Damaged(_) | Problem::Destroyed(_) | Problem::Storage(_) | Problem::BrokenExport(_) => ("damaged", code::FAILED),
        Problem::Quarantined { .. } | Problem::Bug(_) => ("bug", code::BUG),
    }
}

impl From<ConfigError> for Fault {
    fn from(error: ConfigError) -> Fault {
        match error {
            ConfigError::File(error) => error.into(),
            ConfigError::Endpoint { .. } => Fault::new(Problem::Setup(Setup::Settings(&error.to_string()))),
            ConfigError::Name(BadName::Unknown(name)) => Fault::new(Problem::Setup(Setup::UnknownModel(&name))),
            ConfigError::Name(BadName::ProviderOnly(name)) => Fault::new(Problem::Setup(Setup::ProviderOnly(name))),
            ConfigError::Name(BadName::BadAddress(address)) => Fault::new(Problem::Setup(Setup::BadAddress(&address))),
        }
    }
}

impl From<BadFile> for Fault {
    fn from(error: BadFile) -> Fault {
        let text = error.to_string();
        match error {
            BadFile::NotTrusted { path, key } => {
                let project = path.parent().and_then(Path::parent).unwrap_or(&path);
                let (file, key, project) = (path.to_string_lossy(), key.to_string(), project.to_string_lossy());
                Fault::new(Problem::Setup(Setup::NotTrusted { file: &file, key: &key, project: &project }))
            }
            BadFile::Unreadable { .. } | BadFile::Malformed { .. } | BadFile::Trust(_) => {
                Fault::new(Problem::Setup(Setup::Settings(&text)))
            }
        }
    }
}

impl From<TrustError> for Fault {
    fn from(error: TrustError) -> Fault {
        Fault::new(Problem::Setup(Setup::Settings(&error.to_string())))
    }
}

impl From<TrialError> for Fault {
    fn from(error: TrialError) -> Fault {
        match error {
            TrialError::Config(error) => error.into(),
            TrialError::Example(error) => Fault::new(Problem::Setup(Setup::Trial(&error.to_string()))),
        }
    }
}

impl From<ProbeError> for Fault {
    fn from(error: ProbeError) -> Fault {
        let text = error.to_string();
        match error {
            ProbeError::Config(error) => error.into(),
            ProbeError::Script(_) => Fault::new(Problem::Script(&text)),
            ProbeError::Open(error) => error.into(),
            ProbeError::Failed(_) => Fault::new(Problem::Setup(Setup::NoAnswer(&text))),
        }
    }
}

impl From<SecretsError> for Fault {
    fn from(error: SecretsError) -> Fault {
        Fault::new(Problem::Setup(Setup::Secret(&error.to_string())))
    }
}

impl From<HomeError> for Fault {
    fn from(error: HomeError) -> Fault {
        let text = error.to_string();
        match error {
            HomeError::BadMachine { .. } => Fault::new(Problem::BadMachine(&text)),
            HomeError::Nowhere | HomeError::Io { .. } | HomeError::Random(_) => Fault::new(Problem::DataFolder(&text)),
        }
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Fault {
        let text = error.to_string();
        match error {
            OpenError::Home(error) => error.into(),
            OpenError::Spool(_) => Fault::new(Problem::DataFolder(&text)),
            OpenError::Random(_) => Fault::bug(&text),
            OpenError::Journal(error) => match error {
                JournalError::NotAFolder { .. } | JournalError::Unwritable { .. } => Fault::new(Problem::DataFolder(&text)),
                JournalError::NetworkFilesystem { path, kind } => {
                    Fault::new(Problem::NetworkFilesystem { path: &path.to_string_lossy(), kind })
                }
                JournalError::Newer { .. } => Fault::new(Problem::NewerData(&text)),
                JournalError::Damaged { .. } => Fault::new(Problem::Destroyed(&text)),
                JournalError::Io { .. } => Fault::new(Problem::Storage(&text)),
            },
        }
    }
}

impl From<StartError> for Fault {
    fn from(error: StartError) -> Fault {
        let text = error.to_string();
        match error {
            StartError::Open(error) => error.into(),
            StartError::Model(ModelNameError::Unknown(name)) => Fault::new(Problem::Setup(Setup::UnknownModel(&name))),
            StartError::Model(ModelNameError::Script(error)) => Fault::new(Problem::Script(&error.to_string())),
            StartError::Config(error) => error.into(),
            StartError::UnknownTool { rule, known } => Fault::new(Problem::UnknownTool { rule: &rule, known: &known.join(", ") }),
            StartError::Folder { path, source } => {
                Fault::new(Problem::WorkFolder { path: &path.to_string_lossy(), reason: &source.to_string() })
            }
            StartError::NoSession(session) => Fault::new(Problem::NoSession(&session.to_string())),
            StartError::Fork(ForkError::NoVersion { session, at, last }) => {
                Fault::new(Problem::NoVersion { session: &session.to_string(), at: at.0, last: last.0 })
            }
            StartError::Fork(ForkError::TooDeep(session)) => Fault::new(Problem::TooDeep { session: &session.to_string() }),
            StartError::Fork(ForkError::Taken(Forked { session, from, at, .. })) => {
                Fault::new(Problem::OtherFork { session: &session.to_string(), from: &from.to_string(), at: at.0 })
            }
            StartError::Fork(_) => Fault::bug(&text),
            StartError::Quarantined(session, why) => {
                Fault::new(Problem::Quarantined { session: &session.to_string(), version: why.version.0, reason: &why.reason })
            }
            StartError::Held(session, holder) => Fault::new(Problem::Held { holder: &holder.to_string(), session: &session.to_string() }),
            StartError::OtherWords(session) => Fault::new(Problem::OtherWords { session: &session.to_string() }),
            StartError::TooLong { bytes, max } => Fault::new(Problem::TooLong { bytes, max }),
            StartError::Rejected(rejection) => of_rejection(&rejection),
            StartError::Log(error) => error.into(),
            StartError::Append(_) | StartError::Store(_) | StartError::Lease(_) => Fault::new(Problem::Storage(&text)),
        }
    }
}

impl From<BundleError> for Fault {
    fn from(error: BundleError) -> Fault {
        let text = error.to_string();
        match error {
            BundleError::Io { .. } | BundleError::Foreign { .. } => Fault::new(Problem::NoExport(&text)),
            BundleError::Newer { .. } => Fault::new(Problem::NewerExport(&text)),
            BundleError::Line { .. } | BundleError::Blob(_) => Fault::new(Problem::BrokenExport(&text)),
        }
    }
}

impl From<ImportError> for Fault {
    fn from(error: ImportError) -> Fault {
        let text = error.to_string();
        match error {
            ImportError::Bundle(error) => error.into(),
            ImportError::Differs { session, version } => Fault::new(Problem::Differs { session: &session.to_string(), version: version.0 }),
            ImportError::Log(error) => error.into(),
            ImportError::Append(_) => Fault::new(Problem::Storage(&text)),
        }
    }
}

impl From<SayError> for Fault {
    fn from(error: SayError) -> Fault {
        StartError::from(error).into()
    }
}

impl From<ListError> for Fault {
    fn from(error: ListError) -> Fault {
        let text = error.to_string();
        match error {
            ListError::Log(error) => error.into(),
            ListError::Views(_) | ListError::Lease(_) => Fault::new(Problem::Storage(&text)),
            ListError::NotYet(position) => Fault::new(Problem::NotYet { position: position.0 }),
        }
    }
}

impl From<HostError> for Fault {
    fn from(error: HostError) -> Fault {
        let text = error.to_string();
        match error {
            HostError::Held(holder) => Fault::new(Problem::HostHeld { holder: &holder.to_string() }),
            HostError::Log(error) => error.into(),
            HostError::Lease(_) | HostError::Append(_) | HostError::LogBroken(_) => Fault::new(Problem::Storage(&text)),
        }
    }
}

/// Why an input did not come through to the driver of this process.
pub fn of_refusal(refusal: &Refusal, session: &str) -> Fault {
    match refusal {
        Refusal::Rejected(rejection) => of_rejection(rejection),
        Refusal::Left => Fault::new(Problem::Fenced),
        Refusal::Unclear => Fault::new(Problem::Unclear { session }),
    }
}

/// Why what a person said was not taken.
pub fn of_rejection(rejection: &Rejection) -> Fault {
    let text = rejection.to_string();
    match rejection {
        Rejection::NoSuchAsk(ask) => Fault::new(Problem::NoAsk(&ask.to_string())),
        Rejection::AskExpired(_) => Fault::new(Problem::AskExpired),
        Rejection::AskSuperseded(_) => Fault::new(Problem::AskOvertaken),
        Rejection::NotAnAnswer { kind, .. } => Fault::new(Problem::NotAnAnswer { kind: *kind }),
        Rejection::SeveralAsks(asks) => {
            let asks: Vec<String> = asks.iter().map(ToString::to_string).collect();
            Fault::new(Problem::SeveralAsks { asks: &asks.join(", ") })
        }
        Rejection::EditRefused(reason) => Fault::new(Problem::EditRefused(&one_line(&reason.shown()))),
        Rejection::Forbidden(rule) => Fault::new(Problem::Forbidden(&rule.to_string())),
        Rejection::NothingToPause => Fault::new(Problem::NothingToPause),
        Rejection::NothingToResume => Fault::new(Problem::NothingToResume),
        Rejection::NothingToStop => Fault::new(Problem::NothingToStop),
        Rejection::InboxFull { waiting } => Fault::new(Problem::InboxFull { waiting: *waiting }),
        Rejection::TooLong { bytes, max } => Fault::new(Problem::TooLong { bytes: *bytes as usize, max: *max as usize }),
        // Whoever takes a message back names it by its event and says what became of that.
        Rejection::NotWaiting(_)
        // Rules for good are named by whoever takes them back, and added by no command.
        | Rejection::NoSuchRule
        | Rejection::TooManyRules { .. }
        | Rejection::Known(_)
        | Rejection::NoSession
        | Rejection::Exists
        | Rejection::Stale { .. }
        | Rejection::OldEpoch { .. } => Fault::bug(&text),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl From<LogError> for Fault {
    fn from(error: LogError) -> Fault {
        match &error {
            LogError::Corrupt { stream, version, reason } => {
                Fault::new(Problem::Damaged(&format!("event {version} of {stream}: {reason}")))
            }
            LogError::Unreadable { stream, version, source } => {
                Fault::new(Problem::Damaged(&format!("event {version} of {stream}: {source}")))
            }
            LogError::Unavailable(reason) => Fault::new(Problem::Storage(reason)),
        }
    }
}

/// Why this process does not drive a session, unless it was asked to let go.
pub fn of_leave(leave: &Leave, session: &str) -> Option<Fault> {
    Some(match leave {
        Leave::Drained => return None,
        Leave::Held(holder) => Fault::new(Problem::Held { holder: &holder.to_string(), session }),
        Leave::Fenced => Fault::new(Problem::Fenced),
        Leave::Quarantined { version, reason } => Fault::new(Problem::Quarantined { session, version: version.0, reason }),
        Leave::Unreadable { reason, .. } => Fault::new(Problem::Damaged(reason)),
        Leave::Broken(reason) | Leave::Unreachable(reason) | Leave::LogBroken(reason) => Fault::new(Problem::Storage(reason)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::units::Version;

    #[test]
    fn what_cannot_be_brought_about_here_has_its_code_and_one_line_too() {
        let network = JournalError::NetworkFilesystem { path: "/mnt/share".into(), kind: "NFS" };
        let newer = JournalError::Newer { path: "/data".into(), found: 9, known: 1 };
        let quarantined = Leave::Quarantined { version: Version(7), reason: "illegal".into() };
        for (fault, code, names) in [
            (Fault::from(OpenError::Journal(network)), code::CONFIGURATION, "NFS"),
            (Fault::from(OpenError::Journal(newer)), code::CONFIGURATION, "newer"),
            (of_leave(&Leave::Broken("disk full".into()), "ses_x").unwrap(), code::FAILED, "disk full"),
            (of_leave(&quarantined, "ses_x").unwrap(), code::BUG, "quarantined at event 7"),
            (of_leave(&Leave::Fenced, "ses_x").unwrap(), code::CONFLICT, "took"),
        ] {
            assert_eq!(fault.code, code, "{fault:?}");
            assert!(fault.message.contains(names) && !fault.message.contains('\n') && !fault.hint.is_empty(), "{fault:?}");
        }
        assert_eq!(of_leave(&Leave::Drained, "ses_x"), None);
    }

    #[test]
    fn what_may_be_in_the_log_is_not_called_lost() {
        let unclear = of_refusal(&Refusal::Unclear, "ses_x");
        assert_eq!((unclear.code, unclear.message.contains("not sure")), (code::CONFLICT, true), "{unclear:?}");
        assert!(unclear.hint.contains("thru status ses_x"), "{unclear:?}");
        assert!(of_refusal(&Refusal::Left, "ses_x").message.contains("took"));
    }

    #[test]
    fn what_a_person_may_try_in_vain_is_no_bug() {
        for rejection in [Rejection::NothingToStop, Rejection::NothingToResume, Rejection::NothingToPause] {
            let fault = of_rejection(&rejection);
            assert_eq!((fault.kind, fault.code), ("conflict", code::CONFLICT), "{fault:?}");
            assert!(!fault.message.contains("bug") && fault.hint.contains("nothing was changed"), "{fault:?}");
        }
    }
}
