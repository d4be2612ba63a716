//! A run that has used up its time or the money of the day, or that repeats itself, waits for a person.

use super::{finish, park};
use crate::draft::Drafts;
use crate::ledger::{self, Reached};
use crate::state::State;
use contract::ask::{LimitKind, Subject};
use contract::body::DaySpend;
use contract::limits::REPEATS_MAX;
use contract::units::Time;

pub fn step(state: &State, now: Time, drafts: &mut Drafts<'_>) {
    let Some(run) = state.run.as_ref().filter(|run| !finish::is_over(state, run)) else {
        return;
    };
    if run.repeats.count >= REPEATS_MAX {
        let count = u64::from(run.repeats.count);
        return open(state, drafts, Reached { limit: LimitKind::Loop, used: count, allowed: REPEATS_MAX.into() });
    }
    if let Some(DaySpend { used, allowed }) = run.day.refused {
        return open(state, drafts, Reached { limit: LimitKind::Day, used, allowed });
    }
    let out_of_time = ledger::out_of_time(run, now).filter(|_| !state.waits_for_person());
    if let Some(reached) = out_of_time {
        open(state, drafts, reached);
    }
}

/// Asks whether this limit may be extended.
pub(super) fn open(state: &State, drafts: &mut Drafts<'_>, reached: Reached) {
    let Reached { limit, used, allowed } = reached;
    park::open(state, drafts, Subject::Limit { limit, used, allowed });
}
