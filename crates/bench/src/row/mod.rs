//! The rows, in the order of the table.

mod append;
mod bytes;
mod flat;
mod fold;
mod memory;
mod parallel;
mod parked;
mod recover;
mod start;
mod step;

use crate::problem::Problem;
use crate::table::Line;
use crate::world::World;

/// A row of the table.
pub struct Row {
    pub name: &'static str,
    pub measure: fn(&World) -> Result<Vec<Line>, Problem>,
}

pub const ALL: &[Row] = &[
    Row { name: "start", measure: start::measure },
    Row { name: "step", measure: step::measure },
    Row { name: "flat", measure: flat::measure },
    Row { name: "memory", measure: memory::measure },
    Row { name: "append", measure: append::measure },
    Row { name: "fold", measure: fold::measure },
    Row { name: "recover", measure: recover::measure },
    Row { name: "parked", measure: parked::measure },
    Row { name: "parallel", measure: parallel::measure },
    Row { name: "bytes", measure: bytes::measure },
];
