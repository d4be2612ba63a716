//! What is played into each golden history. A scenario that must write something else gets a new name.

mod asks;
mod beyond;
mod ends;
mod forks;
mod hosts;
mod talks;

use super::writer::{Played, Writer, blob, calls, finished, reply, unknown};
use agent::Agent;
use contract::ask::{Answer, Ask, Subject};
use contract::body::{CancelReason, FailureClass, Mode, Origin, UnknownReason};
use contract::call::Class;
use contract::config::{Options, Prices, ResumePolicy};
use contract::effect::{Effect, EffectId};
use contract::id::{ActionId, AskId, SessionId};
use contract::input::Input;
use contract::limits::{ATTEMPTS_MAX, REPLY_PARTS_MAX};
use contract::machine::Machine;
use contract::outcome::{ReplyPart, ToolOutcome};
use contract::text::Text;
use contract::units::Time;

/// Name of the file, and what is played into it.
pub struct Scenario(pub &'static str, pub fn(&mut Writer) -> Played);

pub const SCENARIOS: &[Scenario] = &[
    Scenario("always", beyond::always),
    Scenario("answer", answer),
    Scenario("asks-3", asks::asks),
    Scenario("budgets-2", ends::budgets),
    Scenario("child-paused-2", child_paused),
    Scenario("crash-loop-3", crash_loop),
    Scenario("daemons", hosts::daemons),
    Scenario("days", beyond::days),
    Scenario("denied-3", denied),
    Scenario("dropped-2", dropped),
    Scenario("failures-3", failures),
    Scenario("fork", forks::fork),
    Scenario("fork-of-a-fork", forks::fork_of_a_fork),
    Scenario("free-2", ends::free),
    Scenario("host", hosts::host),
    Scenario("interjections-2", talks::interjections),
    Scenario("interrupts", talks::interrupts),
    Scenario("limits-4", limits),
    Scenario("lost", lost),
    Scenario("low-risk-2", asks::low_risk),
    Scenario("models-2", models),
    Scenario("questions-3", asks::questions),
    Scenario("recovery", recovery),
    Scenario("rules-2", asks::rules),
    Scenario("standing", beyond::standing),
    Scenario("stops", ends::stops),
    Scenario("timers-2", ends::timers),
    Scenario("tools-3", talks::tools),
    Scenario("torn-2", torn),
    Scenario("unknowns-2", asks::unknowns),
];

/// A model at an address of its own, whose cache has prices.
fn models(writer: &mut Writer) -> Played {
    writer.create(Options { base_url: Some("http://127.0.0.1:8000/v1".into()), ..Options::default() }, None)?;
    writer.config.prices = Some(Prices { input: 3, output: 15, cache_read: Some(1), cache_write: Some(4) });
    writer.run("message-1")?;
    writer.say("Done.")
}

/// The shortest whole conversation, and a second run of it.
fn answer(writer: &mut Writer) -> Played {
    writer.create(Options::default(), None)?;
    writer.run("message-1")?;
    writer.done(0, reply(vec![ReplyPart::Text(Text::from("Done."))], Some(1_250)))?;
    writer.run("message-2")?;
    writer.say("Done again.")
}

/// Empty replies, and a run that has used all its turns, is given one more, and then none.
fn limits(writer: &mut Writer) -> Played {
    let (model, fallback) = (Some("script:golden".into()), vec!["script:spare".into()]);
    writer.create(Options { model, fallback, max_turns: Some(1), ..Options::default() }, None)?;
    writer.run("message-1")?;
    writer.reply(Vec::new())?;
    writer.reply(vec![ReplyPart::Text(Text::from(""))])?;
    writer.config.max_turns = 1;
    writer.run("message-2")?;
    writer.reply(calls(&[Class::Pure]))?;
    writer.tool(0, finished(true, Text::from("seen"), Some(0), None))?;
    writer.answer(Answer::Extend { amount: 1 })?;
    writer.reply(calls(&[Class::Pure]))?;
    writer.tool(0, finished(true, Text::from("seen again"), Some(0), None))?;
    writer.take()?;
    writer.answer(Answer::NO)?;
    let mut parts = calls(&[Class::Pure]);
    parts.insert(0, ReplyPart::Text(Text::from("One more look.")));
    writer.reply(parts)
}

/// Each way a model call fails, also with a reply that is too large, and one whose owner died.
fn failures(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    let classes = [
        FailureClass::Transient,
        FailureClass::RateLimited,
        FailureClass::Overloaded,
        FailureClass::ContextTooLong,
        FailureClass::Auth,
        FailureClass::Permanent,
    ];
    for class in classes {
        writer.run(&format!("message for {class:?}"))?;
        writer.fail(class)?;
        if class.passes() {
            writer.wait()?;
            writer.say("It worked after all.")?;
        }
    }
    writer.config.fallback = vec!["script:spare".into()];
    writer.run("message for the spare model")?;
    writer.fail(FailureClass::Auth)?;
    writer.say("The spare one answers.")?;
    writer.config.fallback.clear();
    writer.run("message for a reply that is too large")?;
    writer.reply(vec![ReplyPart::Text(Text::from("part")); REPLY_PARTS_MAX + 1])?;
    writer.run("message-last")?;
    writer.take()?;
    writer.say("Better late than never.")
}

/// Each way an attempt of an earlier owner is found.
fn recovery(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    writer.reply(calls(&[Class::Probe, Class::Unsafe, Class::Pure, Class::Probe, Class::Unsafe, Class::Unsafe, Class::Unsafe]))?;
    writer.take()?;
    writer.tool(0, ToolOutcome::Adopted)?;
    writer.tool(0, finished(true, Text::from("all of it"), Some(0), None))?;
    writer.tool(0, ToolOutcome::Cancelled(CancelReason::NeverStarted))?;
    writer.tool(1, unknown(UnknownReason::Died))?;
    writer.tool(2, ToolOutcome::Cancelled(CancelReason::NoEffect))?;
    writer.tool(3, unknown(UnknownReason::OtherBoot))?;
    writer.tool(3, unknown(UnknownReason::OtherMachine))?;
    writer.tool(3, ToolOutcome::Unknown { reason: UnknownReason::Lost, output: blob("dots.") })?;
    writer.tool(2, unknown(UnknownReason::Changed))?;
    writer.tool(1, finished(true, Text::from("seen"), None, None))?;
    writer.tool(0, finished(false, Text::from("no"), Some(1), None))?;
    writer.say("That was rough.")
}

/// Attempts that were lost once: told as unknown whatever comes after, and never called not run. One call never starts.
/// The log ends while an attempt after a lost one is adopted.
fn lost(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    writer.reply(calls(&[Class::Pure, Class::Unsafe, Class::Idempotent]))?;
    writer.tool(0, unknown(UnknownReason::Lost))?;
    for _ in 1..ATTEMPTS_MAX {
        writer.tool(0, ToolOutcome::Cancelled(CancelReason::NeverStarted))?;
    }
    for _ in 0..ATTEMPTS_MAX {
        writer.tool(0, ToolOutcome::Cancelled(CancelReason::NoEffect))?;
    }
    writer.tool(0, unknown(UnknownReason::Died))?;
    writer.take()?;
    writer.tool(0, ToolOutcome::Adopted)
}

/// Three owners die in a row; a person resumes.
fn crash_loop(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    for _ in 0..4 {
        writer.take()?;
    }
    writer.resume()?;
    writer.say("Still here.")
}

/// A session that asks after a takeover, told once to go on and once to stop, which ends what runs.
fn denied(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Ask)?;
    writer.run("message-1")?;
    writer.take()?;
    writer.answer(Answer::YES)?;
    writer.reply(calls(&[Class::Unsafe, Class::Pure]))?;
    writer.take()?;
    writer.answer(Answer::NO)?;
    writer.tool(0, ToolOutcome::Cancelled(CancelReason::NeverStarted))?;
    writer.tool(0, finished(true, Text::from("seen"), Some(0), None))
}

