//! A person is told of what a session has cost before a limit stands in its way.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::{BudgetWarned, Warning};
use contract::units::Time;

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    let Some(run) = state.run.as_ref().filter(|run| !run.warned.cost) else { return };
    let used = state.ledger.spent.cost_micros;
    if let Some(threshold) = run.config.warn_cost_micros.filter(|threshold| used > *threshold) {
        let cause = state.reply.as_ref().map_or(run.started, |reply| reply.completed);
        drafts.intent(About::system(Some(cause)), BudgetWarned { warning: Warning::Cost { used, threshold } });
    }
}
