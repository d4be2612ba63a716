//! English.

use super::{Help, Line, Problem, StatusLine};
use contract::ask::AskKind;
use contract::body::{CancelReason, FinishReason, RunOutcome, UnknownReason};
use throughline::Standing;

pub const WAITING: &str = "waiting for you";

pub fn help(text: Help) -> &'static str {
    match text {
        Help::About => "Throughline: an agent whose work survives. Kill it at any instant; it goes on, loses nothing and repeats nothing.",
        Help::After => {
            "Data is kept in $THRU_HOME, else $XDG_DATA_HOME/throughline, else ~/.local/share/throughline.\n\n\
             Exit codes: 0 done, 1 failed, 2 usage, 3 configuration, 4 waiting for a person, 6 limit, 8 not found,\n\
             9 conflict, 70 bug, 130 and 143 left by a signal.\n\n\
             Try it:\n  thru run --model script:examples/first-job.jsonl -C examples/workspace \"Count the words of the poem\""
        }
        Help::Run => "Give work to an agent and follow it until it is done",
        Help::RunAfter => {
            "Every step is stored before it happens. Leave with Ctrl-C or kill it: running commands go on, and\n\
             `thru resume --last` goes on from the log.\n\n\
             Examples:\n  thru run --model script:job.jsonl \"Count the words\"\n  \
             thru run --model script:job.jsonl --key nightly-7 \"Count the words\"   # the same key is the same job\n  \
             thru run --session ses_… \"And now the lines\"\n  thru run --json --model script:job.jsonl \"Count\" | jq .type\n\n\
             On a terminal the story is told line by line. With stdout piped, stdout holds the final answer only."
        }
        Help::Task => "What is to be done",
        Help::Model => "Who does the work: script:FILE plays a scripted model, one JSON object a line",
        Help::Fallback => "Who is asked when the model cannot answer; may be given several times, in order",
        Help::Folder => "Working folder of the tools",
        Help::Session => "A session, ses_…",
        Help::SessionFlag => "Go on with this session instead of starting one",
        Help::Key => "Names the job: the same key again finds the job and does not start it twice",
        Help::MaxTurns => "Model replies before the agent must answer [default: 150]",
        Help::OnResume => "What the session does when it is opened again after its process died",
        Help::Json => "Print canonical events as JSON lines; the last line is the outcome",
        Help::JsonLines => "Print JSON, one object a line",
        Help::EmptyTask => "the task says nothing",
        Help::Quiet => "Print the final answer only",
        Help::Resume => "Go on with a session that was killed, left or parked",
        Help::ResumeAfter => {
            "A command that is still running is adopted and its true exit code reported. A command that never began is\n\
             run once. A command that died unseen is reported as unknown and not run again.\n\n\
             Examples:\n  thru resume --last\n  thru resume ses_… --json"
        }
        Help::Last => "The session that changed last",
        Help::Events => "Show what happened in a session, event by event",
        Help::EventsAfter => {
            "Examples:\n  thru events ses_…\n  thru events ses_… --from 12 --follow\n  thru events ses_… --json | jq 'select(.type==\"tool.finished\")'"
        }
        Help::From => "First version to show",
        Help::Follow => "Go on showing events as they come",
        Help::Verify => "Check that nothing stored was changed, lost or put in another order",
        Help::Send => "Say something to a session, also while another terminal runs it",
        Help::SendAfter => {
            "The message is durable when this returns. It says who will act on it, or how to resume the session when nobody\n\
             does. The model sees it at its next call; tools that run go on.\n\n\
             Examples:\n  thru send ses_… \"Use the staging server\"\n  thru send ses_… --queue \"Then write a summary\""
        }
        Help::SendKey => "The same key again is the same message",
        Help::Text => "What you want to say",
        Help::Steer => "Enter the work that is going on (the default)",
        Help::Queue => "Wait for the work to end and become the next",
        Help::Status => "Show how sessions stand: what runs, what waits, who drives them",
        Help::StatusAfter => {
            "Without an ID the latest sessions are listed.\n\nExamples:\n  thru status\n  thru status ses_…\n  thru status --json"
        }
        Help::VerifyAfter => {
            "Checks the hash chain, the order and the meaning of every event, of one session or of everything.\n\
             Exit code 1 names the first broken event.\n\nExamples:\n  thru verify\n  thru verify ses_…"
        }
    }
}

