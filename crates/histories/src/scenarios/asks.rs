//! What people are asked, and every way in which an ask ends.

use crate::writer::{Played, Writer, call, finished, unknown};
use contract::ask::{Answer, Ask, Grant, Subject};
use contract::body::{Mode, ResourceKind, ResourceLoaded, Scope, UnknownReason};
use contract::call::{Class, Prepared, PreparedCall, Risk, Sandbox, Touches, Wants};
use contract::config::{Autonomy, Limits, OnUnknown, Options, Policy, Prices, ResumePolicy};
use contract::id::{AskId, Sha256};
use contract::outcome::ReplyPart;
use contract::rule::{Rule, RuleEffect};
use contract::text::Text;

/// Everything that can be said about a session and its runs.
fn careful() -> (Options, Policy, Limits) {
    let rule = |effect: RuleEffect, pattern: Option<&str>| Rule { pattern: pattern.map(Into::into), ..Rule::every(effect, "shell") };
    let policy = Policy {
        autonomy: Autonomy::Ask,
        rules: vec![rule(RuleEffect::Allow, Some("git status*")), rule(RuleEffect::Deny, Some("rm *")), rule(RuleEffect::Deny, None)],
        on_unknown: OnUnknown::Ask,
        ask_valid_ms: 60_000,
    };
    let limits = Limits { tool_calls: Some(100), tokens: Some(1_000_000), cost_micros: Some(5_000_000), wall_ms: Some(3_600_000) };
    let options = Options {
        model: Some("script:golden".into()),
        base_url: None,
        fallback: vec!["script:spare".into()],
        max_turns: Some(20),
        resume: ResumePolicy::Ask,
        policy: policy.clone(),
        limits,
    };
    (options, policy, limits)
}

pub(super) fn part(call: PreparedCall) -> ReplyPart {
    ReplyPart::Call(Box::new(call))
}

/// A call of high risk with all that preparing may find.
pub(super) fn rich(number: usize) -> PreparedCall {
    let prepared = Prepared {
        paths: vec!["file-1".into()],
        hosts: vec!["example.invalid".into()],
        commands: vec!["git push".into()],
        preview: Some(Text::from("- old\n+ new")),
        witness: Some(Sha256::of(b"old")),
        patience_ms: Some(600_000),
        ..Prepared::default()
    };
    PreparedCall { risk: Risk::High, prepared: Box::new(prepared), ..call(number, Class::Probe) }
}

fn risky(number: usize) -> PreparedCall {
    PreparedCall { risk: Risk::High, ..call(number, Class::Unsafe) }
}

/// Held calls: approved once and for the session, edited, denied in every way, forbidden by a rule, expired, overtaken.
pub fn asks(writer: &mut Writer) -> Played {
    let (options, policy, limits) = careful();
    writer.create(options, None)?;
    writer.config.fallback = vec!["script:spare".into()];
    (writer.config.policy, writer.config.limits) = (policy, limits);
    writer.config.prices = Some(Prices { input: 3_000_000, output: 15_000_000, cache_read: None, cache_write: None });
    writer.run("message-1")?;
    let medium = PreparedCall { risk: Risk::Medium, ..call(1, Class::Idempotent) };
    let unlisted = Prepared { unlisted: true, ..Prepared::default() };
    let forbidden = PreparedCall { tool: "shell".into(), prepared: Box::new(unlisted), ..call(2, Class::Unsafe) };
    writer.reply(vec![part(rich(0)), part(medium), part(forbidden), part(call(3, Class::Pure))])?;
    writer.answer(Answer::Approve { grant: Grant::Session })?;
    writer.edit(PreparedCall { args: Text::from("{\"path\":\"elsewhere\"}"), ..risky(1) })?;
    for _ in 0..3 {
        writer.tool(0, finished(true, Text::from("done"), Some(0), None))?;
    }
    writer.reply(vec![part(rich(0)), part(risky(1))])?;
    writer.tool(0, finished(true, Text::from("again, by the rule"), Some(0), None))?;
    writer.answer(Answer::Deny { message: Some(Text::from("not today")), stop: false })?;
    writer.reply(vec![part(risky(0))])?;
    writer.wait()?;
    writer.reply(vec![part(risky(0)), part(risky(1))])?;
    writer.message("message-2", Text::from("Rather look first."), Mode::Steer)?;
    writer.reply(vec![part(risky(0))])?;
    writer.answer(Answer::YES)?;
    writer.tool(0, finished(true, Text::from("done"), Some(0), None))?;
    writer.reply(vec![part(risky(0))])?;
    writer.answer(Answer::Deny { message: None, stop: true })
}

