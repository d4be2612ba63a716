//! What every action goes through: refused or decided, started by the owner of that moment, ended once and truthfully.

use contract::body::Body;
use contract::event::Event;
use contract::units::Epoch;
use std::collections::BTreeSet;

pub fn check(log: &[Event]) {
    attempts_and_runs_end_once(log);
    calls_are_decided_or_refused(log);
    what_may_have_run_is_never_called_not_run(log);
    only_the_owner_starts_and_adopts(log);
}

fn attempts_and_runs_end_once(log: &[Event]) {
    let (mut attempts, mut runs, mut actions) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for event in log {
        let fresh = match &event.draft.body {
            Body::ToolFinished(end) => attempts.insert((end.action, end.attempt)) & actions.insert(end.action),
            Body::ToolCancelled(end) => attempts.insert((end.action, end.attempt)),
            Body::ToolUnknown(end) => attempts.insert((end.action, end.attempt)),
            Body::ToolReconciled(end) => actions.insert(end.action),
            Body::ActionDecided(decided) => decided.replaces.is_none_or(|replaced| actions.insert(replaced)),
            Body::ActionWithdrawn(end) => end.action.is_none_or(|action| actions.insert(action)),
            Body::ToolStarted(started) => !actions.contains(&started.action),
            Body::RunFinished(end) => runs.insert(end.run),
            _ => true,
        };
        assert!(fresh, "{} at {} ends what has ended", event.draft.body.name(), event.version);
    }
}

/// A withdrawal names an action exactly when there was a decision, and what was refused never had one.
fn calls_are_decided_or_refused(log: &[Event]) {
    let (mut decided, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for event in log {
        let legal = match &event.draft.body {
            Body::ActionDecided(call) => {
                // A call is decided once, and again only in place of a decision that a person changed.
                let before = decided.iter().find(|(other, _)| *other == call.call).map(|(_, action)| *action);
                let legal = before == call.replaces && !refused.contains(&call.call);
                decided.retain(|(other, _)| *other != call.call);
                legal && decided.insert((call.call, call.action))
            }
            Body::ActionWithdrawn(call) => match call.action {
                Some(action) => decided.contains(&(call.call, action)) && call.reason != contract::body::WithdrawReason::Invalid,
                None => !decided.iter().any(|(other, _)| *other == call.call) && refused.insert(call.call),
            },
            _ => true,
        };
        assert!(legal, "{} at {} decides what was decided or refused", event.draft.body.name(), event.version);
    }
}

fn what_may_have_run_is_never_called_not_run(log: &[Event]) {
    let mut lost = BTreeSet::new();
    for event in log {
        match &event.draft.body {
            Body::ToolUnknown(unknown) => drop(lost.insert(unknown.action)),
            Body::ActionWithdrawn(call) => {
                assert!(call.action.is_none_or(|action| !lost.contains(&action)), "{} at {} may have run", call.call, event.version);
            }
            Body::ToolReconciled(end) => assert!(lost.contains(&end.action), "the action that ends at {} was not lost", event.version),
            _ => {}
        }
    }
}

/// Of every attempt and owner there is at most one adoption.
fn only_the_owner_starts_and_adopts(log: &[Event]) {
    let (mut owner, mut adopted) = (Epoch::default(), BTreeSet::new());
    for event in log {
        let legal = match &event.draft.body {
            Body::OwnerTaken(taken) => std::mem::replace(&mut owner, taken.epoch) < taken.epoch,
            Body::ModelRequested(requested) => requested.epoch == owner,
            Body::ToolStarted(started) => started.epoch == owner,
            Body::ToolAdopted(call) => call.epoch == owner && adopted.insert((call.action, call.attempt, call.epoch)),
            _ => true,
        };
        assert!(legal, "{} at {} is not of the owner {owner}, or said twice", event.draft.body.name(), event.version);
    }
}
