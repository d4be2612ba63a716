//! What models used, by day and model. A call whose end nobody knows counts as all that it could have used.

use crate::work::{self, Charge};
use crate::{Seen, list};
use contract::units::Time;
use serde::{Deserialize, Serialize};

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CostRow {
    /// The beginning of the day, in UTC.
    pub day: Time,
    pub model: String,
    pub calls: u64,
    pub tokens: u64,
    /// Millionths of the price unit.
    pub cost_micros: u64,
    /// Calls of which nobody knows a price.
    pub unpriced: u64,
}

/// The beginning of the day that this time is in, in UTC.
#[must_use]
pub fn day_of(time: Time) -> Time {
    Time(time.0 / DAY_MS * DAY_MS)
}

pub fn see(seen: &mut Seen<'_>) {
    let Some(Charge { model, spend, priced }) = work::charge(seen) else { return };
    let day = day_of(seen.event.time);
    let key = format!("{}/{model}", day.0);
    let mut row = seen.get::<CostRow>(list::COSTS, &key).unwrap_or(CostRow { day, model, ..CostRow::default() });
    row.calls = row.calls.saturating_add(1);
    row.tokens = row.tokens.saturating_add(spend.tokens);
    row.cost_micros = row.cost_micros.saturating_add(spend.cost_micros);
    row.unpriced = row.unpriced.saturating_add(u64::from(!priced));
    seen.put(list::COSTS, &key, day.0, &row);
}
