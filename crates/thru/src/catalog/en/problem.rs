//! What went wrong, what is unaffected, what to do.

use super::models::{setup_hint, setup_problem};
use crate::catalog::Problem;
use contract::ask::AskKind;

pub fn problem(what: &Problem<'_>) -> String {
    match what {
        Problem::Usage(what) | Problem::TaskUsage(what) | Problem::Unwritable(what) => (*what).to_owned(),
        Problem::Setup(what) => setup_problem(what),
        Problem::UnknownTool { rule, known } => format!("the rule {rule} names no tool; there are {known}"),
        Problem::WhichSession => "no session was named: ID or --last".to_owned(),
        Problem::Script(reason) => format!("the script cannot be played: {reason}"),
        Problem::WorkFolder { path, reason } => format!("the working folder {path} cannot be used: {reason}"),
        Problem::BadMachine(reason) => format!("the data folder has lost the name of its machine: {reason}"),
        Problem::DataFolder(reason) => format!("the data folder cannot be used: {reason}"),
        Problem::NetworkFilesystem { path, kind } => {
            format!("the data folder {path} is on a network file system ({kind}), which cannot keep a log safe")
        }
        Problem::NewerData(reason) => format!("the data was written by a newer version: {reason}"),
        Problem::TooLong { bytes, max } => format!("the text has {bytes} bytes, at most {max} are allowed"),
        Problem::NoSession(session) => format!("there is no session {session}"),
        Problem::NoSessions => "there is no session yet".to_owned(),
        Problem::NoVersion { session, at, last } => format!("the session {session} has events 1 to {last}, and none of number {at}"),
        Problem::NotEmpty(path) => format!("the folder {path} is not empty"),
        Problem::NoExport(reason) | Problem::BrokenExport(reason) | Problem::NewerExport(reason) => {
            format!("the export cannot be imported: {reason}")
        }
        Problem::Differs { session, version } => {
            format!("the session {session} is here already and is another one from event {version} on")
        }
        Problem::OtherFork { session, from, at } => {
            format!("the key names another fork: {session}, which branches off from {from} after its event {at}")
        }
        Problem::OtherWords { session } => format!("the key is taken: something else was said to {session} under it"),
        Problem::TooDeep { session } => format!("the session {session} is a fork of too many forks"),
        Problem::Held { holder, .. } => format!("the session is being driven by another running process ({holder})"),
        Problem::Fenced => "another process took the session over".to_owned(),
        Problem::Unclear { .. } => "it is not sure whether that was recorded".to_owned(),
        Problem::Damaged(reason) => format!("the log is damaged: {reason}"),
        Problem::Destroyed(reason) => format!("the log of all sessions is damaged: {reason}"),
        Problem::Storage(reason) => format!("the log cannot be used: {reason}"),
        Problem::Quarantined { session, version, reason } => {
            format!("the session {session} is quarantined at event {version}: {reason}")
        }
        Problem::Bug(reason) => format!("this is a bug: {reason}"),
        Problem::NoAsk(ask) => format!("there is no ask {ask}"),
        Problem::AskAnswered { by, yes, version } => {
            format!("{by} has said {} already, in event {version}", if *yes { "yes" } else { "no" })
        }
        Problem::AskExpired => "nobody answered in time, and it was not run".to_owned(),
        Problem::AskOvertaken => "a message came since, and the agent decides anew".to_owned(),
        Problem::AskStopped => "the work was stopped since".to_owned(),
        Problem::NotAnAnswer { kind } => format!("that is no answer to {}", asked(*kind)),
        Problem::SeveralAsks { asks } => format!("several things are asked: {asks}"),
        Problem::EditRefused(reason) => format!("the edited call cannot run: {reason}"),
        Problem::Forbidden(rule) => format!("the rule {rule} forbids it"),
        Problem::NothingToPause => "no run is going that could be paused".to_owned(),
        Problem::PausedAlready { session } => format!("{session} is paused already"),
        Problem::PauseOfStopping { session } => format!("{session} is being stopped, so it cannot be paused"),
        Problem::NothingToResume => "nothing is paused".to_owned(),
        Problem::NothingToStop => "nothing runs that is not being stopped already".to_owned(),
        Problem::NoRule => "no rule can name exactly this call, so it can only be allowed once".to_owned(),
        Problem::NoStandingRule { rule, folder } => format!("nobody allowed {rule} for good in {folder}"),
        Problem::NotWaiting { event } => format!("no message waits as event {event}"),
        Problem::NotTakenBack { old, new } => {
            format!("what you say now is event {new}, but event {old} could not be taken back: its work has begun, or a model has seen it")
        }
        Problem::InboxFull { waiting } => format!("{waiting} messages wait already"),
        Problem::NotYet { position } => format!("the log has not reached position {position}"),
        Problem::HostHeld { holder } => format!("{holder} looks after this folder already"),
        Problem::BadAmount { text, why } => format!("{text} is no amount: {why}"),
        Problem::UnknownTyped(what) => format!("{what} is not understood"),
        Problem::NothingAsked => "nothing is asked".to_owned(),
    }
}

fn asked(kind: AskKind) -> &'static str {
    match kind {
        AskKind::Tool => "whether a call may run",
        AskKind::Question => "a question",
        AskKind::Limit => "whether a limit may be extended",
        AskKind::Reconcile => "whether an action happened",
        AskKind::Resume => "whether to go on",
    }
}

