//! People who speak while the session works: steering, interrupting, asking how things stand; waits and commands that
//! outlive what they were started for.

use super::call::{LOOK, PAY, SHELL};
use super::{Act, Call, Reaction, Routes, Scenario, Scripted, What, answer, do_it, say};
use contract::ask::AskKind;
use contract::body::{FailureClass, Mode};
use contract::config::Options;

const SECOND_MS: u64 = 1_000;

pub fn all() -> Vec<Scenario> {
    [everything(), said(), interrupts(), waits(), background(), failures()].concat()
}

/// Three turns, two tools at once, an ask, a timer and three interjections.
fn everything() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    const PARALLEL: &[Call] = &[SHELL, PAY.risky()];
    const WAITS: &[Call] = &[Call::wait(SECOND_MS)];
    let replies = vec![Calls(PARALLEL), Calls(WAITS), Text("done")];
    let talks =
        vec![do_it(), say("m1", "also this", Mode::Steer), say("m2", "how far?", Mode::Status), say("m3", "stop that", Mode::Interrupt)];
    let people = vec![talks, vec![answer("a0", AskKind::Tool, Reaction::Approve)]];
    let all = Scenario::calm("three turns, two tools, an ask, a timer, three interjections", replies);
    vec![Scenario { crashes: Some(1), ..all.spoken_by(people, Routes::Other) }]
}

fn two(second: Act) -> Vec<Vec<Act>> {
    vec![vec![do_it(), second]]
}

fn steered(name: &'static str, replies: Vec<Scripted>) -> Scenario {
    Scenario::calm(name, replies).spoken_by(two(say("m1", "also this", Mode::Steer)), Routes::Other)
}

fn said() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    let replies = || vec![Calls(&[SHELL]), Text("done")];
    let withdraw = Act { key: "w0", what: What::Withdraw("m1") };
    let takes_back = |mode| vec![vec![do_it(), say("m1", "also this", mode), withdraw]];
    let first = vec![vec![do_it(), Act { key: "w0", what: What::Withdraw("m0") }, say("m1", "rather this", Mode::Steer)]];
    let status = two(say("m1", "how far?", Mode::Status));
    vec![
        Scenario::calm("status while a command runs", replies()).spoken_by(status, Routes::Both),
        Scenario::calm("steer taken back", replies()).spoken_by(takes_back(Mode::Steer), Routes::Other),
        Scenario::calm("queued message taken back", replies()).spoken_by(takes_back(Mode::Queue), Routes::Both),
        Scenario::calm("first message taken back", vec![Text("done")]).spoken_by(first, Routes::Both),
        steered("steer past two tools", vec![Calls(&[LOOK, PAY]), Text("done")]),
    ]
}

fn interrupts() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    let interrupt = || two(say("m1", "stop that", Mode::Interrupt));
    let retries = vec![Calls(&[SHELL]), Scripted::FailsUntil(2, FailureClass::Transient)];
    let stubborn = Scenario { stubborn: true, ..Scenario::calm("interrupt of a stubborn command", vec![Calls(&[SHELL]), Text("done")]) };
    vec![
        stubborn.spoken_by(interrupt(), Routes::Both),
        Scenario::new("interrupt of a model call", vec![Text("one"), Text("two")]).spoken_by(interrupt(), Routes::Both),
        Scenario::calm("interrupt while a retry waits", retries).spoken_by(interrupt(), Routes::Other),
        Scenario::calm("interrupt of two tools", vec![Calls(&[SHELL, PAY]), Text("done")]).spoken_by(interrupt(), Routes::Other),
    ]
}

fn waits() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    const WAITS: &[Call] = &[Call::wait(SECOND_MS)];
    const WAITS_FOR: &[Call] = &[Call::wait(3 * SECOND_MS).about(0, 0)];
    const PATIENT: &[Call] = &[SHELL.patient_for(SECOND_MS)];
    vec![
        Scenario { takeovers: 1, ..Scenario::new("wait", vec![Calls(WAITS), Text("done")]) },
        steered("steer past a wait", vec![Calls(WAITS), Text("done")]),
        Scenario::calm("wait for a command", vec![Calls(PATIENT), Calls(WAITS_FOR), Text("done")]),
    ]
}

fn background() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    const PATIENT: &[Call] = &[SHELL.patient_for(SECOND_MS)];
    const VERY_PATIENT: &[Call] = &[SHELL.patient_for(600 * SECOND_MS)];
    let outlives = Scenario::calm("command that outlives its run", vec![Calls(PATIENT), Text("one"), Text("two")]);
    let queued = Scenario::calm("queued message behind a command", vec![Calls(VERY_PATIENT), Text("one"), Text("two")]);
    vec![
        Scenario { crashes: Some(2), ..outlives.spoken_by(two(say("m1", "and now?", Mode::Steer)), Routes::Other) },
        queued.spoken_by(two(say("m1", "then this", Mode::Queue)), Routes::Other),
    ]
}

/// Runs that come to their end while a call is still open.
fn failures() -> Vec<Scenario> {
    use Scripted::{Calls, Empty, Fails};
    let turns = Options { max_turns: Some(1), ..Options::default() };
    let says_no = vec![answer("l0", AskKind::Limit, Reaction::Deny)];
    let people = [two(say("m1", "also this", Mode::Steer)), vec![says_no]].concat();
    vec![
        steered("model fails while a command runs", vec![Calls(&[SHELL]), Fails(FailureClass::Permanent)]),
        steered("empty replies while a command runs", vec![Calls(&[SHELL]), Empty, Empty]),
        Scenario { options: turns, people, ..steered("turn limit while a command runs", vec![Calls(&[SHELL]), Calls(&[PAY])]) },
    ]
}
