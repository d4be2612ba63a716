//! The canonical form is sound: what looks equal behaves alike, up to renaming.

use crate::scenarios;
use agent::{Agent, State};
use contract::ask::Answer;
use contract::body::{CancelReason, FailureClass, Principal, UnknownReason};
use contract::config::ConfigRef;
use contract::effect::EffectId;
use contract::event::Draft;
use contract::id::{BootId, HostId, Key, MachineId, Sha256};
use contract::input::{Input, Rejection};
use contract::machine::Machine;
use contract::outcome::{ModelOutcome, Outcome, ToolOutcome};
use contract::text::Text;
use contract::units::Epoch;
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::canon::{Canon, canon};
use testkit::explore::explore;
use testkit::scenario::Scenario;
use testkit::world::{BEGIN, World};

/// Everything a machine can be asked, answered.
fn behaviour(scenario: &Scenario, state: &State) -> Canon {
    let request = agent::context::context(state).map(|request| (request.items.len(), request.sha256()));
    let accepted: Vec<Result<Vec<Draft>, Rejection>> =
        inputs(scenario, state).into_iter().map(|input| Agent::accept(state, input, BEGIN)).collect();
    canon(&(state, Agent::advance(state, BEGIN), Agent::effects(state), Agent::rest(state), request, accepted))
}

fn inputs(scenario: &Scenario, state: &State) -> Vec<Input> {
    let by = Principal("person".to_owned());
    let mut inputs: Vec<Input> = (0..scenario.messages.len()).map(|index| scenario.message(index)).collect();
    inputs.push(scenario.create());
    inputs.push(Input::Resume { key: Key("resume".to_owned()), by: by.clone() });
    for epoch in [state.epoch(), Epoch(state.epoch().0 + 1)] {
        inputs.push(Input::Taken { epoch, host: HostId([7; 16]), machine: MachineId([1; 16]), boot: BootId("boot".to_owned()) });
    }
    for (ask, answer) in state.asks.keys().flat_map(|ask| [(*ask, Answer::Approve), (*ask, Answer::Deny)]) {
        inputs.push(Input::Answer { ask, key: Key("answer".to_owned()), answer, by: by.clone() });
    }
    let wanted: Vec<(EffectId, u16)> = Agent::effects(state).iter().map(|effect| (effect.id(), effect.attempt())).collect();
    let calls = state.calls.values().map(|call| (EffectId::Tool(call.action), call.attempts));
    for (effect, attempt) in wanted.into_iter().chain(calls) {
        for attempt in [attempt, attempt.saturating_sub(1), attempt + 1] {
            inputs.extend(outcomes(scenario, effect).into_iter().map(|outcome| Input::Done { effect, attempt, outcome }));
        }
    }
    inputs
}

fn outcomes(scenario: &Scenario, effect: EffectId) -> Vec<Outcome> {
    let text = || Text::from("text");
    match effect {
        EffectId::Prepare(_) => {
            vec![Outcome::Prepared(ConfigRef {
                sha256: Sha256::of(b"config"),
                model: "scripted".to_owned(),
                fallback: Vec::new(),
                max_turns: 2,
            })]
        }
        EffectId::Model(_) => {
            let replies = (0..=scenario.replies.len()).map(|number| Outcome::Model(scenario.reply(number, 1, "scripted")));
            let failed = |class| Outcome::Model(ModelOutcome::Failed { class, message: text(), retry_after_ms: None });
            replies.chain([failed(FailureClass::Interrupted), failed(FailureClass::Permanent)]).collect()
        }
        EffectId::Tool(_) => [
            ToolOutcome::Finished { ok: true, output: text(), exit: Some(0), signal: None },
            ToolOutcome::Finished { ok: false, output: text(), exit: None, signal: Some(9) },
            ToolOutcome::Adopted,
            ToolOutcome::Cancelled(CancelReason::NeverStarted),
            ToolOutcome::Unknown { reason: UnknownReason::Died, output: text() },
        ]
        .map(Outcome::Tool)
        .into(),
    }
}

/// Canonical forms of everything that can come next, without order.
fn successors(world: &World) -> Vec<Canon> {
    let played = world.moves().into_iter().map(|a_move| {
        let mut next = world.clone();
        next.play(a_move).unwrap();
        next.canon().1
    });
    let mut successors: Vec<Canon> = played.collect();
    successors.sort_unstable();
    successors
}

#[test]
fn durable_states_with_one_canonical_form_answer_everything_alike() {
    let names = [
        "unsafe tool, owner elsewhere",
        "probed write",
        "queued message",
        "asks before it goes on",
        "turn limit",
        "parallel write and pay",
    ];
    let mut compared = 0;
    for scenario in scenarios(&names) {
        let mut known: BTreeMap<Canon, (Canon, Arc<State>)> = BTreeMap::new();
        let report = explore(&scenario, |visit| {
            let state = &visit.world.log.state;
            let (first, of) = known.entry(visit.world.canon().0).or_insert_with(|| (behaviour(&scenario, state), state.clone()));
            // The very same state again says nothing new.
            if !Arc::ptr_eq(of, state) {
                compared += 1;
                assert_eq!(*first, behaviour(&scenario, state), "{}: {:#?}", scenario.name, visit.world.log.events);
                *of = state.clone();
            }
        });
        assert!(report.violation.is_none(), "{:?}", report.violation);
    }
    assert!(compared > 1_000, "only {compared} states were compared with another");
}

#[test]
fn worlds_with_one_canonical_form_lead_to_the_same_worlds() {
    let mut compared = 0;
    for scenario in scenarios(&["unsafe tool, owner elsewhere", "denied in a crash loop", "invalid call", "queued message"]) {
        let mut known: BTreeMap<Canon, Vec<Canon>> = BTreeMap::new();
        let report = explore(&scenario, |visit| {
            let next = successors(visit.world);
            compared += usize::from(!visit.is_new);
            let first = known.entry(visit.world.canon().1).or_insert_with(|| next.clone());
            assert_eq!(*first, next, "{}: {:#?}", scenario.name, visit.world);
        });
        assert!(report.violation.is_none(), "{:?}", report.violation);
    }
    assert!(compared > 1_000, "only {compared} worlds were compared with another");
}
