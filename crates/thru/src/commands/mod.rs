//! One file a command. Each opens what it needs, does one thing, and says how it ended by an exit code.

mod events;
mod follow;
mod resume;
mod run;
mod send;
mod status;
mod verify;

use crate::args::Command;
use crate::catalog::Problem;
use crate::fault::{Fault, code};
use crate::render;
use throughline::{Home, Throughline};

pub async fn run(command: Command) -> Result<u8, Fault> {
    match command {
        Command::Run(run) => run::run(run).await,
        Command::Resume { which, show } => resume::run(which, show).await,
        Command::Events { session, from, follow, json } => events::run(session, from, follow, json).await,
        Command::Verify { session, json } => verify::run(session, json).await,
        Command::Send { session, text, mode, key, json } => send::run(session, text, mode, key, json).await,
        Command::Status { session, json } => status::run(session, json).await,
        Command::Print(text) => {
            render::out(text.trim_end().as_bytes());
            Ok(code::DONE)
        }
    }
}

/// Opens a data folder that must have a log already; looking never makes one.
fn open_existing() -> Result<Throughline, Fault> {
    let home = Home::locate()?;
    // Whatever else is wrong with the folder is named by opening it.
    match std::fs::symlink_metadata(home.folder().join("journal.db")) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Fault::new(Problem::NoSessions)),
        Ok(_) | Err(_) => {}
    }
    Ok(Throughline::open(&home)?)
}
