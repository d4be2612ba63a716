//! Runs that are paused, stopped, out of budget, or that wait for a time.

use crate::writer::{Played, Writer, call, calls, finished};
use contract::ask::Answer;
use contract::body::Scope;
use contract::call::{Class, Prepared, PreparedCall, Risk, Wants};
use contract::config::{Limits, Prices, ResumePolicy};
use contract::id::CallId;
use contract::limits::REPEATS_MAX;
use contract::outcome::{ReplyPart, ToolOutcome};
use contract::text::Text;

fn part(call: PreparedCall, prepared: Prepared) -> ReplyPart {
    ReplyPart::Call(Box::new(PreparedCall { prepared: Box::new(prepared), ..call }))
}

pub(super) fn wait(number: usize, ms: u64, target: Option<CallId>) -> ReplyPart {
    let prepared = Prepared { wants: Some(Wants::Wait { ms }), target, ..Prepared::default() };
    part(PreparedCall { tool: "wait_for".into(), ..call(number, Class::Pure) }, prepared)
}

pub(super) fn in_background(number: usize) -> ReplyPart {
    part(call(number, Class::Unsafe), Prepared { patience_ms: Some(0), ..Prepared::default() })
}

fn killed() -> ToolOutcome {
    finished(false, Text::from("so far"), None, Some(15))
}

/// Stops of the turn and of everything: while the model is asked, while tools run, while calls are held or wait; and a
/// pause. The log ends with a message that was stopped before its run.
pub fn stops(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    writer.stop("stop-1", Scope::Turn)?;
    writer.run("message-2")?;
    let held = ReplyPart::Call(Box::new(PreparedCall { risk: Risk::High, ..call(1, Class::Unsafe) }));
    writer.reply(vec![ReplyPart::Call(Box::new(call(0, Class::Unsafe))), held, wait(2, 60_000, None)])?;
    writer.pause("pause-1")?;
    writer.resume()?;
    writer.stop("stop-2", Scope::Turn)?;
    writer.tool(0, killed())?;
    writer.run("message-3")?;
    writer.reply(vec![in_background(0)])?;
    writer.stop("stop-3", Scope::All)?;
    writer.tool(0, killed())?;
    writer.message("message-4", Text::from("And this."), contract::body::Mode::Steer)?;
    writer.stop("stop-4", Scope::Turn)
}

/// Waits: for a time, for another call, and under another owner after the time has come.
pub fn timers(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    writer.reply(vec![in_background(0)])?;
    writer.reply(vec![wait(0, 90_000, None), wait(1, 600_000, Some(CallId { reply: 0, index: 0 }))])?;
    writer.wait()?;
    writer.tool(0, finished(true, Text::from("up"), Some(0), None))?;
    writer.reply(vec![wait(0, 5_000, None)])?;
    writer.now = writer.now.plus_ms(3_600_000);
    writer.take()?;
    writer.reply(vec![wait(0, 604_800_000, None)])
}

/// Every limit that a run can reach; people extend them, give as much again, and at last say no.
pub fn budgets(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.config.prices = Some(Prices { input: 3_000_000, output: 15_000_000, cache_read: None, cache_write: None });
    writer.config.limits = Limits { tool_calls: Some(1), tokens: Some(9_500), cost_micros: Some(128_000), wall_ms: Some(60_000) };
    writer.run("message-1")?;
    writer.reply(calls(&[Class::Pure, Class::Pure]))?;
    writer.answer(Answer::YES)?;
    writer.tool(0, finished(true, Text::from("one"), Some(0), None))?;
    writer.tool(0, finished(true, Text::from("two"), Some(0), None))?;
    writer.answer(Answer::Extend { amount: 1_000_000 })?;
    writer.answer(Answer::Extend { amount: 1_000_000 })?;
    writer.wait()?;
    writer.answer(Answer::YES)?;
    writer.say("That took long.")?;
    writer.config.limits = Limits::default();
    writer.run("message-2")?;
    for _ in 0..REPEATS_MAX {
        writer.reply(calls(&[Class::Pure]))?;
        writer.tool(0, finished(true, Text::from("the same"), Some(0), None))?;
    }
    writer.answer(Answer::NO)
}

/// A first request that shows next to nothing and may cost nothing.
pub fn free(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    (writer.config.bytes, writer.config.output_tokens_max) = (0, 0);
    writer.message("message-1", Text::from(""), contract::body::Mode::Steer)?;
    writer.prepare()?;
    writer.say("Yes?")
}
