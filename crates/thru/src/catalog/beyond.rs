//! What is said of what reaches beyond one session: rules that count for good, and money.

use super::en;
use contract::rule::Rule;

#[derive(Clone, Copy, Debug)]
pub enum BeyondLine<'a> {
    /// An answer makes its rule count in later sessions too.
    Delivering {
        rule: &'a Rule,
        folder: &'a str,
    },
    Delivered,
    NotDelivered {
        reason: &'a str,
    },
    StandingAdded {
        rule: &'a Rule,
        folder: &'a str,
        by: &'a str,
    },
    StandingRemoved {
        rule: &'a Rule,
        folder: &'a str,
        by: &'a str,
    },
    CostWarning {
        used: u64,
        threshold: u64,
    },
    SlowModel {
        waited_ms: u64,
    },
    DaySpent {
        used: u64,
        allowed: u64,
    },
}

#[must_use]
pub fn beyond_line(what: &BeyondLine<'_>) -> String {
    en::beyond_line(what)
}
