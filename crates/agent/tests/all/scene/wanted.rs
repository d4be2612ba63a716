//! What is wanted is what was requested and not answered, by an account of its own over the events.

use super::Scene;
use agent::{Agent, State};
use contract::body::Body;
use contract::effect::Effect;
use contract::event::Event;
use contract::id::{ActionId, EventId, Key, MachineId};
use contract::machine::Machine;
use contract::units::{Epoch, Time};
use std::collections::BTreeMap;

#[derive(Default)]
struct Account {
    owner: Epoch,
    model: Option<(EventId, u16, Epoch)>,
    attempts: BTreeMap<(ActionId, u16), Open>,
    machine: Option<MachineId>,
    /// Where a person answered what is to be brought elsewhere, and where that was for what is being brought.
    answered: BTreeMap<Key, Option<MachineId>>,
    deliveries: BTreeMap<EventId, Option<MachineId>>,
}

/// An attempt that has not ended.
struct Open {
    by: Epoch,
    deadline: Option<Time>,
}

pub fn check(scene: &Scene) {
    let mut state = Agent::new(scene.state.stream.clone());
    let mut account = Account::default();
    for event in &scene.log {
        Agent::fold(&mut state, event).unwrap();
        account.note(event);
        account.compare(&state);
    }
}

/// Nothing is begun while a person is waited for, but what this owner has begun goes on, and what must end is ended.
pub fn check_state(state: &State, which: &str) {
    let begins = |effect: &Effect| match effect {
        Effect::Prepare(_) | Effect::Recover { .. } => true,
        Effect::Model { .. } | Effect::Start { .. } | Effect::Stop { .. } | Effect::Deliver(_) => false,
    };
    let wanted = Agent::effects(state);
    let ends = |action: ActionId| wanted.iter().any(|effect| matches!(effect, Effect::Stop { action: other, .. } if *other == action));
    let goes_on = |effect: &Effect| matches!(effect, Effect::Recover { action, .. } if is_adopted(state, *action) || ends(*action));
    let begun = wanted.iter().all(|effect| !begins(effect) || goes_on(effect));
    assert!(!state.is_parked() || begun, "{which} begins something while parked");
}

fn is_adopted(state: &State, action: ActionId) -> bool {
    let stage = state.call_of(action).map(|(_, call)| &call.stage);
    matches!(stage, Some(agent::state::Stage::Started(attempt)) if attempt.adopted == Some(state.epoch()))
}

impl Account {
    fn note(&mut self, event: &Event) {
        match &event.draft.body {
            Body::OwnerTaken(taken) => (self.owner, self.machine) = (taken.epoch, Some(taken.machine)),
            Body::AskAnswered(answered) => drop(self.answered.insert(Key::standing(answered.ask), self.machine)),
            Body::ModelRequested(requested) => self.model = Some((event.draft.id, requested.attempt, requested.epoch)),
            Body::ModelCompleted(_) | Body::ModelFailed(_) | Body::ModelAborted(_) => self.model = None,
            Body::ToolStarted(started) => {
                let open = Open { by: started.epoch, deadline: None };
                assert!(self.attempts.insert((started.action, started.attempt), open).is_none(), "started twice at {}", event.version);
            }
            Body::ToolCancelRequested(requested) => {
                let open = self.attempts.get_mut(&(requested.action, requested.attempt)).expect("what must end is open");
                assert!(open.deadline.replace(requested.deadline).is_none(), "{} is to end twice", requested.action);
            }
            Body::DeliveryStarted(started) => drop(self.deliveries.insert(event.draft.id, self.answered[&started.key])),
            Body::DeliveryFinished(end) => assert!(self.deliveries.remove(&end.delivery).is_some(), "it is not open at {}", event.version),
            Body::DeliveryFailed(end) => assert!(self.deliveries.remove(&end.delivery).is_some(), "it is not open at {}", event.version),
            Body::ToolFinished(end) => self.end(end.action, end.attempt),
            Body::ToolCancelled(end) => self.end(end.action, end.attempt),
            Body::ToolUnknown(end) => self.end(end.action, end.attempt),
            _ => {}
        }
    }

    fn end(&mut self, action: ActionId, attempt: u16) {
        assert!(self.attempts.remove(&(action, attempt)).is_some(), "{action} attempt {attempt} ends and is not open");
    }

    /// Which message is to be prepared for is a matter of the inbox; everything else is counted here.
    fn compare(&self, state: &State) {
        let mut expected: Vec<String> = Vec::new();
        if let Some((request, attempt, _)) = self.model.filter(|(_, _, epoch)| *epoch == self.owner) {
            expected.push(format!("model {request} {attempt}"));
        }
        for ((action, attempt), open) in &self.attempts {
            let held_back = state.is_parked() && open.by < self.owner && !is_adopted(state, *action) && open.deadline.is_none();
            if held_back {
                continue;
            }
            let how = if open.by == self.owner { "start" } else { "recover" };
            expected.push(format!("{how} {action} {attempt}"));
            expected.extend(open.deadline.map(|deadline| format!("stop {action} {attempt} {}", deadline.0)));
        }
        let here = self.deliveries.iter().filter(|(_, machine)| **machine == self.machine);
        expected.extend(here.map(|(delivery, _)| format!("deliver {delivery}")));
        let mut found: Vec<String> = Agent::effects(state).iter().filter_map(line).collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "wanted at {}", state.version);
    }
}

fn line(effect: &Effect) -> Option<String> {
    match effect {
        Effect::Prepare(_) => None,
        Effect::Model { request, attempt } => Some(format!("model {request} {attempt}")),
        Effect::Start { action, attempt } => Some(format!("start {action} {attempt}")),
        Effect::Recover { action, attempt, .. } => Some(format!("recover {action} {attempt}")),
        Effect::Deliver(delivery) => Some(format!("deliver {delivery}")),
        Effect::Stop { action, attempt, deadline } => Some(format!("stop {action} {attempt} {}", deadline.0)),
    }
}
