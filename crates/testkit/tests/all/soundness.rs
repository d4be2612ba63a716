//! The canonical form is sound: what looks equal behaves alike, up to renaming.

use crate::scenarios;
use agent::{Agent, State};
use contract::ask::{Answer, Grant};
use contract::body::{CancelReason, DaySpend, FailureClass, Scope, UnknownReason};
use contract::config::{ConfigRef, Limits, Policy};
use contract::effect::EffectId;
use contract::event::Draft;
use contract::id::{BootId, HostId, Key, MachineId, Sha256};
use contract::input::{Input, Rejection};
use contract::machine::Machine;
use contract::outcome::{DeliveryOutcome, ModelOutcome, Outcome, ToolOutcome};
use contract::text::Text;
use contract::units::Epoch;
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::canon::{Canon, Spending, canon_both};
use testkit::explore::explore;
use testkit::scenario::{Call, Kind, Scenario};
use testkit::world::World;

/// Longer than anything in the scenarios waits.
const A_WHILE_MS: u64 = 8 * 24 * 60 * 60 * 1_000;

/// Everything a machine can be asked, answered.
fn behaviour(scenario: &Scenario, state: &State) -> Canon {
    let request = agent::context::context(state).map(|request| (request.items.len(), request.sha256()));
    let accepted: Vec<Result<Vec<Draft>, Rejection>> =
        inputs(scenario, state).into_iter().map(|input| Agent::accept(state, input, state.time)).collect();
    let (now, later) = (Agent::advance(state, state.time), state.time.plus_ms(A_WHILE_MS));
    let all = (state, now, Agent::advance(state, later), Agent::effects(state), Agent::rest(state), request, accepted);
    canon_both(&all, &(), Spending::Ignored).0
}

fn inputs(scenario: &Scenario, state: &State) -> Vec<Input> {
    let by = scenario.person();
    let mut inputs: Vec<Input> = scenario.people.iter().flatten().filter_map(|act| scenario.input(*act, state)).collect();
    inputs.push(scenario.create());
    inputs.push(Input::Resume { key: Key("resume".to_owned()), by: by.clone() });
    inputs.push(Input::Pause { key: Key("pause".to_owned()), by: by.clone() });
    for scope in [Scope::Turn, Scope::All] {
        inputs.push(Input::Stop { key: Key("stop".to_owned()), scope, by: by.clone() });
    }
    for message in state.inbox.iter().map(|message| message.key.clone()) {
        inputs.push(Input::Withdraw { key: Key("withdraw".to_owned()), message, by: by.clone() });
    }
    for epoch in [state.epoch(), Epoch(state.epoch().0 + 1)] {
        inputs.push(Input::Taken { epoch, host: HostId([7; 16]), machine: MachineId([1; 16]), boot: BootId("boot".to_owned()) });
    }
    for ask in state.asks.keys().copied() {
        let answers = [Answer::YES, Answer::NO, Answer::Approve { grant: Grant::Session }, Answer::Extend { amount: 1 }];
        let key = Key("answer".to_owned());
        inputs.extend(answers.map(|answer| Input::Answer { ask, key: key.clone(), answer, by: by.clone() }));
        let edited = Kind::ALL.iter().map(|kind| Box::new(Call::of(*kind).with("edited").prepared()));
        inputs.extend(edited.map(|call| Input::Edit { ask, key: key.clone(), call, by: by.clone() }));
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
            let config = ConfigRef {
                sha256: Sha256::of(b"config"),
                bytes: 0,
                model: "scripted".to_owned(),
                fallback: Vec::new(),
                max_turns: 2,
                policy: Policy::default(),
                limits: Limits::default(),
                prices: None,
                output_tokens_max: 10,
                standing: Vec::new(),
                warn_cost_micros: None,
            };
            vec![Outcome::Prepared { config: Box::new(config), resources: scenario.resources.clone() }]
        }
        EffectId::Model(_) => {
            let replies = (0..=scenario.replies.len()).map(|number| Outcome::Model(scenario.reply(number, 1, "scripted")));
            let failed = |class| Outcome::Model(ModelOutcome::Failed { class, message: text(), retry_after_ms: None });
            let others = [ModelOutcome::Slow { waited_ms: 5 }, ModelOutcome::NotAdmitted(DaySpend { used: 2, allowed: 1 })];
            let replies = replies.chain(others.map(Outcome::Model));
            replies.chain([failed(FailureClass::Interrupted), failed(FailureClass::Permanent)]).collect()
        }
        EffectId::Deliver(_) => [DeliveryOutcome::Finished, DeliveryOutcome::Failed("full".to_owned())].map(Outcome::Delivery).into(),
        // It has no outcome of its own.
        EffectId::Stop(_) => Vec::new(),
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
        "held call",
        "edited call, started late",
        "approval of an hour ago",
        "question answered by a text",
        "message while a retry waits",
        "steer past a wait",
        "stop while a person is asked",
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
    let names = [
        "unsafe tool, owner elsewhere",
        "denied in a crash loop",
        "invalid call",
        "queued message",
        "edited call",
        "approval of an hour ago",
        "question answered by a text",
        "stop of a wait",
        "interrupt of a model call",
    ];
    for scenario in scenarios(&names) {
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
