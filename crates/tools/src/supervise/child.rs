//! The command itself: spawned in a process group of its own, with all its output in one pipe.
//!
//! Must not wait for anything but the word of the room that it runs.

use super::raw;
use super::room::Room;
use super::spec::Spec;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

#[derive(Debug)]
pub(super) struct Child {
    pub main: Main,
    pub output: OwnedFd,
    pub input: Option<File>,
}

/// The process of the command, which is also the first of its process group.
#[derive(Debug)]
pub(super) enum Main {
    /// A child of this process.
    Own {
        pid: Pid,
        /// Readable once it ended; without it, its end is noticed later.
        handle: Option<OwnedFd>,
    },
    /// A child of the first process of a room, by its number inside.
    Inside(i32),
}

/// What came of it.
pub(super) enum Spawned {
    Running(Child),
    /// The command was not executed.
    Not(io::Error),
    /// The room is gone, and nobody knows whether it was.
    Lost,
}

pub(super) fn spawn(spec: &Spec, room: Option<&mut Room>) -> Spawned {
    let streams = match Streams::new(spec.stdin) {
        Ok(streams) => streams,
        Err(error) => return Spawned::Not(error),
    };
    let main = match room {
        Some(room) => match room.spawn(spec, streams.their_output.as_fd(), streams.their_input.as_ref().map(AsFd::as_fd)) {
            Ok(spawned) => spawned.map(Main::Inside),
            Err(_) => return Spawned::Lost,
        },
        None => spawn_here(spec, &streams),
    };
    match main {
        Ok(main) => Spawned::Running(Child { main, output: streams.output, input: streams.input }),
        Err(error) => Spawned::Not(error),
    }
}

/// Both ends of the streams of a command; only ours do not block, which would surprise the command.
struct Streams {
    output: OwnedFd,
    their_output: OwnedFd,
    input: Option<File>,
    their_input: Option<OwnedFd>,
}

impl Streams {
    fn new(stdin: bool) -> io::Result<Streams> {
        let (output, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&output, true)?;
        if !stdin {
            return Ok(Streams { output, their_output, input: None, their_input: None });
        }
        let (their_input, input) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&input, true)?;
        Ok(Streams { output, their_output, input: Some(input.into()), their_input: Some(their_input) })
    }
}

fn spawn_here(spec: &Spec, streams: &Streams) -> io::Result<Main> {
    let program = spec.argv.first().map_or(OsStr::new(""), |program| program.as_os_str());
    let mut command = Command::new(program);
    command
        .args(spec.argv.iter().skip(1))
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&spec.folder)
        .process_group(0)
        .stdin(streams.their_input.as_ref().map_or_else(|| Ok(Stdio::null()), |input| input.try_clone().map(Stdio::from))?)
        .stdout(streams.their_output.try_clone()?)
        .stderr(streams.their_output.try_clone()?);
    raw::die_with_this_process(&mut command);
    let child = command.spawn()?;
    let pid = Pid::from_child(&child);
    // From here on the command runs, so nothing may fail any more: an error would say that it did not.
    Ok(Main::Own { pid, handle: pidfd_open(pid, PidfdFlags::empty()).ok() })
}