pub fn hint(what: &Problem<'_>) -> String {
    match what {
        Problem::Held { session, .. } => return format!("it goes on unharmed; take part with `thru attach {session}`, or say it with `thru send {session} TEXT`"),
        Problem::Unclear { session } => return format!("nothing that was acknowledged is lost; `thru status {session}` shows it"),
        Problem::TaskUsage(_) => "nothing was started; a task of several words needs quotes; see `thru run --help`",
        Problem::Usage(_) => "nothing was started; see `thru --help`",
        Problem::Setup(what) => return setup_hint(what),
        Problem::WhichSession => "nothing was started; `thru resume --last` goes on with the session that changed last, `thru status` lists them",
        Problem::UnknownTool { .. } => "nothing was started; mend the rule and run again",
        Problem::Script(_) | Problem::WorkFolder { .. } => "nothing was started; mend it and run again",
        Problem::DataFolder(_) | Problem::NetworkFilesystem { .. } => {
            "nothing was changed; set THRU_HOME to a writable folder on a local disk"
        }
        Problem::BadMachine(_) => {
            "nothing was changed; remove that file to name the machine anew, and commands that run count as another machine's"
        }
        Problem::NewerData(_) => "nothing was changed; use the newer version of thru",
        Problem::TooLong { .. } => "nothing was changed; put long material into a file and name that",
        Problem::NoSession(_) => "nothing was changed; `thru status` lists them",
        Problem::NoSessions => "nothing was changed; start one with `thru run`",
        Problem::NoVersion { session, .. } => return format!("nothing was made; `thru events {session}` shows them with their numbers"),
        Problem::NotEmpty(_) => "nothing was written; name a folder that is not there yet",
        Problem::Unwritable(_) => "nothing that looks like an export was left; name a folder that can be written",
        Problem::NoExport(_) => "nothing was stored; name a folder that `thru export` wrote, with everything in it",
        Problem::NewerExport(_) => "nothing was stored; use the newer version of thru",
        Problem::BrokenExport(_) => "nothing was stored; it is not what was exported, so get it anew",
        Problem::Differs { session, .. } => return format!("nothing was stored, and it is as it was; compare with `thru events {session}`"),
        Problem::OtherFork { .. } => "nothing was made; take another key",
        Problem::OtherWords { session } => return format!("nothing was changed; take another key, or say it with `thru send {session} TEXT`"),
        Problem::TooDeep { .. } => "nothing was made; fork one of the sessions that it stands on",
        Problem::Fenced => "nothing is lost; the other process goes on with it",
        Problem::Damaged(_) => "other sessions are unaffected; `thru verify` shows each one",
        Problem::Destroyed(_) => {
            "nothing was changed; leave the folder as it is, copy it away first, and bring it back from a copy; `thru doctor` looks at it"
        }
        Problem::Storage(_) => "nothing that was acknowledged is lost; mend the disk (`thru doctor` looks at it) and run `thru resume`",
        Problem::Quarantined { .. } => "other sessions are unaffected; `thru resume ID` tries it again",
        Problem::NoAsk(_) => "nothing was changed; `thru approvals` lists what is open",
        Problem::AskAnswered { .. } => "nothing was changed; the first answer counts",
        Problem::AskExpired | Problem::AskOvertaken | Problem::AskStopped => "nothing was changed; `thru approvals` lists what is open",
        Problem::NotAnAnswer { kind: AskKind::Question } => "it stays open; answer it with `thru send ID TEXT`",
        Problem::NotAnAnswer { .. } => "it stays open; see `thru approve --help` and `thru deny --help`",
        Problem::SeveralAsks { .. } => "nothing was changed; answer one with `thru approve ASK` or `thru deny ASK`; /yes and /no answer the oldest",
        Problem::EditRefused(_) => "it stays open; mend the arguments",
        Problem::NotYet { .. } => "it was waited for; ask again, or without --after",
        Problem::HostHeld { .. } => "it goes on unharmed; one is enough",
        Problem::BadAmount { .. } => "it stays open; `thru approvals` shows what is asked",
        Problem::Forbidden(_) => "it stays open; nothing was run",
        Problem::NothingToPause => "nothing was changed; `thru status` shows how sessions stand",
        Problem::PausedAlready { session } => return format!("nothing was changed; `thru resume {session}` goes on"),
        Problem::PauseOfStopping { session } => return format!("nothing was changed; `thru events {session}` shows what is stopped"),
        Problem::NothingToResume => "nothing was changed; what is asked, or waits at a limit, needs an answer",
        Problem::NothingToStop => "nothing was changed; `thru status` shows how sessions stand",
        Problem::NoStandingRule { .. } => "`thru policy list --all` shows the rules of every folder",
        Problem::NoRule => "it stays open, and nothing was changed; it can be approved once",
        Problem::NotTakenBack { .. } => "the agent hears both; `thru status ID` shows what it has seen",
        Problem::NotWaiting { .. } => "nothing was changed; a model has seen it, or it was never there: `thru status ID` shows them",
        Problem::UnknownTyped(_) => {
            "nothing was said; there are /yes, /no [WHY], /session, /always, /edit ARGUMENTS, /more AMOUNT, /queue TEXT, /interrupt TEXT, /stop, /pause, /resume"
        }
        Problem::NothingAsked => "nothing was said; type what you want to say without a slash",
        Problem::InboxFull { .. } => "nothing was changed; let the agent read them first",
        Problem::Bug(_) => "nothing that was acknowledged is lost; `thru resume --last` goes on",
    }
    .to_owned()
}
