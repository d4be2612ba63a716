//! How a command is executed, in a room or without one.

use super::raw;
use super::spec::{Spec, Streams};
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// The ends of its streams that a command gets.
#[derive(Debug)]
pub(super) struct Theirs {
    pub output: OwnedFd,
    pub input: Option<OwnedFd>,
}

/// Whether commands end with this process by themselves, as all do in a pid namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    WithNamespace,
    BySignal,
}

/// Starts it as the first of a process group of its own. An error means that nothing was executed.
pub(super) fn spawn(spec: &Spec, theirs: Theirs, ends: Ends) -> io::Result<Child> {
    let program = spec.argv.first().map_or(OsStr::new(""), |program| program.as_os_str());
    let mut command = Command::new(program);
    command
        .args(spec.argv.iter().skip(1))
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&spec.folder)
        .stdin(theirs.input.map_or_else(Stdio::null, Stdio::from))
        .stdout(theirs.output.try_clone()?)
        .stderr(theirs.output);
    match spec.streams {
        Streams::Output | Streams::Both => drop(command.process_group(0)),
        Streams::Terminal => raw::lead_session(&mut command),
    }
    if ends == Ends::BySignal {
        raw::die_with_this_process(&mut command);
    }
    command.spawn()
}
