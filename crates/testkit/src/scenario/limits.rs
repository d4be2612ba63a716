//! What a session may use up, and what people say when it is used up.

use super::call::{LOOK, PAY, SHELL};
use super::{Act, Call, Reaction, Routes, Scenario, Scripted, What, answer, do_it};
use contract::ask::AskKind;
use contract::config::{Limits, Options};

const SECOND_MS: u64 = 1_000;

pub fn all() -> Vec<Scenario> {
    use Scripted::{Calls, NotAdmittedUntil, Slow, Text};
    const PATIENT: &[Call] = &[SHELL.patient_for(2 * SECOND_MS)];
    let calls = || Limits { tool_calls: Some(1), ..Limits::default() };
    let two_calls = || vec![Calls(&[LOOK, PAY]), Text("done")];
    let again = vec![Calls(&[PAY]); 6];
    let tokens = Limits { tokens: Some(400), ..Limits::default() };
    let withdraw = Act { key: "w0", what: What::Withdraw("m0") };
    let takes_back = vec![vec![do_it(), withdraw], vec![answer("l0", AskKind::Limit, Reaction::Extend(300))]];
    let few = Limits { tokens: Some(1), ..Limits::default() };
    let turns = |name, replies, reaction| one_turn(limited(name, Limits::default(), replies, &[reaction]));
    let looks_and_pays = || vec![Calls(&[LOOK]), Calls(&[PAY])];
    let time = Limits { wall_ms: Some(SECOND_MS), ..Limits::default() };
    vec![
        limited("limit of calls extended", calls(), two_calls(), &[Reaction::Extend(1)]),
        limited("limit of calls not extended", calls(), two_calls(), &[Reaction::Deny]),
        limited("limit of tokens", tokens, vec![Calls(&[LOOK]), Text("done")], &[Reaction::Approve, Reaction::Extend(300)]),
        Scenario { people: takes_back, ..limited("first message taken back at a limit", few, vec![Text("done")], &[]) },
        limited("limit of time", time, vec![Calls(PATIENT), Text("done")], &[Reaction::Approve]),
        Scenario { crashes: Some(2), ..limited("the same call again and again", Limits::default(), again, &[Reaction::Approve]) },
        limited("spent day", Limits::default(), vec![NotAdmittedUntil(3)], &[Reaction::Approve, Reaction::Extend(2)]),
        limited("spent day not extended", Limits::default(), vec![Calls(&[LOOK]), NotAdmittedUntil(9)], &[Reaction::Deny]),
        Scenario::new("slow model", vec![Slow("hm"), Slow("done")]),
        turns("turn limit", looks_and_pays(), Reaction::Deny),
        turns("turn limit extended", looks_and_pays(), Reaction::Extend(2)),
        turns("turn limit and stop", looks_and_pays(), Reaction::DenyAndStop),
    ]
}

fn one_turn(scenario: Scenario) -> Scenario {
    Scenario { options: Options { max_turns: Some(1), ..scenario.options }, ..scenario }
}

fn limited(name: &'static str, limits: Limits, replies: Vec<Scripted>, reactions: &[Reaction]) -> Scenario {
    let keys = ["l0", "l1"];
    let acts = keys.into_iter().zip(reactions).map(|(key, reaction)| answer(key, AskKind::Limit, *reaction)).collect();
    let scenario = Scenario::calm(name, replies).spoken_by(vec![vec![do_it()], acts], Routes::Other);
    Scenario { options: Options { limits, ..Options::default() }, ..scenario }
}
