//! What is played into each golden history. A scenario that must write something else gets a new name.

use super::writer::{Played, Writer, blob, call, calls, drafted, finished, person, reply, unknown};
use agent::Agent;
use agent::draft::{About, Drafts};
use contract::ask::{Answer, Ask, AskKind};
use contract::body::{AskOpened, Body, CancelReason, FailureClass, HostQuarantined, HostRecovered, Mode, Origin, UnknownReason};
use contract::call::{Class, Prepared, PreparedCall, Risk};
use contract::config::{Options, ResumePolicy};
use contract::effect::{Effect, EffectId};
use contract::event::{Actor, Event, Trust};
use contract::id::{ActionId, AskId, Key, MachineId, SessionId, Sha256, StreamId};
use contract::input::Input;
use contract::limits::{ATTEMPTS_MAX, REPLY_PARTS_MAX};
use contract::machine::Machine;
use contract::outcome::{ReplyPart, ToolOutcome};
use contract::text::Text;
use contract::units::{Time, Version};

/// Name of the file, and what is played into it.
pub struct Scenario(pub &'static str, pub fn(&mut Writer) -> Played);

pub const SCENARIOS: &[Scenario] = &[
    Scenario("answer", answer),
    Scenario("child-paused", child_paused),
    Scenario("crash-loop", crash_loop),
    Scenario("denied", denied),
    Scenario("dropped", dropped),
    Scenario("failures", failures),
    Scenario("host", host),
    Scenario("limits", limits),
    Scenario("lost", lost),
    Scenario("recovery", recovery),
    Scenario("tools", tools),
    Scenario("torn", torn),
];

/// The shortest whole conversation, and a second run of it.
fn answer(writer: &mut Writer) -> Played {
    writer.create(Options::default(), None)?;
    writer.run("message-1")?;
    writer.done(0, reply(vec![ReplyPart::Text(Text::from("Done."))], Some(1_250)))?;
    writer.run("message-2")?;
    writer.say("Done again.")
}

/// All that a call can carry, with people talking in between; it ends while a tool runs.
fn tools(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
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
    };
    let parts = vec![
        opaque,
        ReplyPart::Text(Text::from("I will look.")),
        ReplyPart::Call(Box::new(call(0, Class::Pure))),
        ReplyPart::Call(Box::new(PreparedCall { risk: Risk::High, prepared: Box::new(rich), ..call(1, Class::Probe) })),
        ReplyPart::Call(Box::new(PreparedCall { risk: Risk::Medium, args: blob("{} "), ..call(2, Class::Idempotent) })),
        ReplyPart::Call(Box::new(PreparedCall { refused: Some(blob("no such tool. ")), ..call(3, Class::Unsafe) })),
    ];
    writer.reply(parts)?;
    writer.message("message-2", Text::from("And mind the tests."), Mode::Steer)?;
    writer.tool(2, finished(true, blob("line\n"), None, None))?;
    writer.tool(0, finished(true, Text::from("found"), Some(0), None))?;
    writer.tool(0, finished(false, Text::from(""), None, Some(9)))?;
    writer.message("message-3", Text::from("Then the next thing."), Mode::Queue)?;
    writer.say("Here it is.")?;
    writer.prepare()?;
    writer.reply(calls(&[Class::Unsafe]))
}

/// Empty replies, and a run that has used all its replies.
fn limits(writer: &mut Writer) -> Played {
    writer.create(
        Options {
            model: Some("script:golden".into()),
            fallback: vec!["script:spare".into()],
            max_turns: Some(1),
            resume: ResumePolicy::Continue,
        },
        None,
    )?;
    writer.run("message-1")?;
    writer.reply(Vec::new())?;
    writer.reply(vec![ReplyPart::Text(Text::from(""))])?;
    writer.max_turns = 1;
    writer.run("message-2")?;
    writer.reply(calls(&[Class::Pure]))?;
    writer.tool(0, finished(true, Text::from("seen"), Some(0), None))?;
    writer.take()?;
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
    writer.fallback = vec!["script:spare".into()];
    writer.run("message for the spare model")?;
    writer.fail(FailureClass::Auth)?;
    writer.say("The spare one answers.")?;
    writer.fallback.clear();
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

/// A session that asks after a takeover, told once to go on and once to stop.
fn denied(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Ask)?;
    writer.run("message-1")?;
    writer.take()?;
    writer.answer(Answer::Approve)?;
    writer.reply(calls(&[Class::Unsafe, Class::Pure]))?;
    writer.take()?;
    let ask = *writer.state.asks.keys().next().ok_or("there is no ask")?;
    writer.input(Input::Answer { ask, key: Key("answer-2".into()), answer: Answer::Deny, by: person() })?;
    writer.tool(0, ToolOutcome::Cancelled(CancelReason::NeverStarted))?;
    writer.tool(0, finished(true, Text::from("seen"), Some(0), None))
}

/// A session that asks before its first run and is told no: the message is dropped, and the next one is answered.
fn dropped(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Ask)?;
    writer.message("create", Text::from("Please do it."), Mode::Steer)?;
    writer.take()?;
    writer.answer(Answer::Deny)?;
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
    let ask = Ask { ask: AskId([0x66; 16]), kind: AskKind::Resume, until };
    let mut drafts = Drafts::new(&writer.state);
    drafts.intent(About::system(writer.state.run.as_ref().map(|run| run.started)), AskOpened { ask });
    let opened = drafts.finish();
    writer.append(opened)
}

/// What a host says of streams it cannot drive.
fn host(writer: &mut Writer) -> Played {
    let stopped = writer.state.stream.clone();
    let stream = StreamId::host(MachineId([0x22; 16]));
    let quarantined = |reason: &str| HostQuarantined { stream: stopped.clone(), version: Version(17), reason: reason.to_owned() };
    let bodies: [(Actor, Trust, Body); 3] = [
        (Actor::System, Trust::System, quarantined("event run.finished at version 17 is illegal while that run is not open").into()),
        (Actor::User(person()), Trust::User, HostRecovered { stream: stopped.clone(), by: person() }.into()),
        (Actor::System, Trust::System, quarantined("the machine panicked").into()),
    ];
    writer.state = Agent::new(stream.clone());
    for (number, (actor, trust, body)) in (0..).zip(bodies) {
        let draft = drafted(&stream, Version(number), actor, trust, body);
        writer.events.push(Event { version: Version(number + 1), time: Time(writer.now.0 + number), draft });
    }
    Ok(())
}
