//! The first process of a room: it starts commands and is the parent of all that they leave.
//!
//! It has given up everything before the first command, so a command gets no more than it has by being its child. It has
//! one thread and one command at a time, never looks at what a command prints, and takes orders from its supervisor
//! alone, by whose end it ends too. Must not be reachable from inside: nothing of it can be read or traced, it leaves no
//! descriptor to a command, and signals from inside do not reach the first process of a pid namespace.

use super::word::Word;
use crate::supervise::raw;
use crate::supervise::spec::Spec;
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, recvmsg};
use rustix::process::{WaitOptions, WaitStatus, wait};
use std::ffi::OsStr;
use std::io::{self, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Whether commands end with this process by themselves, as all do in a pid namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    WithNamespace,
    BySignal,
}

const SUPERVISOR_LEFT: i32 = 0;

/// Gives the exit status of this process, which nobody needs.
pub(super) fn serve(link: &UnixStream, ends: Ends) -> i32 {
    loop {
        let Some((streams, spec)) = next_order(link) else { return SUPERVISOR_LEFT };
        let main = match spawn(&spec, streams, ends) {
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

/// Standard streams of a command.
struct Streams {
    output: OwnedFd,
    input: Option<OwnedFd>,
}

/// An error means that nothing was executed.
fn spawn(spec: &Spec, streams: Streams, ends: Ends) -> io::Result<i32> {
    let program = spec.argv.first().map_or(OsStr::new(""), |program| program.as_os_str());
    let mut command = Command::new(program);
    command
        .args(spec.argv.iter().skip(1))
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&spec.folder)
        .process_group(0)
        .stdin(streams.input.map_or_else(Stdio::null, Stdio::from))
        .stdout(streams.output.try_clone()?)
        .stderr(streams.output);
    if ends == Ends::BySignal {
        raw::die_with_this_process(&mut command);
    }
    i32::try_from(command.spawn()?.id()).map_err(io::Error::other)
}

/// What to run, with its streams; none when the supervisor is gone or cannot be understood.
fn next_order(link: &UnixStream) -> Option<(Streams, Spec)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = loop {
        match recvmsg(link, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            other => break other.ok()?,
        }
    };
    if received.bytes == 0 || received.flags.contains(ReturnFlags::CTRUNC) {
        return None;
    }
    let mut streams =
        ancillary.drain().filter_map(|message| if let RecvAncillaryMessage::ScmRights(fds) = message { Some(fds) } else { None }).flatten();
    let streams = Streams { output: streams.next()?, input: streams.next() };
    Some((streams, Spec::from_frame(link).ok()?))
}

fn say(mut link: &UnixStream, words: &[Word]) {
    let lines: Vec<u8> = words.iter().flat_map(Word::line).collect();
    // A supervisor that is gone ends this process too.
    let _ = link.write_all(&lines);
}
