//! One file a command. Each opens what it needs, does one thing, and says how it ended by an exit code.

mod asks;
mod attach;
mod auth;
mod bundle;
mod choose;
mod cost;
mod daemon;
mod doctor;
mod events;
mod follow;
mod fork;
mod keyboard;
mod models;
mod policy;
mod reader;
mod resume;
mod run;
mod send;
mod signals;
mod status;
mod stop;
#[cfg(test)]
mod testing;
mod trust;
mod typed;
mod verify;

use crate::args::Command;
use crate::catalog::{Line, Problem, line};
use crate::fault::{Fault, code};
use crate::render::{self, Screen};
use contract::body::Principal;
use throughline::{Home, Options, Sandboxing, Throughline};

pub async fn run(command: Command) -> Result<u8, Fault> {
    match command {
        Command::Run(run) => run::run(*run).await,
        Command::Resume { which, show, on_ask, sandboxing } => resume::run(which, show, on_ask, sandboxing).await,
        Command::Events { session, from, follow, json } => events::run(session, from, follow, json).await,
        Command::Verify { session, json } => verify::run(session, json).await,
        Command::Fork(fork) => fork::run(fork).await,
        Command::Export { session, dir, json } => bundle::export(session, &dir, json).await,
        Command::Import { dir, json } => bundle::import(&dir, json).await,
        Command::Doctor { fix, json } => doctor::run(fix, json).await,
        Command::Auth(auth) => auth::run(auth),
        Command::Models(models) => models::run(models).await,
        Command::Policy(policies) => policy::run(policies).await,
        Command::Trust(trust) => trust::run(trust),
        Command::Send(send) => send::run(send).await,
        Command::Attach { session, show, sandboxing } => attach::run(session, show, sandboxing).await,
        Command::Daemon { json, sandboxing } => daemon::run(json, sandboxing).await,
        Command::Status { what, after, json } => status::run(what, after, json).await,
        Command::Cost { after, json } => cost::run(after, json).await,
        Command::Approvals { session, after, json } => asks::list(session, after, json).await,
        Command::Approve(approve) => asks::approve(approve).await,
        Command::Deny(deny) => asks::deny(deny).await,
        Command::Stop { session, scope, json } => stop::stop(session, scope, json).await,
        Command::Pause { session, json } => stop::pause(session, json).await,
        Command::Print(text) => {
            render::out(text.trim_end().as_bytes());
            Ok(code::DONE)
        }
    }
}

/// Whoever uses this machine's account.
fn local() -> Principal {
    Principal("local".to_owned())
}

/// Opens a data folder that must have a log already; looking never makes one.
fn open_existing() -> Result<Throughline, Fault> {
    open_existing_with(Sandboxing::On)
}

fn open_existing_with(sandboxing: Sandboxing) -> Result<Throughline, Fault> {
    let home = Home::locate()?;
    if has_log(&home) { open_with(&home, sandboxing) } else { Err(Fault::new(Problem::NoSessions)) }
}

/// Whatever else is wrong with the folder is named by opening it.
fn has_log(home: &Home) -> bool {
    match std::fs::symlink_metadata(home.folder().join("journal.db")) {
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        Ok(_) => true,
    }
}

fn open_with(home: &Home, sandboxing: Sandboxing) -> Result<Throughline, Fault> {
    Ok(Throughline::open_with(home, Options { sandboxing, ..Options::default() })?)
}

/// Says at the start what else only the calls would say.
fn warn_without_sandbox(screen: &Screen, sandboxing: Sandboxing) {
    match sandboxing {
        Sandboxing::On => {}
        Sandboxing::Off => screen.notice(&line(&Line::NoSandbox)),
    }
}
