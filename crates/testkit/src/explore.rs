//! The search: from every world every move, each world once. Any number of crashes is covered, also during recovery,
//! because a world after a crash is a world like any other.

use crate::canon::{Canon, canon};
use crate::monitor::Violation;
use crate::scenario::Scenario;
use crate::world::{Move, Trail, World};
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Report {
    /// Distinct durable states.
    pub states: usize,
    /// Distinct states of durable and living parts together.
    pub worlds: usize,
    pub edges: usize,
    pub violation: Option<Found>,
}

/// A violation and how to get there.
#[derive(Debug)]
pub struct Found {
    pub violation: Violation,
    pub moves: Vec<Move>,
}

/// Explores until everything is seen or an invariant fails.
#[must_use]
pub fn explore(scenario: &Scenario, mut watch: impl FnMut(&World)) -> Report {
    let mut report = Report::default();
    let mut worlds: BTreeSet<Canon> = BTreeSet::new();
    let mut durable: BTreeSet<Canon> = BTreeSet::new();
    let first = World::new(Arc::new(scenario.clone()));
    worlds.insert(canon(&first));
    let mut stack = vec![first];
    while let Some(world) = stack.pop() {
        if durable.insert(canon(&world.durable())) {
            watch(&world);
        }
        for a_move in world.moves() {
            let mut next = world.clone();
            report.edges += 1;
            if let Err(violation) = next.play(a_move) {
                report.violation = Some(Found { violation, moves: trail(next.trail.as_deref()) });
                report.states = durable.len();
                report.worlds = worlds.len();
                return report;
            }
            if worlds.insert(canon(&next)) {
                stack.push(next);
            }
        }
    }
    report.states = durable.len();
    report.worlds = worlds.len();
    report
}

fn trail(mut last: Option<&Trail>) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Some(trail) = last {
        moves.push(trail.last);
        last = trail.before.as_deref();
    }
    moves.reverse();
    moves
}
