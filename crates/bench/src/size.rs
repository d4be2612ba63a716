//! How much of everything is done.

/// The size of every row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Repetitions of each side of a row that starts processes.
    pub rounds: usize,
    /// Steps of the short and the long job, whose difference is divided by the steps between.
    pub steps: (u32, u32),
    /// Rounds and steps of the job that shows whether a step stays as cheap.
    pub flat: (usize, u32),
    /// Turns of each side, and appends of each turn.
    pub appends: (usize, usize),
    /// Times that a log is folded, and opened.
    pub folds: usize,
    /// Sessions of the big log, and how many of them were at work.
    pub recover: (usize, usize),
    /// Whether the caches of the kernel are dropped, which everybody on the machine feels.
    pub cold: bool,
    pub parked: usize,
    /// Jobs at once, and steps of each.
    pub parallel: (usize, u32),
}

impl Size {
    pub const FULL: Size = Size {
        rounds: 15,
        steps: (20, 100),
        flat: (3, 1_000),
        appends: (15, 300),
        folds: 200,
        recover: (10_000, 100),
        cold: true,
        parked: 10_000,
        parallel: (64, 100),
    };
    pub const QUICK: Size = Size {
        rounds: 5,
        steps: (20, 100),
        flat: (1, 400),
        appends: (7, 100),
        folds: 50,
        recover: (1_000, 10),
        cold: true,
        parked: 1_000,
        parallel: (16, 25),
    };
    pub const TINY: Size = Size {
        rounds: 1,
        steps: (1, 3),
        flat: (1, 8),
        appends: (1, 4),
        folds: 2,
        recover: (4, 2),
        cold: false,
        parked: 4,
        parallel: (2, 2),
    };
}
