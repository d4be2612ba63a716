//! Properties of everything the searches reach, and of everything that reads what was stored or typed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail like tests")]

mod forks;
mod lists;
mod parsers;
mod prefixes;
mod soundness;

use testkit::scenario::{Scenario, all};

/// Scenarios of `make explore` by name.
fn scenarios(names: &[&str]) -> Vec<Scenario> {
    let found: Vec<Scenario> = all().into_iter().filter(|scenario| names.contains(&scenario.name)).collect();
    assert_eq!(found.len(), names.len(), "{names:?}");
    found
}
