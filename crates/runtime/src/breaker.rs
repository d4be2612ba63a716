//! Models that keep failing are left alone for a while, by all sessions of this process together.
//!
//! Closed: every call goes out. Open: none, until the time is over. Half open: calls go out, the first failure opens it
//! again, enough successes close it.

use contract::limits::{BREAKER_CLOSING_SUCCESSES, BREAKER_FAILURES_MAX, BREAKER_OPEN_MS};
use contract::units::Time;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

#[derive(Debug, Default)]
pub struct Breakers {
    by_model: Mutex<BTreeMap<String, Breaker>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaker {
    Closed { failures: u32 },
    Open { until: Time },
    HalfOpen { successes: u32 },
}

impl Breakers {
    /// How long the model is still left alone, if it is.
    pub fn open_for_ms(&self, model: &str, now: Time) -> Option<u64> {
        self.with(model, |breaker| match *breaker {
            Breaker::Open { until } if now < until => Some(until.0 - now.0),
            Breaker::Open { .. } => {
                *breaker = Breaker::HalfOpen { successes: 0 };
                None
            }
            Breaker::Closed { .. } | Breaker::HalfOpen { .. } => None,
        })
    }

    /// Notes how a call to the model ended. Failures that are not the model's fault count as success here.
    pub fn note(&self, model: &str, ok: bool, now: Time) {
        self.with(model, |breaker| *breaker = breaker.after(ok, now));
    }

    fn with<T>(&self, model: &str, look: impl FnOnce(&mut Breaker) -> T) -> T {
        let mut all = self.by_model.lock().unwrap_or_else(PoisonError::into_inner);
        look(all.entry(model.to_owned()).or_insert(Breaker::Closed { failures: 0 }))
    }
}

impl Breaker {
    fn after(self, ok: bool, now: Time) -> Breaker {
        let open = Breaker::Open { until: now.plus_ms(BREAKER_OPEN_MS) };
        match (self, ok) {
            (Breaker::Closed { .. }, true) => Breaker::Closed { failures: 0 },
            (Breaker::Closed { failures }, false) if failures + 1 >= BREAKER_FAILURES_MAX => open,
            (Breaker::Closed { failures }, false) => Breaker::Closed { failures: failures + 1 },
            (Breaker::HalfOpen { successes }, true) if successes + 1 >= BREAKER_CLOSING_SUCCESSES => Breaker::Closed { failures: 0 },
            (Breaker::HalfOpen { successes }, true) => Breaker::HalfOpen { successes: successes + 1 },
            (Breaker::HalfOpen { .. }, false) => open,
            // A call that went out before it opened.
            (Breaker::Open { until }, _) => Breaker::Open { until },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(breakers: &Breakers, ends: &[bool], now: Time) -> Option<u64> {
        ends.iter().for_each(|ok| breakers.note("m", *ok, now));
        breakers.open_for_ms("m", now)
    }

    #[test]
    fn it_opens_after_failures_in_a_row_and_only_for_that_model() {
        let breakers = Breakers::default();
        let now = Time(1_000);
        assert_eq!(after(&breakers, &[false, false, false, false, true], now), None, "a success in between");
        assert_eq!(after(&breakers, &[false; 4], now), None);
        assert_eq!(after(&breakers, &[false], now), Some(BREAKER_OPEN_MS));
        assert_eq!(breakers.open_for_ms("other", now), None);
    }

    #[test]
    fn after_its_time_one_failure_opens_it_again_and_successes_close_it() {
        let breakers = Breakers::default();
        after(&breakers, &[false; 5], Time(0));
        let later = Time(BREAKER_OPEN_MS);
        assert_eq!(breakers.open_for_ms("m", later), None, "half open");
        assert_eq!(after(&breakers, &[true, false], later), Some(BREAKER_OPEN_MS));
        let latest = Time(2 * BREAKER_OPEN_MS);
        assert_eq!(breakers.open_for_ms("m", latest), None);
        assert_eq!(after(&breakers, &[true, true, false, false, false, false], latest), None, "closed: it counts anew");
    }
}
