//! The numbers that order things. Each is its own type so that none is taken for another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Place of an event in its stream: dense, the first event is 1. Zero means "before the first".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Version(pub u64);

impl Version {
    pub const NONE: Version = Version(0);

    #[must_use]
    pub fn next(self) -> Version {
        Version(self.0 + 1)
    }

    #[must_use]
    pub fn plus(self, count: usize) -> Version {
        Version(self.0 + count as u64)
    }
}

/// Place of an event in the whole log: a total order over all streams, not dense.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Position(pub u64);

/// Number of an ownership of a stream. It only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Epoch(pub u64);

/// Milliseconds since 1970 in UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Time(pub u64);

impl Time {
    #[must_use]
    pub fn plus_ms(self, ms: u64) -> Time {
        Time(self.0.saturating_add(ms))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
