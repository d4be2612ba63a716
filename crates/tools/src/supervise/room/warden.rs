//! The first process of a room: it starts commands and is the parent of all that they leave.
//!
//! It has given up everything before the first command, so a command gets no more than it has by being its child. It has
//! one thread and one command at a time, never looks at what a command prints, and takes orders from its supervisor
//! alone, by whose end it ends too. Must not be reachable from inside: nothing of it can be read or traced, it leaves no
//! descriptor to a command, and signals from inside do not reach the first process of a pid namespace.

use super::word::Word;
use crate::supervise::execute::{self, Ends, Theirs};
use crate::supervise::pass;
use crate::supervise::spec::Spec;
use rustix::io::Errno;
use rustix::process::{WaitOptions, WaitStatus, wait};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

/// The byte that an order begins with: a command with its streams, which a specification follows.
pub(super) const COMMAND: u8 = 0;
/// A terminal for the next command.
pub(super) const TERMINAL: u8 = 1;

const SUPERVISOR_LEFT: i32 = 0;

/// Gives the exit status of this process, which nobody needs.
pub(super) fn serve(link: &UnixStream, ends: Ends) -> i32 {
    loop {
        let Some((order, fds)) = pass::receive(link) else { return SUPERVISOR_LEFT };
        if order == TERMINAL {
            make_terminal(link);
            continue;
        }
        let (mut fds, Ok(spec)) = (fds.into_iter(), Spec::from_frame(link)) else { return SUPERVISOR_LEFT };
        let Some(output) = fds.next() else { return SUPERVISOR_LEFT };
        let spawned = execute::spawn(&spec, Theirs { output, input: fds.next() }, ends);
        let main = match spawned.and_then(|child| i32::try_from(child.id()).map_err(io::Error::other)) {
            Ok(pid) => pid,
            Err(error) => {
                say(link, &[Word::NotSpawned(error.raw_os_error().unwrap_or(libc::EIO))]);
                continue;
            }
        };
        say(link, &[Word::Spawned(main)]);
        attend(link, main);
    }
}

/// Until nothing is left.
fn attend(link: &UnixStream, main: i32) {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_pid() == main => {
                let exited = exited(status);
                // Most commands leave nothing, and then one line is enough to wake the supervisor with.
                if is_empty() {
                    return say(link, &[exited, Word::Empty]);
                }
                say(link, &[exited]);
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return say(link, &[Word::Empty]),
        }
    }
}

fn is_empty() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

fn exited(status: WaitStatus) -> Word {
    Word::Exited { code: status.exit_status(), signal: status.terminating_signal() }
}

/// Makes a terminal for the next command; an answer without one has the number of the error.
fn make_terminal(link: &UnixStream) {
    let made = terminal::open().and_then(|terminal| Ok(pass::send(link, &[0], &[terminal.as_fd()])?));
    if let Err(error) = made {
        let errno = error.raw_os_error().and_then(|errno| u8::try_from(errno).ok());
        // A supervisor that is gone ends this process too.
        let _ = pass::send(link, &[errno.unwrap_or(libc::EIO as u8)], &[]);
    }
}

fn say(mut link: &UnixStream, words: &[Word]) {
    let lines: Vec<u8> = words.iter().flat_map(Word::line).collect();
    // A supervisor that is gone ends this process too.
    let _ = link.write_all(&lines);
}
