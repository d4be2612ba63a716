//! Kills at any moment, not only between two steps that have a name.

use super::desk::{Desk, Harm};
use super::fault::Fault;
use super::person::{Next, see_through};
use std::time::Duration;

/// A process of the job takes about this long on a machine that is busy with others.
const MOMENT_MAX_MS: u64 = 400;
/// Kills of one job at most.
const KILLS_MAX: usize = 5;

/// A small generator: the same seed gives the same kills on every machine.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64, number: u64) -> Dice {
        let mut dice = Dice(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        dice.below(1);
        dice
    }

    /// A number from 0 on.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}

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
