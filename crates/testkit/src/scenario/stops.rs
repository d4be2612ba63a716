//! People who stop, pause and resume what goes on.

use super::call::{LOOK, PAY, QUESTION, SHELL};
use super::{Act, Call, Reaction, Routes, Scenario, Scripted, What, answer, do_it, on_resume, resume, say, stop, with_policy};
use contract::ask::AskKind;
use contract::body::{Mode, Scope};
use contract::config::{OnUnknown, Policy, ResumePolicy};

const SECOND_MS: u64 = 1_000;
const PATIENT: &[Call] = &[SHELL.patient_for(SECOND_MS)];

pub fn all() -> Vec<Scenario> {
    [stops(), in_the_background(), after_a_crash(), pauses()].concat()
}

fn stopped(name: &'static str, replies: Vec<Scripted>, scope: Scope) -> Scenario {
    Scenario::calm(name, replies).spoken_by(vec![vec![do_it(), stop("s0", scope), next()]], Routes::Other)
}

fn next() -> Act {
    say("m1", "and now?", Mode::Steer)
}

fn stops() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    const RISKY: &[Call] = &[PAY.risky()];
    const WAITS: &[Call] = &[Call::wait(SECOND_MS)];
    let queued = vec![vec![do_it(), say("m2", "then this", Mode::Queue), stop("s0", Scope::Turn), stop("s1", Scope::Turn), next()]];
    let elsewhere = stopped("stop of a command, owner elsewhere", vec![Calls(&[SHELL]), Text("done")], Scope::Turn);
    let asked = vec![vec![do_it(), stop("s0", Scope::Turn), next()], vec![answer("a0", AskKind::Tool, Reaction::Approve)]];
    vec![
        Scenario { routes: Routes::Both, ..stopped("stop of a command", vec![Calls(&[SHELL]), Text("done")], Scope::Turn) },
        Scenario { stubborn: true, ..stopped("stop of a stubborn command and a payment", vec![Calls(&[SHELL, PAY])], Scope::Turn) },
        Scenario { unknowns: true, routes: Routes::Both, ..stopped("stop races the answer", vec![Text("done")], Scope::Turn) },
        stopped("stop of a wait", vec![Calls(WAITS), Text("done")], Scope::Turn),
        stopped("stop of a question", vec![Calls(&[QUESTION]), Text("done")], Scope::Turn),
        stopped("stop before a queued message", vec![Calls(&[LOOK]), Text("done")], Scope::Turn).spoken_by(queued, Routes::Other),
        Scenario { takeovers: 1, elsewhere: true, crashes: Some(1), ..elsewhere },
        stopped("stop while a person is asked", vec![Calls(RISKY), Text("done")], Scope::Turn).spoken_by(asked, Routes::Other),
    ]
}

fn in_the_background() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    let rarely = |scenario| Scenario { crashes: Some(2), ..scenario };
    let lost = vec![Calls(PATIENT), Calls(&[LOOK])];
    let asks = with_policy(Policy { on_unknown: OnUnknown::Ask, ..Policy::default() });
    vec![
        rarely(stopped("stop leaves the background alone", vec![Calls(PATIENT), Calls(&[LOOK]), Text("done")], Scope::Turn)),
        rarely(stopped("stop of everything", vec![Calls(PATIENT), Text("done")], Scope::All)),
        Scenario { options: asks, ..rarely(stopped("stop while a lost command is asked about", lost, Scope::Turn)) },
    ]
}

fn after_a_crash() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    let replies = || vec![Calls(&[SHELL]), Text("done")];
    vec![
        Scenario { options: on_resume(ResumePolicy::Paused), ..stopped("stopped, and paused by policy", replies(), Scope::Turn) },
        Scenario { options: on_resume(ResumePolicy::Ask), ..stopped("stopped, and asked by policy", replies(), Scope::Turn) },
    ]
}

fn pauses() -> Vec<Scenario> {
    use Scripted::{Calls, Text};
    let pause = Act { key: "p0", what: What::Pause };
    let replies = || vec![Calls(&[SHELL]), Text("done")];
    let resumes = vec![vec![do_it(), pause, resume("r0")]];
    let stops = vec![vec![do_it(), pause, stop("s0", Scope::Turn), next()]];
    vec![
        Scenario::calm("pause with a command", replies()).spoken_by(resumes, Routes::Both),
        Scenario::calm("stop of a paused run", replies()).spoken_by(stops, Routes::Other),
    ]
}
