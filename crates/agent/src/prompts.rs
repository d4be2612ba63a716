//! Every sentence a model reads from us, as files. They are written into events when drafted, never when rendered,
//! so a later version of the program cannot change what an old run saw.

use contract::body::UnknownReason;
use contract::limits::{ATTEMPTS_MAX, CALLS_PER_REPLY_MAX, REPLY_BYTES_MAX, REPLY_PARTS_MAX};
use contract::text::Text;

/// Who the model is and how it should work; part of a run's configuration.
pub const SYSTEM: &str = include_str!("../prompts/system.md");

const UNKNOWN_OUTCOME: &str = include_str!("../prompts/unknown_outcome.md");
const EMPTY_REPLY: &str = include_str!("../prompts/empty_reply.md");
const LAST_REPLY: &str = include_str!("../prompts/last_reply.md");
const REPLY_TOO_LARGE: &str = include_str!("../prompts/reply_too_large.md");
const WITHDRAWN_LIMIT: &str = include_str!("../prompts/withdrawn_limit.md");
const WITHDRAWN_NEVER_DECIDED: &str = include_str!("../prompts/withdrawn_never_decided.md");
const WITHDRAWN_DENIED: &str = include_str!("../prompts/withdrawn_denied.md");
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
pub fn withdrawn_denied() -> Text {
    prompt(WITHDRAWN_DENIED)
}

#[must_use]
pub fn withdrawn_never_started() -> Text {
    prompt(&WITHDRAWN_NEVER_STARTED.replace("{max}", &ATTEMPTS_MAX.to_string()))
}

#[must_use]
pub fn withdrawn_too_many() -> Text {
    prompt(&WITHDRAWN_TOO_MANY.replace("{max}", &CALLS_PER_REPLY_MAX.to_string()))
}

fn prompt(text: &str) -> Text {
    Text::from(text.trim_end())
}