pub fn problem(what: &Problem<'_>) -> String {
    match what {
        Problem::Usage(text) => (*text).to_owned(),
        Problem::NoModel => "no model was named".to_owned(),
        Problem::UnknownModel(name) => format!("the model `{name}` is not known"),
        Problem::Script(reason) => format!("the script cannot be played: {reason}"),
        Problem::WorkFolder { path, reason } => format!("the working folder {path} cannot be used: {reason}"),
        Problem::BadMachine(reason) => format!("the data folder has lost the name of its machine: {reason}"),
        Problem::DataFolder(reason) => format!("the data folder cannot be used: {reason}"),
        Problem::NetworkFilesystem { path, kind } => {
            format!("the data folder {path} is on a network file system ({kind}), which cannot keep a log safe")
        }
        Problem::NewerData(reason) => format!("the data was written by a newer version: {reason}"),
        Problem::TooLong { bytes, max } => format!("the task has {bytes} bytes, at most {max} are allowed"),
        Problem::NoSession(session) => format!("there is no session {session}"),
        Problem::NoSessions => "there is no session yet".to_owned(),
        Problem::Held { holder, .. } => format!("the session is being driven by another running process ({holder})"),
        Problem::Fenced => "another process took the session over".to_owned(),
        Problem::Damaged(reason) => format!("the log is damaged: {reason}"),
        Problem::Storage(reason) => format!("the log cannot be used: {reason}"),
        Problem::Quarantined { session, version, reason } => {
            format!("the session {session} is quarantined at event {version}: {reason}")
        }
        Problem::Bug(reason) => format!("this is a bug: {reason}"),
    }
}

pub fn hint(what: &Problem<'_>) -> String {
    if let Problem::Held { session, .. } = what {
        return format!("it goes on unharmed; follow it with `thru events {session} --follow`");
    }
    match what {
        Problem::Held { .. } => "",
        Problem::Usage(_) => "nothing was started; a task of several words needs quotes; see `thru --help`",
        Problem::NoModel => "nothing was started; say --model script:FILE",
        Problem::UnknownModel(_) => "nothing was started; a script is named script:FILE",
        Problem::Script(_) | Problem::WorkFolder { .. } => "nothing was started; mend it and run again",
        Problem::DataFolder(_) | Problem::NetworkFilesystem { .. } => {
            "nothing was changed; set THRU_HOME to a writable folder on a local disk"
        }
        Problem::BadMachine(_) => {
            "nothing was changed; remove that file to name the machine anew, and commands that run count as another machine's"
        }
        Problem::NewerData(_) => "nothing was changed; use the newer version of thru",
        Problem::TooLong { .. } => "nothing was started; put long material into a file and name it in the task",
        Problem::NoSession(_) => "nothing was changed; `thru status` lists them",
        Problem::NoSessions => "nothing was changed; start one with `thru run`",
        Problem::Fenced => "nothing is lost; the other process goes on with it",
        Problem::Damaged(_) => "other sessions are unaffected; `thru verify` shows each one",
        Problem::Storage(_) => "nothing that was acknowledged is lost; mend the disk and run `thru resume`",
        Problem::Quarantined { .. } => "other sessions are unaffected; `thru resume ID` tries it again",
        Problem::Bug(_) => "nothing that was acknowledged is lost; `thru resume --last` goes on",
    }
    .to_owned()
}

pub fn outcome(outcome: RunOutcome) -> &'static str {
    match outcome {
        RunOutcome::Completed => "done",
        RunOutcome::Cancelled => "cancelled",
        RunOutcome::Failed => "failed",
        RunOutcome::Limit => "limit reached",
    }
}

