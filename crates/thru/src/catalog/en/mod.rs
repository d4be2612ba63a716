//! English.

mod asks;
mod auth;
mod calls;
mod doctor;
mod help;
mod keep;
mod look;
mod models;
mod policies;
mod problem;

pub use asks::{answer, ask};
pub use auth::{auth_help, auth_line};
pub use calls::call_line;
pub use doctor::{cure, health, symptom};
pub use help::{help, talk_help, wish_help};
pub use keep::{keep_help, keep_line};
pub use look::{cost, host, look_help, look_line};
pub use models::{models_help, models_line};
pub use policies::{policy_help, policy_line};
pub use problem::{hint, problem};

use super::{Line, StatusLine};
use contract::ask::AskKind;
use contract::body::{FinishReason, RunOutcome};
use throughline::{Answered, Fate, Standing};

pub const WAITING: &str = "waiting for you";

pub fn outcome(outcome: RunOutcome) -> &'static str {
    match outcome {
        RunOutcome::Completed => "done",
        RunOutcome::Cancelled => "cancelled",
        RunOutcome::Failed => "failed",
        RunOutcome::Limit => "limit reached",
    }
}

fn rules_loaded(name: &str, bytes: u64, trusted: bool) -> String {
    let whose = if trusted { "" } else { ", whose project is not trusted" };
    format!("rules of {name}, {bytes} bytes{whose}")
}

pub fn line(what: &Line<'_>) -> String {
    match what {
        Line::SessionCreated { session, folder, model } => format!("session {session} in {folder} with {model}"),
        Line::NoSandbox => {
            "the sandbox is off: commands run with all your rights, and you are asked first unless you allowed them".to_owned()
        }
        Line::Chosen { model, why } => format!("the model is {model}, as {why} says"),
        Line::Taken { host, again: false } => format!("{host} drives the session"),
        Line::Taken { host, again: true } => format!("{host} took the session over"),
        Line::Received { from, text } => format!("{from}: {text}"),
        Line::RulesLoaded { name, bytes, trusted } => rules_loaded(name, *bytes, *trusted),
        Line::RunStarted => "work begins".to_owned(),
        Line::RunPaused { by: None } => "paused after a crash; `thru resume` goes on".to_owned(),
        Line::RunPaused { by: Some(by) } => format!("{by} paused it; what runs goes on; `thru resume` goes on"),
        Line::StopRequested { by, all: false } => format!("{by} stops the work"),
        Line::StopRequested { by, all: true } => format!("{by} stops everything"),
        Line::ModelAborted => "the model call is given up".to_owned(),
        Line::MessageWithdrawn { by } => format!("{by} took a message back"),
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
        Line::AskAnswered { by, how } => format!("{by} said {how}"),
        Line::RuleAdded { rule } => format!("from now on this session may: {rule}"),
        Line::AskExpired => "nobody answered in time".to_owned(),
        Line::AskOvertaken { stopped: false } => "what was asked is overtaken by the message".to_owned(),
        Line::AskOvertaken { stopped: true } => "what was asked is settled by the stop".to_owned(),
        Line::Quarantined { stream, reason } => format!("{stream} is quarantined: {reason}"),
        Line::HostStarted { host } => format!("{host} looks after this folder"),
        Line::HostStopped { host } => format!("{host} let go of this folder"),
        Line::Released { stream } => format!("{stream} may be driven again"),
        Line::Resuming { session } => format!("going on with {session}"),
        Line::Summary { outcome, seconds, turns, calls, tokens, cost_micros, events, session } => {
            let cost = if *cost_micros > 0 { format!(" · cost {:.4}", *cost_micros as f64 / 1e6) } else { String::new() };
            let (turns, calls) = (count(u64::from(*turns), "turn"), count(*calls, "tool call"));
            format!("{outcome} · {seconds} s · {turns} · {calls} · {tokens} tokens{cost} · {events} events · {session}")
        }
        Line::StopAgain => "stopping; press Ctrl-C again to leave at once".to_owned(),
        Line::NothingToStop { session } => format!("nothing runs in {session} that could be stopped"),
        Line::StoppingAlready { session } => format!("{session} is being stopped already"),
        Line::StoppedAtRest { version, session } => format!("recorded as event {version}; nothing runs in {session}, and nothing will"),
        Line::StillStopping { session } => format!("{session} is still stopping: thru events {session} --follow"),
        Line::Paused { version, session } => format!("recorded as event {version}; it stays paused until: thru resume {session}"),
        Line::NoApprovals => "nothing waits for you".to_owned(),
        Line::Answered { version, how, holder, session } => {
            let word = match how {
                Answered::Yes => "yes",
                Answered::No => "no",
                Answered::Replied => "answered",
            };
            format!("{word}, recorded as event {version}; {}", acts(*holder, session))
        }
        Line::HowToResume { session } => format!("go on with: thru resume {session}"),
        Line::NothingToResume { session } => format!("nothing to resume: {session} is at rest"),
        Line::VerifiedStream { stream, events, requests, hash } => {
            format!("{stream}: {events} events, chain whole, {requests} model requests recomputed, ends in {hash}")
        }
        Line::VerifiedAll { streams } => format!("{} verified", count(*streams as u64, "stream")),
        Line::Sent { version, holder, session } => format!("recorded as event {version}; {}", acts(*holder, session)),
        Line::Left { signal } => format!("left on {signal}; nothing is lost"),
    }
}

