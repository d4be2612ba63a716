//! Every sentence a model reads from us, as files. They are written into events when drafted, never when rendered,
//! so a later version of the program cannot change what an old run saw.

use crate::state::Halt;
use contract::body::UnknownReason;
use contract::id::CallId;
use contract::limits::{ATTEMPTS_MAX, CALLS_PER_REPLY_MAX, REPLY_BYTES_MAX, REPLY_PARTS_MAX};
use contract::rule::Rule;
use contract::text::Text;
use std::fmt::Display;

/// Who the model is and how it should work; part of a run's configuration.
pub const SYSTEM: &str = include_str!("../prompts/system.md");

/// What stands before the rules of a project.
#[must_use]
pub fn rules(trusted: bool) -> &'static str {
    if trusted { include_str!("../prompts/rules_trusted.md") } else { include_str!("../prompts/rules_untrusted.md") }
}

const UNKNOWN_OUTCOME: &str = include_str!("../prompts/unknown_outcome.md");
const EMPTY_REPLY: &str = include_str!("../prompts/empty_reply.md");
const LAST_REPLY: &str = include_str!("../prompts/last_reply.md");
const REPLY_TOO_LARGE: &str = include_str!("../prompts/reply_too_large.md");
const WITHDRAWN_LIMIT: &str = include_str!("../prompts/withdrawn_limit.md");
const WITHDRAWN_NEVER_DECIDED: &str = include_str!("../prompts/withdrawn_never_decided.md");
const WITHDRAWN_NEVER_STARTED: &str = include_str!("../prompts/withdrawn_never_started.md");
const WITHDRAWN_TOO_MANY: &str = include_str!("../prompts/withdrawn_too_many.md");

#[must_use]
pub fn unknown_outcome(reason: UnknownReason) -> Text {
    let reason = match reason {
        UnknownReason::Died => include_str!("../prompts/reason_died.md"),
        UnknownReason::OtherBoot => include_str!("../prompts/reason_other_boot.md"),
        UnknownReason::OtherMachine => include_str!("../prompts/reason_other_machine.md"),
        UnknownReason::Changed => include_str!("../prompts/reason_changed.md"),
        UnknownReason::Lost => include_str!("../prompts/reason_lost.md"),
    };
    prompt(&UNKNOWN_OUTCOME.replace("{reason}", reason.trim_end()))
}

#[must_use]
pub fn empty_reply() -> Text {
    prompt(EMPTY_REPLY)
}

#[must_use]
pub fn last_reply() -> Text {
    prompt(LAST_REPLY)
}

#[must_use]
pub fn reply_too_large() -> Text {
    prompt(&REPLY_TOO_LARGE.replace("{max}", &REPLY_PARTS_MAX.to_string()).replace("{bytes}", &REPLY_BYTES_MAX.to_string()))
}

#[must_use]
pub fn withdrawn_limit() -> Text {
    prompt(WITHDRAWN_LIMIT)
}

#[must_use]
pub fn withdrawn_never_decided() -> Text {
    prompt(WITHDRAWN_NEVER_DECIDED)
}

#[must_use]
pub fn withdrawn_never_started() -> Text {
    prompt(&WITHDRAWN_NEVER_STARTED.replace("{max}", &ATTEMPTS_MAX.to_string()))
}

#[must_use]
pub fn withdrawn_too_many() -> Text {
    prompt(&WITHDRAWN_TOO_MANY.replace("{max}", &CALLS_PER_REPLY_MAX.to_string()))
}

/// What a call that has not ended is said to be doing when the model is asked all the same.
#[must_use]
pub fn deferred_running(call: CallId, running_ms: u64) -> Text {
    filled(include_str!("../prompts/deferred_running.md"), &[("call", &call), ("seconds", &(running_ms / 1_000))])
}

#[must_use]
pub fn backgrounded(call: CallId, running_ms: u64) -> Text {
    filled(include_str!("../prompts/backgrounded.md"), &[("call", &call), ("seconds", &(running_ms / 1_000))])
}

