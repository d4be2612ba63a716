//! Replies and outcomes as the runtime would hand them in.

use contract::body::{CancelReason, UnknownReason, Usage};
use contract::call::{Class, Prepared, PreparedCall, Risk};
use contract::id::Sha256;
use contract::outcome::{Reply, ReplyPart, ToolOutcome};
use contract::text::Text;

pub fn reply(parts: Vec<ReplyPart>) -> Reply {
    Reply { parts, usage: Usage::default(), cost_micros: None }
}

pub fn text(text: &str) -> ReplyPart {
    ReplyPart::Text(Text::from(text))
}

pub fn opaque(bytes: &str) -> ReplyPart {
    ReplyPart::Opaque { protocol: "messages".into(), model: "script".into(), bytes: Text::from(bytes) }
}

pub fn call(number: usize, class: Class) -> ReplyPart {
    ReplyPart::Call(Box::new(prepared(number, class)))
}

pub fn refused(number: usize, why: &str) -> ReplyPart {
    ReplyPart::Call(Box::new(PreparedCall { refused: Some(Text::from(why)), ..prepared(number, Class::Unsafe) }))
}

pub fn calls(classes: &[Class]) -> Vec<ReplyPart> {
    classes.iter().enumerate().map(|(number, class)| call(number, *class)).collect()
}

fn prepared(number: usize, class: Class) -> PreparedCall {
    let args = format!("{{\"number\":{number}}}");
    PreparedCall {
        provider_call: format!("provider_{number}"),
        tool: "tool".into(),
        args_hash: Sha256::of(args.as_bytes()),
        args: Text::Inline(args),
        class,
        risk: Risk::Low,
        prepared: Box::new(Prepared::default()),
        refused: None,
    }
}

pub fn finished(output: &str) -> ToolOutcome {
    ToolOutcome::Finished { ok: true, output: Text::from(output), exit: Some(0), signal: None }
}

pub fn unknown(reason: UnknownReason) -> ToolOutcome {
    ToolOutcome::Unknown { reason, output: Text::from("half of it") }
}

pub fn never_started() -> ToolOutcome {
    ToolOutcome::Cancelled(CancelReason::NeverStarted)
}

pub fn no_effect() -> ToolOutcome {
    ToolOutcome::Cancelled(CancelReason::NoEffect)
}
