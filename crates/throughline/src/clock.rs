//! The clock of the system, the only place that asks for the time.

use contract::port::Clock;
use contract::units::Time;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock adapter")]
    fn now(&self) -> Time {
        // A clock before 1970 is wrong; time in the log then stands still until it is set.
        Time(SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_millis() as u64).unwrap_or_default())
    }
}