pub fn line(what: &Line<'_>) -> String {
    match what {
        Line::SessionCreated { session, folder, model } => format!("session {session} in {folder} with {model}"),
        Line::NoSandbox => "there is no sandbox and no approval yet: commands run with your rights".to_owned(),
        Line::Taken { again: false } => "this process drives the session".to_owned(),
        Line::Taken { again: true } => "this process took the session over".to_owned(),
        Line::Received { from, text } => format!("{from}: {text}"),
        Line::RunStarted => "work begins".to_owned(),
        Line::RunPaused => "paused after a crash; `thru resume` goes on".to_owned(),
        Line::RunResumed { by } => format!("{by} said: go on"),
        Line::RunFinished { outcome: ended, reason } => match reason.map(finish_reason) {
            Some(reason) => format!("{}: {reason}", outcome(*ended)),
            None => outcome(*ended).to_owned(),
        },
        Line::Asked { attempt: 1 } => "asks the model".to_owned(),
        Line::Asked { attempt } => format!("asks the model again, attempt {attempt}"),
        Line::ModelFailed { why } => format!("the model failed: {why}"),
        Line::ModelInterrupted => "the model call was cut off by the crash".to_owned(),
        Line::Retrying { seconds } => format!("the model is asked again in {seconds} s"),
        Line::AskedInstead { model } => format!("asks {model} instead"),
        Line::Says(text) => (*text).to_owned(),
        Line::Decided { tool, args } => format!("{tool} {args}"),
        Line::Withdrawn { tool, note } => format!("{tool} not run: {note}"),
        Line::Started { tool, attempt: 1 } => format!("{tool} starts"),
        Line::Started { tool, attempt } => format!("{tool} starts, attempt {attempt}"),
        Line::Adopted { tool } => format!("{tool} is still running and was adopted"),
        Line::Finished { tool, ok, exit, signal, bytes, shown } => finished(tool, *ok, *exit, *signal, *bytes, shown),
        Line::Cancelled { tool, reason: CancelReason::NeverStarted } => format!("{tool} had never begun; it will run once"),
        Line::Cancelled { tool, reason: CancelReason::NoEffect } => format!("{tool} had no effect; it will run once"),
        Line::Unknown { tool, reason, shown } => {
            let output = if shown.is_empty() { String::new() } else { format!("; it had printed: {shown}") };
            format!("{tool}: outcome unknown, {}{output}", unknown_reason(*reason))
        }
        Line::Reconciled { tool } => format!("{tool}: the model was told and decides"),
        Line::AskOpened { kind: AskKind::Resume } => "it came back after a crash and asks whether to go on".to_owned(),
        Line::AskOpened { kind: AskKind::CrashLoop } => "it died too often without getting anywhere and waits for you".to_owned(),
        Line::AskAnswered { by } => format!("answered by {by}"),
        Line::Quarantined { stream, reason } => format!("{stream} is quarantined: {reason}"),
        Line::Released { stream } => format!("{stream} may be driven again"),
        Line::Resuming { session } => format!("going on with {session}"),
        Line::Summary { outcome, seconds, turns, calls, tokens, cost_micros, events, session } => {
            let cost = if *cost_micros > 0 { format!(" · cost {:.4}", *cost_micros as f64 / 1e6) } else { String::new() };
            let (turns, calls) = (count(u64::from(*turns), "turn"), count(u64::from(*calls), "tool call"));
            format!("{outcome} · {seconds} s · {turns} · {calls} · {tokens} tokens{cost} · {events} events · {session}")
        }
        Line::StillRunning { tool } => format!("{tool} keeps running"),
        Line::HowToResume { session } => format!("go on with: thru resume {session}"),
        Line::NothingToResume { session } => format!("nothing to resume: {session} is at rest"),
        Line::VerifiedStream { stream, events, requests, hash } => {
            format!("{stream}: {events} events, chain whole, {requests} model requests recomputed, ends in {hash}")
        }
        Line::VerifiedAll { streams } => format!("{} verified", count(*streams as u64, "stream")),
        Line::Sent { version, holder: Some(holder), .. } => {
            format!("recorded as event {version}; {holder} drives the session and will act on it")
        }
        Line::Sent { version, holder: None, session } => {
            format!("recorded as event {version}; nobody drives the session: thru resume {session}")
        }
        Line::Left { signal } => format!("left on {signal}; nothing is lost"),
    }
}

pub fn status(what: &StatusLine<'_>) -> String {
    match what {
        StatusLine::Session { session, standing, driven, task } => {
            let driven = if *driven { ", driven" } else { "" };
            format!("{session}  {}{driven}  {task}", standing_words(standing))
        }
        StatusLine::Running { tool, args, seconds } => format!("  running for {seconds} s: {tool} {args}"),
        StatusLine::Waiting { text } => format!("  not seen yet: {text}"),
        StatusLine::Figures { turns, calls, tokens, events, folder } => {
            let (turns, calls) = (count(u64::from(*turns), "turn"), count(u64::from(*calls), "tool call"));
            format!("  {turns}, {calls}, {tokens} tokens, {events} events, in {folder}")
        }
    }
}

fn standing_words(standing: &Standing) -> String {
    match standing {
        Standing::AtRest => "at rest".to_owned(),
        Standing::Asking => "asking the model".to_owned(),
        Standing::Acting => "tools are running".to_owned(),
        Standing::Retrying { .. } => "waiting to ask the model again".to_owned(),
        Standing::Parked { asks } if asks.contains(&AskKind::CrashLoop) => "waiting for you: it died too often".to_owned(),
        Standing::Parked { asks } if asks.is_empty() => "paused".to_owned(),
        Standing::Parked { .. } => "waiting for you".to_owned(),
        Standing::Due => "has work to do".to_owned(),
    }
}

fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn finished(tool: &str, ok: bool, exit: Option<i32>, signal: Option<i32>, bytes: u64, shown: &str) -> String {
    let end = match (exit, signal) {
        (Some(exit), _) => format!("exit {exit}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) if ok => "ok".to_owned(),
        (None, None) => "failed".to_owned(),
    };
    if shown.is_empty() { format!("{tool}: {end}, {bytes} bytes") } else { format!("{tool}: {end}: {shown}") }
}

fn finish_reason(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::ModelFailed => "the model failed",
        FinishReason::EmptyReply => "the model said nothing",
        FinishReason::TurnLimit => "all replies are used up",
        FinishReason::Denied => "you said no",
    }
}

fn unknown_reason(reason: UnknownReason) -> &'static str {
    match reason {
        UnknownReason::Died => "it was killed before its end could be recorded",
        UnknownReason::OtherBoot => "the machine was restarted before its end could be recorded",
        UnknownReason::OtherMachine => "it ran on another machine that did not come back",
        UnknownReason::Changed => "the file is neither as before nor as intended",
        UnknownReason::Lost => "its executor ended without a report",
    }
}