/// A session that asks before its first run and is told no: the message is dropped, and the next one is answered.
fn dropped(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Ask)?;
    writer.message("create", Text::from("Please do it."), Mode::Steer)?;
    writer.take()?;
    writer.take()?;
    writer.answer(Answer::NO)?;
    writer.run("owner/2")?;
    writer.say("Done.")
}

/// A child session that stands still after a takeover until somebody resumes it.
fn child_paused(writer: &mut Writer) -> Played {
    let origin = Origin { parent: SessionId([0x33; 16]), action: ActionId([0x44; 16]), root: SessionId([0x55; 16]), depth: 2 };
    writer.create(Options { resume: ResumePolicy::Paused, ..Options::default() }, Some(origin))?;
    writer.run("message-1")?;
    writer.reply(calls(&[Class::Idempotent]))?;
    writer.take()?;
    writer.resume()?;
    writer.tool(0, finished(true, Text::from("sent"), None, None))?;
    writer.say("Resumed and done.")
}

/// A log that ends inside a batch, as that of a fork may, and goes on under another owner; then an ask with an end.
fn torn(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    let effect = *Agent::effects(&writer.state).first().ok_or("nothing is wanted")?;
    let Effect::Model { request, attempt } = effect else { return Err("the model is not asked".to_owned()) };
    let outcome = reply(calls(&[Class::Unsafe, Class::Pure]), None);
    let mut facts = writer.facts(Input::Done { effect: EffectId::Model(request), attempt, outcome })?;
    facts.truncate(2);
    writer.append(facts)?;
    writer.take()?;
    let until = Some(Time(writer.now.0 + 3_600_000));
    let ask = Ask { ask: AskId([0x66; 16]), subject: Subject::Resume, until };
    let started = writer.state.run.as_ref().map(|run| run.started).ok_or("no run is open")?;
    writer.open(started, ask)
}
