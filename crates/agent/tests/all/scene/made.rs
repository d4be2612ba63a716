//! Replies, calls and outcomes as the runtime would hand them in.

use contract::body::{CancelReason, UnknownReason, Usage};
use contract::call::{Class, Prepared, PreparedCall, Risk, Wants};
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
    plain(number, class).part()
}

pub fn refused(number: usize, why: &str) -> ReplyPart {
    PreparedCall { refused: Some(Text::from(why)), ..plain(number, Class::Unsafe) }.part()
}

pub fn calls(classes: &[Class]) -> Vec<ReplyPart> {
    classes.iter().enumerate().map(|(number, class)| call(number, *class)).collect()
}

/// A call of low risk, which every scene may run without asking.
pub fn plain(number: usize, class: Class) -> PreparedCall {
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

/// A command of high risk, about which a person is asked unless a rule allows it.
pub fn command(number: usize, line: &str) -> PreparedCall {
    let args = serde_json::json!({ "command": line }).to_string();
    let prepared = Prepared { commands: vec![line.to_owned()], ..Prepared::default() };
    PreparedCall {
        tool: "shell".into(),
        args_hash: Sha256::of(args.as_bytes()),
        args: Text::Inline(args),
        risk: Risk::High,
        prepared: Box::new(prepared),
        ..plain(number, Class::Probe)
    }
}

/// A question of the model to the person.
pub fn question(number: usize, question: &str) -> PreparedCall {
    PreparedCall { tool: "request_user".into(), ..plain(number, Class::Pure) }.wants(Wants::Answer { question: Text::from(question) })
}

/// A call that waits.
pub fn wait(number: usize, ms: u64) -> PreparedCall {
    PreparedCall { tool: "wait_for".into(), ..plain(number, Class::Pure) }.wants(Wants::Wait { ms })
}

/// What preparing may find out about a call.
pub trait Change: Sized {
    fn change(self, change: impl FnOnce(&mut Prepared)) -> Self;
    fn of_risk(self, risk: Risk) -> Self;
    fn of_class(self, class: Class) -> Self;
    fn part(self) -> ReplyPart;

    fn wants(self, wants: Wants) -> Self {
        self.change(|prepared| prepared.wants = Some(wants))
    }

    /// About a call that has not ended.
    fn about(self, call: &str) -> Self {
        self.change(|prepared| prepared.target = Some(call.parse().unwrap()))
    }

    fn patience(self, ms: u64) -> Self {
        self.change(|prepared| prepared.patience_ms = Some(ms))
    }
}

impl Change for PreparedCall {
    fn change(mut self, change: impl FnOnce(&mut Prepared)) -> Self {
        change(&mut self.prepared);
        self
    }

    fn of_risk(self, risk: Risk) -> Self {
        PreparedCall { risk, ..self }
    }

    fn of_class(self, class: Class) -> Self {
        PreparedCall { class, ..self }
    }

    fn part(self) -> ReplyPart {
        ReplyPart::Call(Box::new(self))
    }
}

pub fn finished(output: &str) -> ToolOutcome {
    ToolOutcome::Finished { ok: true, output: Text::from(output), exit: Some(0), signal: None }
}

/// As of a process that was told to end.
pub fn killed() -> ToolOutcome {
    ToolOutcome::Finished { ok: false, output: Text::from("so far"), exit: None, signal: Some(15) }
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
