//! The search: from every world every move, each world once. Any number of crashes is covered, also during recovery,
//! because a world after a crash is a world like any other.

use crate::canon::Canon;
use crate::monitor::Violation;
use crate::scenario::Scenario;
use crate::world::{Move, World};
use contract::event::Event;
use std::collections::{BTreeSet, VecDeque};
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

/// A violation, how to get there, and what the log holds then.
#[derive(Debug)]
pub struct Found {
    pub violation: Violation,
    pub moves: Vec<Move>,
    pub events: Arc<Vec<Arc<Event>>>,
}

/// A world is reached.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    pub world: &'a World,
    /// No world with the same canonical form was reached before.
    pub is_new: bool,
}

/// A world that is still to be left, what can happen in it, and its place among the steps.
struct Open {
    world: World,
    moves: Vec<Move>,
    step: usize,
}

/// How a world was reached: by this move from the world of an earlier step.
struct Step {
    from: usize,
    by: Move,
}

/// In which order worlds are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Keeps few worlds in memory.
    DepthFirst,
    /// Finds the shortest way to a violation.
    BreadthFirst,
}

/// Explores until everything is seen or an invariant fails. `watch` is shown every world each time.
#[must_use]
pub fn explore(scenario: &Scenario, watch: impl FnMut(Visit<'_>)) -> Report {
    explore_by(Order::DepthFirst, scenario, watch)
}

#[must_use]
pub fn explore_by(order: Order, scenario: &Scenario, mut watch: impl FnMut(Visit<'_>)) -> Report {
    let mut report = Report::default();
    let mut seen = Seen::default();
    let mut steps: Vec<Step> = Vec::new();
    let first = World::new(Arc::new(scenario.clone()));
    seen.add(&first);
    let moves = first.moves();
    let mut worlds = VecDeque::from([Open { world: first, moves, step: 0 }]);
    while let Some(mut open) = order.next(&mut worlds) {
        let Some(a_move) = open.moves.pop() else { continue };
        let step = open.step;
        // The last move of a world needs no copy of it.
        let mut world = if open.moves.is_empty() {
            open.world
        } else {
            let world = open.world.clone();
            order.put_back(&mut worlds, open);
            world
        };
        report.edges += 1;
        let reached = world.play(a_move).and_then(|()| {
            let is_new = seen.add(&world);
            let moves = if is_new { world.moves() } else { Vec::new() };
            // Worlds with one canonical form have one answer, so each is checked once.
            if is_new { world.check(&moves).map(|()| (is_new, moves)) } else { Ok((is_new, moves)) }
        });
        let (is_new, moves) = match reached {
            Ok(reached) => reached,
            Err(violation) => {
                report.violation = Some(Found { violation, moves: trail(&steps, step, a_move), events: world.log.events });
                break;
            }
        };
        watch(Visit { world: &world, is_new });
        if is_new {
            steps.push(Step { from: step, by: a_move });
            worlds.push_back(Open { world, moves, step: steps.len() });
        }
    }
    report.states = seen.durable.len();
    report.worlds = seen.worlds.len();
    report
}

impl Order {
    fn next(self, worlds: &mut VecDeque<Open>) -> Option<Open> {
        match self {
            Order::DepthFirst => worlds.pop_back(),
            Order::BreadthFirst => worlds.pop_front(),
        }
    }

    fn put_back(self, worlds: &mut VecDeque<Open>, open: Open) {
        match self {
            Order::DepthFirst => worlds.push_back(open),
            Order::BreadthFirst => worlds.push_front(open),
        }
    }
}

#[derive(Default)]
struct Seen {
    durable: BTreeSet<Canon>,
    worlds: BTreeSet<Canon>,
}

impl Seen {
    /// Whether the world is new.
    fn add(&mut self, world: &World) -> bool {
        let (durable, whole) = world.canon();
        let is_new = self.worlds.insert(whole);
        if is_new {
            self.durable.insert(durable);
        }
        is_new
    }
}

fn trail(steps: &[Step], mut step: usize, last: Move) -> Vec<Move> {
    let mut moves = vec![last];
    while step > 0 {
        let Step { from, by } = &steps[step - 1];
        moves.push(*by);
        step = *from;
    }
    moves.reverse();
    moves
}
