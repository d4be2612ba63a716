//! What every ask and every wait goes through: opened once, ended once, never early.

use contract::ask::{Ask, Subject};
use contract::body::Body;
use contract::event::Event;
use contract::id::{ActionId, AskId, TimerId};
use contract::units::Time;
use std::collections::{BTreeMap, BTreeSet};

pub fn check(log: &[Event]) {
    asks_end_once(log);
    waits_end_once_and_never_early(log);
    a_call_is_asked_about_before_it_starts(log);
}

fn asks_end_once(log: &[Event]) {
    let (mut open, mut seen): (BTreeMap<AskId, &Ask>, BTreeSet<AskId>) = (BTreeMap::new(), BTreeSet::new());
    for event in log {
        let at = format!("{} at {}", event.draft.body.name(), event.version);
        let ended = match &event.draft.body {
            Body::AskOpened(opened) => {
                assert!(seen.insert(opened.ask.ask), "{at} opens what was open");
                open.insert(opened.ask.ask, &opened.ask);
                continue;
            }
            Body::AskAnswered(answered) => answered.ask,
            Body::AskExpired(expired) => expired.ask,
            Body::AskSuperseded(superseded) => superseded.ask,
            _ => continue,
        };
        let ask = open.remove(&ended).unwrap_or_else(|| panic!("{at} ends what is not open"));
        assert_eq!(event.draft.call, ask.subject.call(), "{at} is about another call");
        match &event.draft.body {
            Body::AskAnswered(answered) => {
                assert!(ask.until.is_none_or(|until| event.time < until), "{at} is too late");
                assert!(answered.answer.fits(ask.subject.kind()), "{at} is no answer to it");
                assert!(answered.rule.is_none() || matches!(ask.subject, Subject::Tool { .. }), "{at} allows what nobody asked");
            }
            Body::AskExpired(_) => assert!(ask.until.is_some_and(|until| event.time >= until), "{at} is too early"),
            _ => {}
        }
    }
}

fn waits_end_once_and_never_early(log: &[Event]) {
    let (mut open, mut seen): (BTreeMap<TimerId, Time>, BTreeSet<ActionId>) = (BTreeMap::new(), BTreeSet::new());
    for event in log {
        let at = format!("{} at {}", event.draft.body.name(), event.version);
        match &event.draft.body {
            Body::TimerSet(set) => {
                assert!(seen.insert(set.action), "{at} lets a call wait twice");
                open.insert(set.timer, set.at);
            }
            Body::TimerFired(fired) => {
                let due = open.remove(&fired.timer).unwrap_or_else(|| panic!("{at} is not waited for"));
                assert!(event.time >= due, "{at} is too early");
            }
            Body::TimerCancelled(cancelled) => assert!(open.remove(&cancelled.timer).is_some(), "{at} is not waited for"),
            _ => {}
        }
    }
}

/// While a call is asked about, nothing of it begins or is withdrawn.
fn a_call_is_asked_about_before_it_starts(log: &[Event]) {
    let mut held: BTreeMap<AskId, ActionId> = BTreeMap::new();
    for event in log {
        let begins = match &event.draft.body {
            Body::AskOpened(opened) => {
                if let Subject::Tool { action, .. } | Subject::Question { action, .. } | Subject::Reconcile { action, .. } =
                    &opened.ask.subject
                {
                    held.insert(opened.ask.ask, *action);
                }
                None
            }
            Body::AskAnswered(ended) => held.remove(&ended.ask).and(None),
            Body::AskExpired(ended) => held.remove(&ended.ask).and(None),
            Body::AskSuperseded(ended) => held.remove(&ended.ask).and(None),
            Body::ToolStarted(started) => Some(started.action),
            Body::TimerSet(set) => Some(set.action),
            Body::ActionWithdrawn(withdrawn) => withdrawn.action,
            Body::ToolReconciled(reconciled) => Some(reconciled.action),
            _ => None,
        };
        let early = begins.is_some_and(|action| held.values().any(|other| *other == action));
        assert!(!early, "{} at {} does not wait for the answer", event.draft.body.name(), event.version);
    }
}
