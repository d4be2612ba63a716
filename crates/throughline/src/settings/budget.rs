//! `[budget]`: what everything together may cost on a day, and what a person wants to be told of.

use contract::limits::SLOW_CALL_MS_DEFAULT;
use serde::Deserialize;

/// Millionths of the price unit.
const MICROS_PER_UNIT: f64 = 1_000_000.0;
/// More than anybody spends on a day.
const UNITS_MAX: f64 = 1_000_000_000.0;
/// Longer than any model is waited for.
const SECONDS_MAX: f64 = 86_400.0;

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct BudgetEntry {
    /// In units of the prices, since midnight in UTC.
    per_day: Option<f64>,
    /// Of one session.
    warn_cost: Option<f64>,
    /// Seconds without a word of the model; 0 is never.
    slow_call: Option<f64>,
}

/// What counts for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub per_day_micros: Option<u64>,
    pub warn_cost_micros: Option<u64>,
    pub slow_call_ms: Option<u64>,
}

impl BudgetEntry {
    pub(super) fn check(self) -> Result<(), String> {
        for (key, number, max) in
            [("per_day", self.per_day, UNITS_MAX), ("warn_cost", self.warn_cost, UNITS_MAX), ("slow_call", self.slow_call, SECONDS_MAX)]
        {
            if number.is_some_and(|number| !(0.0..=max).contains(&number)) {
                return Err(format!("budget.{key} must be between 0 and {max}"));
            }
        }
        Ok(())
    }

    pub(super) fn is_set(self) -> bool {
        self != BudgetEntry::default()
    }

    /// What is not set here is taken from the other.
    pub(super) fn or(self, other: BudgetEntry) -> BudgetEntry {
        BudgetEntry {
            per_day: self.per_day.or(other.per_day),
            warn_cost: self.warn_cost.or(other.warn_cost),
            slow_call: self.slow_call.or(other.slow_call),
        }
    }

    pub(super) fn budget(self) -> Budget {
        // Checked when the file was read.
        let micros = |units: f64| (units * MICROS_PER_UNIT).round() as u64;
        let ms = self.slow_call.map_or(SLOW_CALL_MS_DEFAULT, |seconds| (seconds * 1_000.0).round() as u64);
        Budget {
            per_day_micros: self.per_day.map(micros),
            warn_cost_micros: self.warn_cost.map(micros),
            slow_call_ms: Some(ms).filter(|ms| *ms > 0),
        }
    }
}
