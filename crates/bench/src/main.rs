//! `make bench`: what things cost, each beside what they cost without this program, in one run.
//!
//! Owns the rows, their sizes and the table. Must not be timed by a test: figures depend on the machine and on who else
//! uses it. Both sides of a row are measured by turns (A B A B …) and compared by their medians, so that noise meets
//! both. A row that needs what is not built yet says so and gives no figure.

#![allow(clippy::print_stdout, reason = "its table is its purpose")]
#![allow(clippy::disallowed_methods, reason = "a sampler sleeps between two looks at a process that cannot tell it anything")]

mod cli;
mod floor;
mod job;
mod many;
mod problem;
mod process;
mod row;
mod seed;
mod server;
mod size;
mod stats;
mod table;
mod wanted;
mod world;

use problem::Problem;
use std::process::ExitCode;
use world::World;

fn main() -> ExitCode {
    // Sessions that are driven inside this process start their supervisors from its own program.
    if throughline::supervisor::is_supervisor() {
        throughline::supervisor::main();
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Problem::Usage(usage)) => {
            println!("{usage}");
            ExitCode::from(2)
        }
        Err(problem) => {
            println!("bench: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Problem> {
    let wanted = cli::parse(std::env::args().skip(1))?;
    let world = World::new(&wanted)?;
    process::adopt_orphans()?;
    println!("{}", world.about());
    let mut lines = Vec::new();
    for row in row::ALL.iter().filter(|row| wanted.wants(row.name)) {
        let measured = (row.measure)(&world)?;
        for line in measured {
            println!("{}", line.short(row.name));
            lines.push((row.name, line));
        }
    }
    println!("\n{}\n{}", table::table(&lines), world.about());
    Ok(())
}
