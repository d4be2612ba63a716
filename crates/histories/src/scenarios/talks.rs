//! People who talk to a run while it works.

use crate::writer::{Played, Writer, blob, call, calls, finished};
use contract::body::Mode;
use contract::call::{Class, Prepared, PreparedCall, Risk};
use contract::config::{Autonomy, ResumePolicy};
use contract::id::Sha256;
use contract::outcome::{ReplyPart, ToolOutcome};
use contract::text::Text;

fn patient(number: usize, patience_ms: u64) -> ReplyPart {
    let prepared = Box::new(Prepared { patience_ms: Some(patience_ms), ..Prepared::default() });
    ReplyPart::Call(Box::new(PreparedCall { prepared, ..call(number, Class::Unsafe) }))
}

fn done(text: &str) -> ToolOutcome {
    finished(true, Text::from(text), Some(0), None)
}

/// All that a call can carry, with people talking in between; it ends while a tool runs.
pub fn tools(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.config.policy.autonomy = Autonomy::Full;
    writer.message("message-1", blob("read this "), Mode::Queue)?;
    writer.prepare()?;
    let opaque =
        ReplyPart::Opaque { protocol: "messages".into(), model: "script:golden".into(), bytes: Text::from("{\"signature\":\"é\\n\"}") };
    let rich = Prepared {
        paths: vec!["file-1".into()],
        hosts: vec!["example.invalid".into()],
        commands: vec!["git status".into()],
        preview: Some(Text::from("- old\n+ new")),
        witness: Some(Sha256::of(b"old")),
        ..Prepared::default()
    };
    let read = Prepared { paths: vec!["file-0".into()], content: Some(Sha256::of(b"seen")), ..Prepared::default() };
    let parts = vec![
        opaque,
        ReplyPart::Text(Text::from("I will look.")),
        ReplyPart::Call(Box::new(PreparedCall { prepared: Box::new(read), ..call(0, Class::Pure) })),
        ReplyPart::Call(Box::new(PreparedCall { risk: Risk::High, prepared: Box::new(rich), ..call(1, Class::Probe) })),
        ReplyPart::Call(Box::new(PreparedCall { risk: Risk::Medium, args: blob("{} "), ..call(2, Class::Idempotent) })),
        ReplyPart::Call(Box::new(PreparedCall { refused: Some(blob("no such tool. ")), ..call(3, Class::Unsafe) })),
    ];
    writer.reply(parts)?;
    writer.tool(2, finished(true, blob("line\n"), None, None))?;
    writer.message("message-2", Text::from("And mind the tests."), Mode::Steer)?;
    writer.tool(1, done("found"))?;
    writer.tool(1, finished(false, Text::from(""), None, Some(9)))?;
    writer.message("message-3", Text::from("Then the next thing."), Mode::Queue)?;
    writer.say("I mind them.")?;
    writer.say("Here it is.")?;
    writer.prepare()?;
    writer.reply(calls(&[Class::Unsafe]))
}

/// Calls that are deferred, sent to the background and told of later; messages of all modes, one of them taken back.
pub fn interjections(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    writer.reply(vec![patient(0, 60_000), ReplyPart::Call(Box::new(call(1, Class::Pure))), patient(2, 0)])?;
    writer.message_beside("message-2", 0, "line 7\n")?;
    writer.message("status-1", Text::from("?"), Mode::Status)?;
    writer.message("message-3", Text::from("Never mind."), Mode::Steer)?;
    writer.withdraw("withdraw-1", "message-3")?;
    writer.say("On line 7.")?;
    writer.tool(1, done("looked"))?;
    writer.message("message-4", Text::from("And then?"), Mode::Queue)?;
    writer.message("message-5", Text::from("Be brief."), Mode::Steer)?;
    // Made before the last message was shown.
    writer.reply(calls(&[Class::Pure, Class::Unsafe]))?;
    writer.tool(3, done("looked again"))?;
    writer.wait()?;
    writer.tool(1, done("all of it"))?;
    writer.say("Yes.")?;
    writer.say("It is done.")?;
    writer.prepare()?;
    writer.say("Now the next thing.")
}

/// Messages that stop the model and the tools before they are heard.
pub fn interrupts(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    writer.message("message-2", Text::from("No, wait."), Mode::Interrupt)?;
    writer.reply(calls(&[Class::Unsafe, Class::Probe]))?;
    writer.message("message-3", Text::from("Stop that."), Mode::Interrupt)?;
    writer.take()?;
    writer.tool(0, finished(false, Text::from("so far"), None, Some(15)))?;
    writer.tool(0, ToolOutcome::Cancelled(contract::body::CancelReason::NeverStarted))?;
    writer.say("Stopped.")
}
