//! Chance that can be repeated: the same seed gives the same throws on every machine.

#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The throws of one of many cases under a seed.
    #[must_use]
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
