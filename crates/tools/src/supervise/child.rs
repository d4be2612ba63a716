//! The command itself: spawned in a process group of its own, with all its output in one pipe.
//!
//! Must not wait for anything.

use super::raw;
use super::spec::Spec;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};

#[derive(Debug)]
pub(super) struct Child {
    /// Also the number of its process group.
    pub pid: Pid,
    /// Readable once it ended; without it, its end is noticed later.
    pub handle: Option<OwnedFd>,
    pub output: OwnedFd,
    pub input: Option<ChildStdin>,
}

/// An error means that the command was not executed.
pub(super) fn spawn(spec: &Spec) -> io::Result<Child> {
    let (output, theirs) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    // Only our end: a nonblocking pipe would surprise the command.
    rustix::io::ioctl_fionbio(&output, true)?;
    let program = spec.argv.first().map_or(OsStr::new(""), |program| program.as_os_str());
    let mut command = Command::new(program);
    command
        .args(spec.argv.iter().skip(1))
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&spec.folder)
        .process_group(0)
        .stdin(if spec.stdin { Stdio::piped() } else { Stdio::null() })
        .stdout(theirs.try_clone()?)
        .stderr(theirs);
    raw::die_with_this_process(&mut command);
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    // From here on the command runs, so nothing may fail any more: an error would say that it did not.
    let handle = pidfd_open(pid, PidfdFlags::empty()).ok();
    let input = child.stdin.take().filter(|input| rustix::io::ioctl_fionbio(input, true).is_ok());
    Ok(Child { pid, handle, output, input })
}
