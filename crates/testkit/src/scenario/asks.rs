//! Calls that a person is asked about: answered, edited, overtaken, expired, and answered twice.

use super::call::{LOOK, MAIL, PAY, QUESTION, REFUSED, SHELL};
use super::{Act, Call, Reaction, Routes, Scenario, Scripted, What, answer, do_it, resume, say, with_policy};
use contract::ask::AskKind;
use contract::body::{Mode, ResourceKind, ResourceLoaded, Scope};
use contract::call::Touches;
use contract::config::{Autonomy, OnUnknown, Options, Policy};
use contract::id::Sha256;
use contract::limits::APPROVAL_VALID_MS;
use contract::rule::{Rule, RuleEffect};

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const RISKY: &[Call] = &[PAY.risky()];

pub fn all() -> Vec<Scenario> {
    [answered(), for_good(), edited(), in_time(), several_answers(), questions(), reconciled(), tainted()].concat()
}

/// A call and what a second person does about it.
fn held(name: &'static str, calls: &'static [Call], acts: Vec<Act>) -> Scenario {
    Scenario::calm(name, vec![Scripted::Calls(calls), Scripted::Text("done")]).spoken_by(vec![vec![do_it()], acts], Routes::Other)
}

fn tool(key: &'static str, reaction: Reaction) -> Act {
    answer(key, AskKind::Tool, reaction)
}

fn valid_for(ask_valid_ms: u64) -> Options {
    with_policy(Policy { ask_valid_ms, ..Policy::default() })
}

fn answered() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    const SESSION: &[Call] = &[PAY.risky()];
    const OTHER: &[Call] = &[PAY.risky().with("{\"to\":2}")];
    let once_each = vec![Calls(RISKY), Calls(OTHER), Text("done")];
    let for_the_session = vec![Calls(SESSION), Calls(SESSION), Calls(OTHER), Text("done")];
    let approve_each = vec![vec![do_it()], vec![tool("a0", Reaction::Approve), tool("a1", Reaction::Deny)]];
    let always = vec![vec![do_it()], vec![tool("a0", Reaction::ForSession), tool("a1", Reaction::DenyAndStop)]];
    let forbidden = Rule::every(RuleEffect::Deny, "pay");
    vec![
        Scenario { unknowns: true, routes: Routes::Both, ..held("held call", RISKY, vec![tool("a0", Reaction::Approve)]) },
        Scenario::calm("two held calls, one after the other", once_each).spoken_by(approve_each, Routes::Other),
        Scenario::calm("approval for the session", for_the_session).spoken_by(always, Routes::Other),
        Scenario {
            options: with_policy(Policy { rules: vec![forbidden], ..Policy::default() }),
            ..held("call against a rule", &[PAY], Vec::new())
        },
        held("a word answers", RISKY, vec![say("m1", "Yes.", Mode::Steer)]),
    ]
}

/// What people want to count in later sessions is brought there, whatever becomes of the run and of its owner.
fn for_good() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    let always = || tool("a0", Reaction::ForGood);
    let twice = vec![Calls(RISKY), Calls(RISKY), Text("done")];
    let stopped = vec![vec![do_it(), super::stop("s0", Scope::All)], vec![always()]];
    let forked = Scenario { forks: 1, crashes: Some(1), ..held("fork of what is being delivered", RISKY, vec![always()]) };
    vec![
        Scenario::calm("approval for good", twice).spoken_by(vec![vec![do_it()], vec![always()]], Routes::Other),
        Scenario { takeovers: 1, crashes: Some(1), ..held("approval for good, stale owner", RISKY, vec![always()]) },
        held("stopped while it is delivered", RISKY, Vec::new()).spoken_by(stopped, Routes::Other),
        Scenario { refuses_rules: true, ..held("approval for good is refused", RISKY, vec![always()]) },
        forked,
    ]
}

/// What may tell somebody outside is held once the model was shown what is private and what strangers wrote.
fn tainted() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    const FETCH: Call = MAIL.touching(Touches::NETWORK);
    const BOTH: &[Call] = &[LOOK.touching(Touches::PRIVATE), FETCH];
    const OUT: &[Call] = &[FETCH];
    let full = with_policy(Policy { autonomy: Autonomy::Full, ..Policy::default() });
    let replies = vec![Calls(BOTH), Calls(OUT), Text("done")];
    let acts = vec![vec![do_it()], vec![tool("a0", Reaction::Approve)]];
    const READ: &[Call] = &[LOOK.touching(Touches::PRIVATE)];
    let rules = ResourceLoaded {
        kind: ResourceKind::Rules,
        name: "AGENTS.md".to_owned(),
        content: Sha256::of(b"rules"),
        bytes: 5,
        cut: false,
        trusted: false,
    };
    let asked = |name, replies| Scenario { options: full.clone(), ..Scenario::calm(name, replies).spoken_by(acts.clone(), Routes::Other) };
    vec![
        asked("tainted conversation", replies),
        Scenario { resources: vec![rules], ..asked("rules of strangers", vec![Calls(READ), Calls(OUT), Text("done")]) },
    ]
}

