//! Sessions that branch off from others, with everything open that can be.

use super::ends::{in_background, wait};
use crate::writer::{Played, Writer, call, calls, finished};
use contract::body::Mode;
use contract::call::{Class, PreparedCall, Risk};
use contract::config::ResumePolicy;
use contract::outcome::ReplyPart;
use contract::text::Text;

/// A fork of a session in which a call runs in the background, one in the foreground, one is asked about and one waits,
/// while messages that no model has seen are there; then its own run.
pub fn fork(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    writer.reply(vec![in_background(0)])?;
    let held = ReplyPart::Call(Box::new(PreparedCall { risk: Risk::High, ..call(1, Class::Unsafe) }));
    writer.reply(vec![ReplyPart::Call(Box::new(call(0, Class::Unsafe))), held, wait(2, 60_000, None)])?;
    writer.message("message-2", Text::from("And then the rest."), Mode::Queue)?;
    writer.fork()?;
    writer.take()?;
    writer.run("message-1")?;
    writer.reply(calls(&[Class::Pure]))?;
    writer.tool(0, finished(true, Text::from("seen"), Some(0), None))?;
    writer.say("Done another way.")
}

/// A fork while the model is asked, and a fork of that fork inside a run of its own, which says nothing yet.
pub fn fork_of_a_fork(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    writer.fork()?;
    writer.take()?;
    writer.run("message-2")?;
    writer.reply(calls(&[Class::Unsafe]))?;
    writer.fork()
}
