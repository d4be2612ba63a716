//! How the processes that looked after all sessions ended, and whether the next one is held back: one that dies again and
//! again would start the same work again and again.

use contract::id::HostId;
use contract::limits::{UNCLEAN_STARTS_MAX, UNCLEAN_STARTS_WITHIN_MS};
use contract::units::Time;

/// Begun lives of one machine, one after the other: at most one process looks after all sessions at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lives {
    /// Starts that no stop followed, the oldest first. Those that cannot count any more are forgotten.
    open: Vec<(HostId, Time)>,
    /// How many had died before the last start, if that holds it back.
    held: Option<usize>,
}

impl Lives {
    pub(super) fn start(&mut self, host: HostId, at: Time) {
        self.held = self.held_back_from(at);
        self.open.retain(|(_, begun)| is_recent(*begun, at));
        self.open.push((host, at));
    }

    /// It let go of everything and said so.
    pub(super) fn stop(&mut self, host: HostId) {
        self.open.retain(|(begun, _)| *begun != host);
        self.held = None;
    }

    /// A person's word: what died before does not count any more.
    pub(super) fn release(&mut self) {
        *self = Lives::default();
    }

    /// How many had died before the one that runs now, if that one takes nothing by itself.
    #[must_use]
    pub fn held_back(&self) -> Option<usize> {
        self.held
    }

    /// How many have died, if one that started now would take nothing by itself; for when none runs.
    #[must_use]
    pub fn held_back_from(&self, now: Time) -> Option<usize> {
        let died = self.open.iter().filter(|(_, begun)| is_recent(*begun, now)).count();
        (died >= UNCLEAN_STARTS_MAX).then_some(died)
    }
}

/// A clock that was set back makes a start count for longer, never for shorter.
fn is_recent(begun: Time, now: Time) -> bool {
    now.0.saturating_sub(begun.0) < UNCLEAN_STARTS_WITHIN_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lives that began at these times, each of a host of its own, and died.
    fn died_at(starts: &[u64]) -> Lives {
        let mut lives = Lives::default();
        for (host, at) in (1..).zip(starts) {
            lives.start(HostId([host; 16]), Time(*at));
        }
        lives
    }

    const MINUTE: u64 = 60_000;

    #[test]
    fn the_start_after_three_deaths_within_ten_minutes_is_held_back() {
        for (starts, held) in [
            (&[0, 1, 2][..], None),
            (&[0, 1, 2, 3], Some(3)),
            (&[0, 1, 2, 3, 4], Some(4)),
            (&[0, 4 * MINUTE, 8 * MINUTE, 10 * MINUTE - 1], Some(3)),
            (&[0, 4 * MINUTE, 8 * MINUTE, 10 * MINUTE], None),
            // The clock was set back.
            (&[9, 8, 7, 0], Some(3)),
        ] {
            assert_eq!(died_at(starts).held_back(), held, "{starts:?}");
        }
    }

    #[test]
    fn without_one_that_runs_it_is_told_what_the_next_would_meet() {
        let lives = died_at(&[0, 1, 2]);
        assert_eq!((lives.held_back(), lives.held_back_from(Time(3))), (None, Some(3)));
        assert_eq!(lives.held_back_from(Time(10 * MINUTE)), None);
    }

    #[test]
    fn one_that_stopped_did_not_die() {
        let mut lives = died_at(&[0, 1, 2]);
        lives.stop(HostId([2; 16]));
        lives.start(HostId([9; 16]), Time(3));
        assert_eq!(lives.held_back(), None);
        lives.start(HostId([10; 16]), Time(4));
        assert_eq!(lives.held_back(), Some(3));
        lives.stop(HostId([10; 16]));
        assert_eq!((lives.held_back(), lives.held_back_from(Time(5))), (None, Some(3)), "the others died all the same");
    }

    #[test]
    fn a_person_lets_it_go_on_and_counting_begins_anew() {
        let mut lives = died_at(&[0, 1, 2, 3]);
        lives.release();
        assert_eq!((lives.held_back(), lives.held_back_from(Time(4))), (None, None));
        lives.start(HostId([9; 16]), Time(5));
        assert_eq!(lives.held_back(), None);
    }
}
