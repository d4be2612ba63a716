//! The command itself: spawned in a process group of its own, with all its output in one pipe or on one terminal.
//!
//! Must not wait for anything but the word of the room that it runs.

use super::execute::{self, Ends, Theirs};
use super::room::Room;
use super::session;
use super::spec::{self, Spec, Way};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

#[derive(Debug)]
pub(super) struct Child {
    pub main: Main,
    pub output: OwnedFd,
    pub input: Option<File>,
    /// The other end of a terminal. While it is open, output that comes after a pause in which nobody had it open is read.
    pub terminal: Option<OwnedFd>,
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

/// Expects this process to be in the spool folder.
pub(super) fn spawn(spec: &Spec, room: Option<&mut Room>) -> Spawned {
    let Streams { output, input, terminal, theirs } = match Streams::new(spec.streams, room.as_deref()) {
        Ok(streams) => streams,
        Err(error) => return Spawned::Not(error),
    };
    let main = match room {
        Some(room) => match room.spawn(spec, &theirs) {
            Ok(spawned) => spawned.map(Main::Inside),
            Err(_) => return Spawned::Lost,
        },
        None => execute::spawn(spec, theirs, Ends::BySignal).map(|child| {
            let pid = Pid::from_child(&child);
            // From here on the command runs, so nothing may fail any more: an error would say that it did not.
            Main::Own { pid, handle: pidfd_open(pid, PidfdFlags::empty()).ok() }
        }),
    };
    match main {
        Ok(main) => {
            if terminal.is_some() {
                // Without this record, what the command leaves behind would outlive a supervisor that is killed.
                let _ = session::record(Path::new("."), leader(&main, spec));
            }
            Spawned::Running(Child { main, output, input, terminal })
        }
        Err(error) => Spawned::Not(error),
    }
}

/// The command, where its number means something to others and it does not end with a namespace.
fn leader(main: &Main, spec: &Spec) -> Option<Pid> {
    match (main, &spec.room) {
        (Main::Own { pid, .. }, _) => Some(*pid),
        (Main::Inside(number), Some(walls)) if walls.way == Way::Landlock => Pid::from_raw(*number),
        (Main::Inside(_), _) => None,
    }
}

/// Both ends of the streams of a command; only ours do not block, which would surprise the command.
struct Streams {
    output: OwnedFd,
    input: Option<File>,
    terminal: Option<OwnedFd>,
    theirs: Theirs,
}

impl Streams {
    fn new(wanted: spec::Streams, room: Option<&Room>) -> io::Result<Streams> {
        let has_input = match wanted {
            spec::Streams::Output => false,
            spec::Streams::Both => true,
            spec::Streams::Terminal => return Streams::of_terminal(room),
        };
        let (output, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&output, true)?;
        let mut streams = Streams { output, input: None, terminal: None, theirs: Theirs { output: theirs, input: None } };
        if has_input {
            let (theirs, input) = pipe_with(PipeFlags::CLOEXEC)?;
            rustix::io::ioctl_fionbio(&input, true)?;
            (streams.theirs.input, streams.input) = (Some(theirs), Some(input.into()));
        }
        Ok(streams)
    }

    fn of_terminal(room: Option<&Room>) -> io::Result<Streams> {
        session::record(Path::new("."), None)?;
        let output = room.and_then(Room::terminal).unwrap_or_else(terminal::open)?;
        let theirs = terminal::other_end(&output)?;
        rustix::io::ioctl_fionbio(&output, true)?;
        let input = Some(output.try_clone()?.into());
        let (terminal, other) = (Some(theirs.try_clone()?), Some(theirs.try_clone()?));
        Ok(Streams { output, input, terminal, theirs: Theirs { output: theirs, input: other } })
    }
}
