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
#[expect(clippy::panic, reason = "it is how a test fails that waited in vain")]
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    let Some(found) = within(DEADLINE, look) else { panic!("waited {DEADLINE:?} for {what}") };
    found
}

/// Looks until `look` finds something, for as long as it may take.
pub fn within<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        let left = time.checked_sub(began.elapsed())?;
        std::thread::park_timeout(PAUSE.min(left));
    }
}
