//! The unsafe code of the crate: what has no safe form about processes.
//!
//! Must stay this small.

use rustix::process::{Pid, Signal, getpid, getppid, ioctl_tiocsctty, set_parent_process_death_signal, setsid};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes the command die with this process.
#[expect(unsafe_code, reason = "a parent-death signal can only be asked for between fork and exec")]
pub(super) fn die_with_this_process(command: &mut Command) {
    let parent = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The signal is not sent for a parent that was dead already.
        if getppid() == Some(parent) { Ok(()) } else { Err(rustix::io::Errno::SRCH.into()) }
    };
    // SAFETY: `ask` makes two system calls and allocates nothing, which is all that is allowed after a fork.
    unsafe { command.pre_exec(ask) };
}

/// Makes the command the leader of a session of its own, controlled by the terminal that is its standard input.
#[expect(unsafe_code, reason = "a session and its terminal can only be made between fork and exec")]
pub(super) fn lead_session(command: &mut Command) {
    let lead = || {
        setsid()?;
        ioctl_tiocsctty(rustix::stdio::stdin())?;
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
            // SAFETY: what a terminal sends must not be ignored because whoever started the owner ignored it.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: `lead` makes system calls and allocates nothing.
    unsafe { command.pre_exec(lead) };
}

/// Makes a second process of this one, which sees `None`. Only in a process of one thread.
#[expect(unsafe_code, reason = "a process is copied by the C library alone, which has to know of it")]
pub(super) fn fork() -> io::Result<Option<Pid>> {
    unsafe extern "C" {
        fn fork() -> i32;
    }
    // SAFETY: there is no other thread, so the copy finds no lock that is held and no value that is half changed.
    match unsafe { fork() } {
        0 => Ok(None),
        pid => Pid::from_raw(pid).filter(|_| pid > 0).map(Some).ok_or_else(io::Error::last_os_error),
    }
}

/// Ends this process without the handlers of the C library, which are for those that have something to put in order.
#[expect(unsafe_code, reason = "the standard library ends a process only after the handlers")]
pub(super) fn exit_at_once(status: i32) -> ! {
    unsafe extern "C" {
        safe fn _exit(status: i32) -> !;
    }
    _exit(status)
}

/// Closes what the owner itself inherited without knowing, such as a pipe whose reader waits for its end: a supervisor
/// that outlives the owner must not keep it open. Only at the very start, when this process has opened nothing.
#[expect(unsafe_code, reason = "a descriptor without an owner can only be closed by its number")]
pub(super) fn close_inherited() {
    let numbers = |entries: std::fs::ReadDir| entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<RawFd>().ok());
    let listed: Vec<RawFd> = std::fs::read_dir("/proc/self/fd").map(|entries| numbers(entries).collect()).unwrap_or_default();
    // The listing saw its own descriptor, which is closed by now.
    let open = |fd: &RawFd| std::fs::symlink_metadata(format!("/proc/self/fd/{fd}")).is_ok();
    for fd in listed.into_iter().filter(|fd| *fd > 2).filter(open) {
        // SAFETY: nothing was opened in this process yet, so no value owns this descriptor.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
    }
}
