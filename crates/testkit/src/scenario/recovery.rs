//! Crashes, stale owners and unknown appends around tools, models and plain messages.

use super::call::{LOOK, MAIL, PAY, SHELL, WRITE};
use super::{Call, Reaction, Routes, Scenario, Scripted, answer, autonomous, do_it, on_resume, resume, say};
use contract::ask::AskKind;
use contract::body::{FailureClass, Mode};
use contract::config::{Options, ResumePolicy};

pub fn all() -> Vec<Scenario> {
    [one_tool(), several_tools(), messages(), parking(), replies(), failures()].concat()
}

/// One tool of each kind, with crashes, stale owners on the same machine and elsewhere, and unknown appends.
fn one_tool() -> Vec<Scenario> {
    let one = |name, calls| Scenario::new(name, vec![Scripted::Calls(calls), Scripted::Text("done")]);
    let stale = |name, calls| Scenario { takeovers: 1, ..one(name, calls) };
    let elsewhere = |name, calls| Scenario { elsewhere: true, unknowns: false, ..stale(name, calls) };
    const RISKY: &[Call] = &[PAY.risky()];
    vec![
        // What may run without asking runs like anything else.
        Scenario { options: autonomous(), ..stale("unsafe tool", RISKY) },
        elsewhere("unsafe tool, owner elsewhere", &[PAY]),
        elsewhere("probed write, owner elsewhere", &[WRITE]),
        one("probed write", &[WRITE]),
        Scenario { unknowns: false, ..stale("probed write, stale owner", &[WRITE]) },
        stale("pure tool", &[LOOK]),
        elsewhere("idempotent tool, owner elsewhere", &[MAIL]),
        Scenario { unknowns: false, losses: 6, ..one("pure tool, lost again and again", &[LOOK]) },
        one("idempotent tool", &[MAIL]),
        Scenario { losses: 0, ..one("supervised command", &[SHELL]) },
        stale("supervised command, stale owner", &[SHELL]),
        elsewhere("supervised command, owner elsewhere", &[SHELL]),
        Scenario { unknowns: false, stillbirths: true, ..one("supervisor that never starts", &[SHELL]) },
        Scenario { drains: 1, ..one("owner lets go", &[PAY]) },
    ]
}

/// Several tools at once and one after another.
fn several_tools() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    vec![
        Scenario::calm("parallel command and look", vec![Calls(&[SHELL, LOOK]), Text("done")]),
        Scenario { losses: 1, ..Scenario::calm("parallel write and pay", vec![Calls(&[WRITE, PAY]), Text("done")]) },
        Scenario { unknowns: true, ..Scenario::calm("parallel mail and pay", vec![Calls(&[MAIL, PAY]), Text("done")]) },
        Scenario::calm("three turns", vec![Calls(&[LOOK]), Calls(&[PAY, SHELL]), Calls(&[WRITE]), Text("done")]),
    ]
}

/// Messages that come at any moment and through any process.
fn messages() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    let steer = || vec![vec![do_it(), say("m1", "also this", Mode::Steer)]];
    let queue = vec![vec![do_it(), say("m1", "then this", Mode::Queue)]];
    let said = |name, people, replies| Scenario { people, routes: Routes::Both, losses: 0, ..Scenario::new(name, replies) };
    let three = vec![vec![do_it(), say("m1", "also this", Mode::Steer), say("m2", "and this", Mode::Steer)], vec![resume("r0")]];
    let three = Scenario::calm("three messages, three turns, an ask", vec![Calls(&[WRITE, PAY]), Calls(&[SHELL]), Text("done")])
        .spoken_by(three, Routes::Other);
    vec![
        Scenario { drains: 1, crashes: Some(1), ..said("message while the owner lets go", steer(), vec![Calls(&[SHELL]), Text("done")]) },
        said("message while a command runs", steer(), vec![Calls(&[SHELL]), Text("done")]),
        said("queued message", queue, vec![Text("one"), Calls(&[PAY]), Text("two")]),
        Scenario { unknowns: false, takeovers: 1, ..said("message and stale owner", steer(), vec![Calls(&[LOOK]), Text("done")]) },
        Scenario { options: on_resume(ResumePolicy::Ask), crashes: Some(1), ..three },
    ]
}

/// Sessions that wait for a person: by policy, or because they keep dying.
fn parking() -> Vec<Scenario> {
    use ResumePolicy::{Ask, Continue, Paused};
    let parked = |name, policy, calls, acts| {
        let replies = vec![Scripted::Calls(calls), Scripted::Text("done")];
        let scenario = Scenario::calm(name, replies).spoken_by(vec![vec![do_it()], acts], Routes::Other);
        Scenario { options: on_resume(policy), ..scenario }
    };
    let denies = |key, kind| answer(key, kind, Reaction::Deny);
    vec![
        parked("asks before it goes on", Ask, &[PAY], vec![resume("r0")]),
        parked("denied after a crash", Ask, &[SHELL], vec![denies("d0", AskKind::Resume), denies("d1", AskKind::Resume)]),
        parked("denied in a crash loop", Continue, &[PAY], vec![denies("d0", AskKind::Limit)]),
        Scenario { unknowns: true, ..parked("paused after a crash", Paused, &[PAY], vec![resume("r0")]) },
        parked("paused with a command", Paused, &[SHELL], vec![resume("r0")]),
        parked("crash loop and resume", Continue, &[PAY], vec![resume("r0")]),
    ]
}

/// What a model can answer besides a call and a text.
fn replies() -> Vec<Scenario> {
    use Scripted::{Calls, Empty, Fails, Invalid, Text};
    vec![
        Scenario::new("empty replies", vec![Empty, Empty]),
        Scenario::new("one empty reply", vec![Empty, Text("done")]),
        Scenario { losses: 0, ..Scenario::new("failing model", vec![Calls(&[LOOK]), Fails(FailureClass::Permanent)]) },
        Scenario::new("invalid call", vec![Invalid, Text("done")]),
    ]
}

/// Models that fail, in passing or for good.
fn failures() -> Vec<Scenario> {
    use Scripted::{Fails, FailsUntil, Only, Text};
    let two_messages = vec![vec![do_it(), say("m1", "also this", Mode::Steer)]];
    let late = Scenario::new("message while a retry waits", vec![FailsUntil(2, FailureClass::Transient)]);
    let overloaded = Scenario::new("all models overloaded", vec![Fails(FailureClass::Overloaded)]);
    let fallback = || Options { fallback: vec!["spare".to_owned()], ..Options::default() };
    vec![
        Scenario { takeovers: 1, ..Scenario::new("model that fails in passing", vec![FailsUntil(3, FailureClass::RateLimited)]) },
        late.spoken_by(two_messages, Routes::Both),
        Scenario { options: fallback(), ..Scenario::new("fallback model", vec![Only("spare"), Text("done")]) },
        Scenario { options: fallback(), unknowns: false, ..overloaded },
    ]
}