/// Lines that were taken apart, judged by rules that ask, confirm and speak of a network, and by what was seen before.
pub fn rules(writer: &mut Writer) -> Played {
    let rule = |effect: RuleEffect, text: &str| Rule::parse(effect, text).map_err(|bad| bad.to_string());
    let rules = vec![
        rule(RuleEffect::Allow, "shell(ls*)")?,
        rule(RuleEffect::Ask, "shell+network(git*)")?,
        rule(RuleEffect::Confirm, "shell(git push*)")?,
    ];
    let policy = Policy { rules, ..Policy::default() };
    writer.create(Options { policy: policy.clone(), ..Options::default() }, None)?;
    writer.config.policy = policy;
    let kind = ResourceKind::Rules;
    let (name, content) = ("AGENTS.md".to_owned(), Sha256::of(b"rules"));
    let long = ResourceLoaded { kind, name, content, bytes: 100_000, cut: true, trusted: false };
    writer.resources = vec![ResourceLoaded { bytes: 1_000, cut: false, trusted: true, ..long.clone() }, long];
    writer.run("message-1")?;
    let shell = |number: usize, line: &str, commands: &[&str]| {
        let commands = commands.iter().map(|command| (*command).to_owned()).collect();
        let prepared = Prepared {
            line: Some(line.into()),
            commands,
            network: line.starts_with("git"),
            opaque: line.contains('$'),
            sandbox: Some(match line.as_bytes().first() {
                Some(b'g') => Sandbox::Partial,
                Some(b'$') => Sandbox::Off,
                Some(_) | None => Sandbox::Full,
            }),
            touches: if line.starts_with("git") { Touches::NETWORK } else { Touches::PRIVATE },
            ..Prepared::default()
        };
        part(PreparedCall { tool: "shell".into(), risk: Risk::High, prepared: Box::new(prepared), ..call(number, Class::Probe) })
    };
    writer.reply(vec![shell(0, "ls; ls -a", &["ls", "ls -a"]), shell(1, "git fetch &", &["git fetch"]), shell(2, "$X", &["$X"])])?;
    writer.answer(Answer::Approve { grant: Grant::Session })?;
    writer.answer(Answer::NO)?;
    for _ in 0..2 {
        writer.tool(0, finished(true, Text::from("done"), Some(0), None))?;
    }
    writer.reply(vec![shell(0, "git fetch &", &["git fetch"]), shell(1, "git push &", &["git push"])])?;
    writer.answer(Answer::Approve { grant: Grant::Session })?;
    writer.answer(Answer::YES)?;
    for _ in 0..2 {
        writer.tool(0, finished(true, Text::from("done"), Some(0), None))?;
    }
    writer.reply(vec![shell(0, "git fetch &", &["git fetch"])])?;
    writer.tool(0, finished(true, Text::from("by the rule"), Some(0), None))?;
    writer.say("Done.")
}

/// An ask about a call of low risk, which today's code does not open by itself.
pub fn low_risk(writer: &mut Writer) -> Played {
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    writer.pause("pause-1")?;
    writer.reply(vec![part(call(0, Class::Pure))])?;
    let (id, held) = writer.state.calls.iter().next().ok_or("no call is open")?;
    let PreparedCall { tool, args_hash, risk, .. } = call(0, Class::Pure);
    let subject = Subject::Tool { call: *id, action: held.action, tool, args_hash, witness: None, risk };
    let decided = held.decided;
    writer.open(decided, Ask { ask: AskId([0x77; 16]), subject, until: None })?;
    writer.answer(Answer::YES)?;
    writer.resume()?;
    writer.tool(0, finished(true, Text::from("done"), Some(0), None))
}

/// Questions of the model: answered by any text, declined, and not asked beside other calls.
pub fn questions(writer: &mut Writer) -> Played {
    let question = |number: usize| {
        let wants = Some(Wants::Answer { question: Text::from("Which colour?") });
        let prepared = Box::new(Prepared { wants, ..Prepared::default() });
        part(PreparedCall { tool: "request_user".into(), prepared, ..call(number, Class::Pure) })
    };
    writer.policy(ResumePolicy::Continue)?;
    writer.run("message-1")?;
    writer.reply(vec![question(0), part(call(1, Class::Pure))])?;
    writer.reply(vec![question(0)])?;
    writer.message("message-2", Text::from("A warm one."), Mode::Steer)?;
    writer.reply(vec![question(0)])?;
    writer.answer(Answer::NO)?;
    writer.reply(vec![question(0)])?;
    writer.answer(Answer::Reply(Text::from("Blue.")))?;
    writer.say("Done.")
}

/// A person says what became of lost actions; the last one stays unknown because everything is stopped.
pub fn unknowns(writer: &mut Writer) -> Played {
    let (_, policy, _) = careful();
    let policy = Policy { autonomy: Autonomy::Full, rules: Vec::new(), ..policy };
    writer.create(Options { policy: policy.clone(), ..Options::default() }, None)?;
    writer.config.policy = policy;
    writer.run("message-1")?;
    writer.reply(vec![part(call(0, Class::Unsafe)), part(call(1, Class::Unsafe)), part(call(2, Class::Probe))])?;
    writer.tool(0, unknown(UnknownReason::Died))?;
    writer.tool(0, unknown(UnknownReason::Lost))?;
    writer.tool(0, unknown(UnknownReason::OtherBoot))?;
    writer.answer(Answer::YES)?;
    writer.answer(Answer::Deny { message: Some(Text::from("The table is empty.")), stop: false })?;
    writer.message("message-2", Text::from("And the third?"), Mode::Steer)?;
    writer.say("I wait for you.")?;
    writer.stop("stop-1", Scope::Turn)
}
