//! Forks at any moment of a session: whatever is open there, nothing of it is wanted in the fork, which goes on by itself.

use super::call::{PAY, SHELL};
use super::{Call, Reaction, Routes, Scenario, Scripted, answer, do_it, say};
use contract::ask::AskKind;
use contract::body::Mode;

const SECOND_MS: u64 = 1_000;

pub fn all() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    const OPEN: &[Call] = &[SHELL, PAY.risky()];
    const WAITS: &[Call] = &[PAY, Call::wait(SECOND_MS)];
    let then = |mode| vec![vec![do_it(), say("m1", "rather this", mode)]];
    let people = vec![vec![do_it(), say("m1", "rather this", Mode::Steer)], vec![answer("a0", AskKind::Tool, Reaction::Approve)]];
    let open = Scenario::calm("fork of open calls", vec![Calls(OPEN), Text("done")]);
    let twice = Scenario::calm("fork of a fork", vec![Calls(&[SHELL]), Text("done")]);
    let waits = Scenario::calm("fork of a wait", vec![Calls(WAITS), Text("done")]);
    vec![
        Scenario { forks: 1, crashes: Some(1), ..open.spoken_by(people, Routes::Other) },
        Scenario { forks: 1, crashes: Some(1), ..waits.spoken_by(then(Mode::Interrupt), Routes::Both) },
        Scenario { forks: 2, crashes: Some(1), ..twice.spoken_by(then(Mode::Queue), Routes::Owner) },
    ]
}