/// Who will act on what was recorded.
fn acts(holder: Option<&str>, session: &str) -> String {
    match holder {
        Some(holder) => format!("{holder} drives the session and will act on it"),
        None => format!("nobody drives the session: thru resume {session}"),
    }
}

pub fn status(what: &StatusLine<'_>) -> String {
    match what {
        StatusLine::Session { session, standing, holder, forsaken, task } => {
            let words = standing_words(standing, *forsaken);
            format!("{session}  {words}{}  {task}", who(*holder, *forsaken))
        }
        StatusLine::HowToResume { session } => format!("  go on with: thru resume {session}"),
        StatusLine::NoSessions => "there is no session yet; start one with `thru run`".to_owned(),
        StatusLine::NothingRuns => "no command runs".to_owned(),
        StatusLine::Of { session, holder } => {
            let how = if holder.is_some() { String::new() } else { format!(": thru resume {session}") };
            format!("{session}{}{how}", who(*holder, holder.is_none()))
        }
        StatusLine::Forked { from, at } => format!("  branches off from {from} after its event {at}"),
        StatusLine::Running { tool, call, args, seconds, background, stopping, driven, sandbox } => {
            let held = calls::surroundings(*sandbox, false);
            let how = match (background, stopping) {
                (_, true) => ", being stopped",
                (true, false) => ", in the background",
                (false, false) => "",
            };
            if *driven {
                format!("  {tool} ({call}) running for {seconds} s{how}{held}: {args}")
            } else {
                format!("  {tool} ({call}) was running when its process ended, begun {seconds} s ago{how}{held}: {args}")
            }
        }
        StatusLine::Output { text } => format!("    last output: {text}"),
        StatusLine::Message { event, fate, text } => format!("  message {event}, {}: {text}", fate_words(fate)),
        StatusLine::Figures { turns, run, calls, tokens, cost_micros, events, folder } => {
            let of_run = run.map(|run| format!(" ({} of {} in this run)", run.turns, run.turns_allowed)).unwrap_or_default();
            let (turns, calls) = (count(u64::from(*turns), "turn") + &of_run, count(*calls, "tool call"));
            let cost = if *cost_micros > 0 { format!(", cost {:.4}", *cost_micros as f64 / 1e6) } else { String::new() };
            format!("  {turns}, {calls}, {tokens} tokens{cost}, {events} events, in {folder}")
        }
    }
}

fn who(holder: Option<&str>, forsaken: bool) -> String {
    match holder {
        Some(holder) => format!(", driven by {holder}"),
        None if forsaken => ", nobody drives it".to_owned(),
        None => String::new(),
    }
}

/// What the log calls open was so when the last process ended, if nobody drives the session now.
fn standing_words(standing: &Standing, forsaken: bool) -> String {
    match standing {
        Standing::Asking if forsaken => "was asking the model when its process ended".to_owned(),
        Standing::Acting if forsaken => "tools were running when its process ended".to_owned(),
        Standing::Stopping if forsaken => "is to be stopped".to_owned(),
        Standing::AtRest => "at rest".to_owned(),
        Standing::Asking => "asking the model".to_owned(),
        Standing::Acting => "tools are running".to_owned(),
        Standing::Retrying { .. } => "waiting to ask the model again".to_owned(),
        Standing::Waiting { .. } => "waiting for a time".to_owned(),
        Standing::Stopping => "stopping".to_owned(),
        Standing::Parked { asks } if asks.contains(&AskKind::Limit) => "waiting for you at a limit".to_owned(),
        Standing::Parked { asks } if asks.is_empty() => "paused".to_owned(),
        Standing::Parked { .. } => "waiting for you".to_owned(),
        Standing::Due => "has work to do".to_owned(),
    }
}

fn fate_words(fate: &Fate) -> String {
    match fate {
        Fate::Waiting => "not seen yet".to_owned(),
        Fate::Delivered { at } => format!("delivered at event {at}"),
        Fate::Seen { at, by } => format!("delivered at event {at}, seen by {by}"),
        Fate::Answered => "was the answer".to_owned(),
        Fate::Told => "answered from the log".to_owned(),
        Fate::Dropped { at } => format!("dropped unseen at event {at}"),
        Fate::Withdrawn { at } => format!("taken back at event {at}"),
    }
}

fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn finish_reason(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::ModelFailed => "the model failed",
        FinishReason::EmptyReply => "the model said nothing",
        FinishReason::TurnLimit => "all replies are used up",
        FinishReason::Denied => "you said no",
        FinishReason::Stopped => "you stopped it",
        FinishReason::Budget => "its limit was not extended",
    }
}