#[must_use]
pub fn deferred_waiting(call: CallId) -> Text {
    filled(include_str!("../prompts/deferred_waiting.md"), &[("call", &call)])
}

#[must_use]
pub fn deferred_unknown(call: CallId) -> Text {
    filled(include_str!("../prompts/deferred_unknown.md"), &[("call", &call)])
}

#[must_use]
pub fn deferred_not_started(call: CallId) -> Text {
    filled(include_str!("../prompts/deferred_not_started.md"), &[("call", &call)])
}

#[must_use]
pub fn withdrawn_newer_message() -> Text {
    prompt(include_str!("../prompts/withdrawn_newer_message.md"))
}

#[must_use]
pub fn withdrawn_stopped() -> Text {
    prompt(include_str!("../prompts/withdrawn_stopped.md"))
}

#[must_use]
pub fn withdrawn_rule(rule: &Rule) -> Text {
    filled(include_str!("../prompts/withdrawn_rule.md"), &[("rule", rule)])
}

#[must_use]
pub fn withdrawn_expired() -> Text {
    prompt(include_str!("../prompts/withdrawn_expired.md"))
}

#[must_use]
pub fn withdrawn_lapsed() -> Text {
    prompt(include_str!("../prompts/withdrawn_lapsed.md"))
}

#[must_use]
pub fn withdrawn_not_alone() -> Text {
    prompt(include_str!("../prompts/withdrawn_not_alone.md"))
}

/// A person said no to a call.
#[must_use]
pub fn denied(message: Option<&Text>) -> Text {
    match message {
        Some(message) => filled(include_str!("../prompts/denied_with_message.md"), &[("message", &message.shown())]),
        None => prompt(include_str!("../prompts/denied.md")),
    }
}

/// A person does not answer a question.
#[must_use]
pub fn declined(message: Option<&Text>) -> Text {
    match message {
        Some(message) => filled(include_str!("../prompts/declined_with_message.md"), &[("message", &message.shown())]),
        None => prompt(include_str!("../prompts/declined.md")),
    }
}

#[must_use]
pub fn edited(args: &Text) -> Text {
    filled(include_str!("../prompts/edited.md"), &[("args", &args.shown())])
}

#[must_use]
pub fn stopping(halt: Halt) -> Text {
    match halt {
        Halt::Stopped => prompt(include_str!("../prompts/stopping_stopped.md")),
        Halt::NewerMessage => prompt(include_str!("../prompts/stopping_newer_message.md")),
    }
}

/// What became of a call that was open where a session was forked.
#[must_use]
pub fn forked() -> Text {
    prompt(include_str!("../prompts/forked.md"))
}

#[must_use]
pub fn timer_fired(waited_ms: u64) -> Text {
    filled(include_str!("../prompts/timer_fired.md"), &[("seconds", &(waited_ms.div_ceil(1_000)))])
}

#[must_use]
pub fn timer_target_ended(call: CallId) -> Text {
    filled(include_str!("../prompts/timer_target_ended.md"), &[("call", &call)])
}

#[must_use]
pub fn timer_stopped(halt: Halt) -> Text {
    filled(include_str!("../prompts/timer_stopped.md"), &[("reason", &stopping(halt).shown())])
}

#[must_use]
pub fn repeating(count: u32) -> Text {
    filled(include_str!("../prompts/repeating.md"), &[("count", &count)])
}

/// What a person said of an action whose outcome was unknown.
#[must_use]
pub fn judged(happened: bool, message: Option<&Text>) -> Text {
    let verdict = if happened { include_str!("../prompts/happened.md") } else { include_str!("../prompts/not_happened.md") };
    match message {
        Some(message) => prompt(&format!("{} {}", verdict.trim_end(), message.shown())),
        None => prompt(verdict),
    }
}

fn filled(text: &str, values: &[(&str, &dyn Display)]) -> Text {
    let fill = |text: String, (name, value): &(&str, &dyn Display)| text.replace(&format!("{{{name}}}"), &value.to_string());
    prompt(&values.iter().fold(text.to_owned(), fill))
}

fn prompt(text: &str) -> Text {
    Text::from(text.trim_end())
}
