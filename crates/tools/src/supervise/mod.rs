//! The process supervisor: one small process above every command, which outlives the owner that started it.
//!
//! Owns the life of a command from claim to exit record. Two sides meet in the spool folder of an attempt: the
//! supervisor itself (`shift` and what it uses; single-threaded, no tokio; a copy of the owner's `forker`) and its
//! [`client`] inside the owner. A supervisor whose command is over waits for the next one, as long as its owner lives.
//! Must not know tools, outcomes of the contract, or anything about approval.
//!
//! Files of a spool folder: `claim` (who runs it and how it ended, see [`claim`]), `output` and `tail` (see [`output`]),
//! `control` (a socket), `terminal` (see `session`; only of a command that has one). Nothing is fsynced: after another boot only a whole exit record counts.
//!
//! A command runs in a [`room`], and everything in it dies with its supervisor. Without one, the command itself dies with
//! its supervisor by a parent-death signal; its own children do not get that signal, and when the supervisor was killed,
//! recovery ends whatever is left in the supervisor's session, or in that of a terminal, before it reports. A process that has no room, made a
//! session of its own *and* lost its supervisor to SIGKILL is the one thing that escapes.

mod child;
pub mod claim;
pub mod client;
mod control;
mod execute;
mod folder;
mod forker;
mod input;
pub mod launch;
pub mod output;
mod pass;
mod proc;
mod raw;
mod room;
mod run;
pub(crate) mod session;
mod shift;
mod spec;
pub mod survey;
#[cfg(test)]
mod tests;
mod tree;

pub use folder::Folder;
pub(crate) use room::is_kept;
pub use spec::{Command, Exit, Fitted, Spec, Streams, Walls, Way};

use std::ffi::OsStr;
use std::path::Path;

/// The name under which the program is executed again to become a supervisor.
pub const ARGV0: &str = "thru-supervise";

/// Whether this process was started as a supervisor; the binary asks before it does anything else.
#[must_use]
pub fn is_supervisor() -> bool {
    let name = std::env::args_os().next();
    name.as_deref().and_then(|argv0| Path::new(argv0).file_name()) == Some(OsStr::new(ARGV0))
}

/// The whole life of the process that becomes supervisors; its orders come over standard input, which is a socket. To be
/// called before the process has opened anything or started a thread.
pub fn main() -> ! {
    // Executed again inside a room that somebody else has made.
    if std::env::args_os().nth(1).is_some_and(|word| word == room::INSIDE) {
        room::serve_inside();
    }
    raw::exit_at_once(forker::serve())
}
