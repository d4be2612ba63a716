//! Every list against the fold of the same events.

use super::rows::Memory;
use crate::scenarios;
use agent::{Agent, State};
use contract::event::Event;
use contract::id::{ActionId, AskId};
use contract::machine::Machine;
use damage::numbers;
use histories::History;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use testkit::explore::explore;
use views::{AskRow, CostRow, RunningRow, Standing, WorkRow, list};

static HISTORIES: LazyLock<Vec<History>> = LazyLock::new(|| histories::played().unwrap());

/// What the lists say must be what the state holds.
fn assert_agrees(rows: &Memory, state: &State, inherited_turns: u32) {
    let asks: BTreeSet<AskId> = rows.list::<AskRow>(list::ASKS).iter().map(|row| row.ask).collect();
    assert_eq!(asks, state.asks.keys().copied().collect(), "open asks");
    let running: BTreeSet<(ActionId, u16, bool, bool)> =
        rows.list::<RunningRow>(list::RUNNING).iter().map(|row| (row.action, row.attempt, row.background, row.stopping)).collect();
    let started = state.calls.values().filter_map(|call| {
        let attempt = call.attempt()?;
        Some((call.action, attempt.number, !call.foreground, attempt.deadline.is_some()))
    });
    assert_eq!(running, started.collect(), "what runs");
    let costs = rows.list::<CostRow>(list::COSTS);
    let (tokens, cost): (u64, u64) = (costs.iter().map(|row| row.tokens).sum(), costs.iter().map(|row| row.cost_micros).sum());
    assert_eq!((tokens, cost), (state.ledger.spent.tokens, state.ledger.spent.cost_micros), "what it cost");
    let work = rows.list::<WorkRow>(list::WORK);
    let [row] = work.as_slice() else { panic!("one session is one row of work") };
    assert_eq!((row.tokens, row.cost_micros), (tokens, cost));
    let own_turns = state.replies - inherited_turns;
    assert_eq!((row.turns, row.tool_calls, row.version), (own_turns.into(), state.ledger.tool_calls, state.version));
    assert_eq!((row.running(), row.asks().len()), (running.len(), asks.len()));
    let stands = state.run.is_some() || state.asks.values().any(|open| open.ask.subject.call().is_none());
    assert!(!stands || row.standing() != Standing::AtRest, "{:?} of {row:?}", row.standing());
}

fn assert_every_prefix_agrees(history: &History) {
    let (mut rows, mut state) = (Memory::default(), State::new(history.stream.clone()));
    history.inherited.iter().for_each(|(_, event)| Agent::fold(&mut state, event).unwrap());
    let inherited_turns = state.replies;
    for event in &history.events {
        rows.see(&history.stream, event);
        Agent::fold(&mut state, event).unwrap();
        assert_agrees(&rows, &state, inherited_turns);
    }
}

#[test]
fn the_lists_agree_with_the_fold_of_every_prefix_of_every_history() {
    assert!(HISTORIES.len() > 20);
    for history in HISTORIES.iter().filter(|history| history.stream.session_id().is_some()) {
        assert_every_prefix_agrees(history);
    }
}

#[test]
fn the_lists_agree_with_the_fold_wherever_a_crash_can_lead() {
    for scenario in scenarios(&["held call", "interrupt of a model call", "stop of a wait"]) {
        let mut looked_at = 0;
        let report = explore(&scenario, |visit| {
            if visit.is_new && !visit.world.log.events.is_empty() {
                looked_at += 1;
                let log = &visit.world.log;
                let events: Vec<Event> = log.events.iter().map(|event| (**event).clone()).collect();
                assert_agrees(&Memory::of(&log.state.stream, &events), &log.state, 0);
            }
        });
        assert!(report.violation.is_none() && looked_at > 50, "{}: {looked_at} worlds", scenario.name);
    }
}

proptest! {
    /// Whatever stands in a log, also what no machine would write, the lists come of it.
    #[test]
    fn any_events_in_any_order_give_lists(picks in prop::collection::vec((0usize..64, 0usize..512), 0..200)) {
        let mut rows = Memory::default();
        for (history, event) in picks {
            let history = &HISTORIES[history % HISTORIES.len()];
            rows.see(&history.stream, &history.events[event % history.events.len()]);
        }
        let standing: Vec<Standing> = rows.list::<WorkRow>(list::WORK).iter().map(WorkRow::standing).collect();
        prop_assert!(standing.len() <= HISTORIES.len());
        rows.list::<AskRow>(list::ASKS);
        rows.list::<RunningRow>(list::RUNNING);
        rows.list::<CostRow>(list::COSTS);
    }

    /// The file of lists may hold anything: what has the shape of a row is counted on from, and what has not is no row.
    #[test]
    fn any_rows_are_gone_on_with(
        history in 0usize..64,
        cut in any::<Index>(),
        row in any::<Index>(),
        spoilt in prop_oneof!["null|0|\\[\\]|\\{\\}", ".{0,8}"],
        number in any::<Index>(),
    ) {
        let history = &HISTORIES[history % HISTORIES.len()];
        let (before, after) = history.events.split_at(cut.index(history.events.len()));
        let mut rows = Memory::of(&history.stream, before);
        let count = rows.texts().count();
        prop_assume!(count > 0);
        let text = rows.texts().nth(row.index(count)).unwrap();
        // Half of the rows keep their shape and have one number as large as can be.
        let mut value: Value = serde_json::from_str(text).unwrap();
        let numbers = numbers(&value);
        *text = match numbers.get(number.index(numbers.len() + 1)) {
            Some(place) => {
                *value.pointer_mut(place).unwrap() = u64::MAX.into();
                value.to_string()
            }
            None => spoilt,
        };
        after.iter().for_each(|event| rows.see(&history.stream, event));
        let unread = rows.texts().filter(|text| serde_json::from_str::<Value>(text).is_err()).count();
        prop_assert!(unread <= 1, "only the row that was spoilt");
    }
}
