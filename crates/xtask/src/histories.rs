//! The golden histories: written once, checked for ever.

use crate::offence::{Offence, report};
use crate::problem::Problem;

const WHY: &str = "a log that was ever written must be read for ever";

/// Writes the files that are missing; those that exist stay as they are.
pub fn write_new() -> Result<(), Problem> {
    let written = histories::write_new(&histories::folder()).map_err(|fault| Problem::malformed("a history", fault))?;
    for file in &written {
        println!("histories: wrote {file}");
    }
    check()
}

/// Writes the whole states that the fold of today gives; logs and what they mean stay as they are.
pub fn write_states() -> Result<(), Problem> {
    let written = histories::write_states(&histories::folder()).map_err(|fault| Problem::malformed("a history", fault))?;
    for file in &written {
        println!("histories: wrote {file}");
    }
    check()
}

pub fn check() -> Result<(), Problem> {
    let faults = histories::check(&histories::folder());
    report("histories", faults.into_iter().map(|fault| Offence::new(fault.history, fault.what, WHY)).collect())
}
