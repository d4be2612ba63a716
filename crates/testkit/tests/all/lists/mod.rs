//! The lists hold what the fold of the same log holds, for every prefix of every history, and never fail.

mod rows;
mod totals;