fn edited() -> Vec<Scenario> {
    let edit = |key| tool(key, Reaction::Edit("{\"to\":3}"));
    const LOOKS: &[Call] = &[LOOK.risky()];
    const MAILS: &[Call] = &[MAIL.risky()];
    let told = Scenario::calm("edit of a call that the model was told of", vec![Scripted::Calls(LOOKS), Scripted::Text("done")])
        .spoken_by(vec![vec![do_it(), say("m1", "also this", Mode::Steer)], vec![edit("e0")]], Routes::Other);
    vec![
        Scenario { routes: Routes::Both, ..held("edited call", RISKY, vec![tool("e0", Reaction::Edit(REFUSED)), edit("e1")]) },
        Scenario {
            options: valid_for(MINUTE_MS),
            lapses: (1, MINUTE_MS),
            ..held("edited call, started late", RISKY, vec![edit("e0"), edit("e1")])
        },
        Scenario {
            lapses: (1, APPROVAL_VALID_MS),
            ..held("edit of a call that may have run", MAILS, vec![tool("a0", Reaction::Approve), edit("e0")])
        },
        told,
    ]
}

fn in_time() -> Vec<Scenario> {
    let approve = |key| tool(key, Reaction::Approve);
    // It may be started again without a run, and then nobody is left to ask.
    const COMMAND: &[Call] = &[SHELL.risky().patient_for(MINUTE_MS)];
    const SLEEPS: &[Call] = &[Call::wait(MINUTE_MS / 2), PAY.risky()];
    const BOTH: &[Call] = &[SHELL, PAY.risky()];
    let pause = Act { key: "p0", what: What::Pause };
    let paused = vec![vec![do_it(), pause, resume("r0")], vec![approve("a0")]];
    let interrupted = vec![vec![do_it(), say("m1", "stop that", Mode::Interrupt)], vec![approve("a0")]];
    let overtaken = vec![vec![do_it(), say("m1", "rather this", Mode::Steer)], vec![approve("a0")]];
    vec![
        Scenario {
            options: valid_for(MINUTE_MS),
            takeovers: 1,
            routes: Routes::Both,
            ..held("ask that expires, stale owner", RISKY, vec![approve("a0")])
        },
        Scenario { lapses: (1, APPROVAL_VALID_MS), ..held("approval of an hour ago", RISKY, vec![approve("a0"), approve("a1")]) },
        Scenario { lapses: (1, APPROVAL_VALID_MS), ..held("approved command of an hour ago", COMMAND, vec![approve("a0")]) },
        Scenario { lapses: (1, APPROVAL_VALID_MS), ..held("approved while paused", RISKY, Vec::new()) }.spoken_by(paused, Routes::Other),
        Scenario {
            lapses: (1, HOUR_MS),
            options: valid_for(MINUTE_MS),
            ..held("everything is due after a sleep", SLEEPS, vec![approve("a0")])
        },
        Scenario { drains: 2, crashes: Some(1), ..held("owner lets go while a person is asked", BOTH, vec![approve("a0")]) },
        held("message overtakes an ask", RISKY, Vec::new()).spoken_by(overtaken, Routes::Both),
        held("interrupt overtakes an ask", BOTH, Vec::new()).spoken_by(interrupted, Routes::Other),
    ]
}

fn several_answers() -> Vec<Scenario> {
    let people = |one, other| vec![vec![do_it()], vec![one], vec![other]];
    let rivals = people(tool("a0", Reaction::Approve), tool("b0", Reaction::Deny));
    let twice = people(tool("a0", Reaction::Approve), tool("a0", Reaction::Approve));
    let again = vec![vec![do_it(), say("m1", "also this", Mode::Steer)], vec![say("m1", "also this", Mode::Steer)]];
    let repeated = Scenario::calm("one message through two processes", vec![Scripted::Text("done")]);
    vec![
        held("two answers to one ask", RISKY, Vec::new()).spoken_by(rivals, Routes::Both),
        held("one answer through two processes", RISKY, Vec::new()).spoken_by(twice, Routes::Both),
        repeated.spoken_by(again, Routes::Both),
    ]
}

fn questions() -> Vec<Scenario> {
    const QUESTIONS: &[Call] = &[QUESTION];
    let texts = vec![vec![do_it(), say("m1", "blue", Mode::Steer)]];
    vec![
        Scenario { unknowns: true, ..held("question answered by a text", QUESTIONS, Vec::new()) }.spoken_by(texts, Routes::Both),
        held("question declined", QUESTIONS, vec![answer("d0", AskKind::Question, Reaction::Deny)]),
        held("question answered", QUESTIONS, vec![answer("a0", AskKind::Question, Reaction::Reply("blue"))]),
        held("question beside a call", &[QUESTION, LOOK], Vec::new()),
    ]
}

fn reconciled() -> Vec<Scenario> {
    let options = || with_policy(Policy { on_unknown: OnUnknown::Ask, ..Policy::default() });
    let judged = |name, reaction| {
        let acts = vec![answer("j0", AskKind::Reconcile, reaction)];
        Scenario { options: options(), losses: 1, ..held(name, &[PAY], acts) }
    };
    let steer = vec![vec![do_it(), say("m1", "also this", Mode::Steer)], vec![answer("j0", AskKind::Reconcile, Reaction::Approve)]];
    vec![
        judged("person says that it happened", Reaction::Approve),
        judged("person says that it did not happen", Reaction::DenyAndStop),
        judged("message while a person is asked what happened", Reaction::Approve).spoken_by(steer, Routes::Other),
    ]
}
