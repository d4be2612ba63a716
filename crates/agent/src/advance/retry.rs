//! A model call that failed in passing is made again after a pause that grows.

use crate::draft::{About, Drafts};
use crate::state::{Retry, State};
use contract::body::ModelRetrying;
use contract::id::{EventId, derive};
use contract::limits::{BACKOFF_FIRST_MS, BACKOFF_LAST_MS, RETRY_AFTER_MS_MAX};
use contract::units::Time;

pub fn step(state: &State, now: Time, drafts: &mut Drafts<'_>) {
    let Some(run) = state.run.as_ref().filter(|run| run.stop.is_none()) else { return };
    if let Retry::Wanted { request, retry_after_ms } = run.retry {
        let pause = pause_ms(request, run.failures, retry_after_ms);
        drafts.intent(About::agent(request), ModelRetrying { request, at: now.plus_ms(pause) });
    }
}

/// What the provider asked for, else a pause that doubles, a quarter more or less by the name of the call: derived and
/// not drawn, so that every owner computes the same, and spread, so that many sessions do not come back at once.
fn pause_ms(request: EventId, failures: u16, retry_after_ms: Option<u64>) -> u64 {
    let doubled = BACKOFF_FIRST_MS.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(BACKOFF_LAST_MS);
    let [dice, ..] = derive("jitter", &[&request.0, &failures.to_be_bytes()]);
    let spread = doubled / 2 * u64::from(dice) / 255;
    let own = doubled - doubled / 4 + spread;
    retry_after_ms.map_or(own, |asked| asked.min(RETRY_AFTER_MS_MAX).max(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_up_to_its_limit_and_stays_within_a_quarter() {
        for seed in 0..=255 {
            let request = EventId([seed; 16]);
            for (failures, middle) in [(1, 1_000), (2, 2_000), (3, 4_000), (6, 30_000), (60, 30_000)] {
                let pause = pause_ms(request, failures, None);
                assert!((middle - middle / 4..=middle + middle / 4).contains(&pause), "{failures}: {pause}");
            }
        }
    }

    #[test]
    fn what_the_provider_asks_is_kept_unless_it_is_absurd() {
        let request = EventId([1; 16]);
        assert_eq!(pause_ms(request, 1, Some(7_000)), 7_000);
        assert_eq!(pause_ms(request, 1, Some(u64::MAX)), RETRY_AFTER_MS_MAX);
        assert_eq!(pause_ms(request, 1, Some(0)), pause_ms(request, 1, None));
    }
}
