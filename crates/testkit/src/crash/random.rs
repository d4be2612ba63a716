//! Kills at any moment, not only between two steps that have a name.

use super::desk::{Desk, Harm};
use super::fault::Fault;
use super::person::{Next, see_through};
use crate::dice::Dice;
use std::time::Duration;

/// A process of the job takes about this long on a machine that is busy with others.
const MOMENT_MAX_MS: u64 = 400;
/// Kills of one job at most.
const KILLS_MAX: usize = 5;

pub fn run(desk: &Desk<'_>, seed: u64, number: u64) -> Result<(), Fault> {
    let mut dice = Dice::new(seed, number);
    let mut goes_on = true;
    see_through(desk, Next::Run, |process| {
        // The first process is always hit, and after each kill every second recovery is hit too.
        goes_on = process == 0 || (goes_on && process < KILLS_MAX && dice.below(2) == 0);
        if !goes_on {
            return Harm::None;
        }
        let after = Duration::from_millis(dice.below(MOMENT_MAX_MS));
        let (owner, supervisors) = [(true, false), (true, false), (false, true), (true, true)][dice.below(4) as usize];
        Harm::Kill { after, owner, supervisors }
    })
}
