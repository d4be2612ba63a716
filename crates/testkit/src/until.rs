//! The one way in which tests wait: for something to become true, with one deadline.

use std::time::{Duration, Instant};

/// Longer than anything takes on a loaded machine; reaching it is a failure, never a way to pass.
pub const DEADLINE: Duration = Duration::from_secs(60);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks until `look` finds something.
///
/// # Panics
/// When the deadline passes first; `what` says what was waited for.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < DEADLINE, "waited {DEADLINE:?} for {what}");
        std::thread::park_timeout(PAUSE);
    }
}
