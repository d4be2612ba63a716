//! The process that becomes every supervisor of its owner, by fork.
//!
//! To execute a program costs far more than to fork one that is small and already there: a command would wait for the
//! loader, thousands of relocations and hundreds of page faults each time. So the program is executed once. An order of
//! the owner is one end of a socket pair; a copy of this process becomes the supervisor that serves it. It has one thread and ends when its owner does; the copies are on
//! their own. Must not keep anything of an order.

use super::{pass, raw, shift};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{PidfdFlags, WaitOptions, pidfd_open, wait};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

const OWNER_LEFT: i32 = 0;
const NO_OWNER: i32 = 1;

/// Gives the exit status of this process; one that became a supervisor does not come back.
pub(super) fn serve() -> i32 {
    // First of all, so that a signal to the terminal's group no longer reaches us. It fails only where it was done.
    let _ = rustix::process::setsid();
    raw::close_inherited();
    let Ok(orders) = take_stdin() else { return NO_OWNER };
    // A folder that somebody wants to remove or unmount is not held.
    let _ = std::env::set_current_dir("/");
    // Handles of the supervisors; they wake the loop when these end.
    let mut children: Vec<OwnedFd> = Vec::new();
    loop {
        if !sleep(&orders, &mut children) {
            continue;
        }
        // An order without its socket cannot be served, and an owner that cannot be heard is as good as gone.
        let Some(link) = pass::receive(&orders).and_then(|(_, sockets)| sockets.into_iter().next()) else { return OWNER_LEFT };
        let link = UnixStream::from(link);
        match raw::fork() {
            Ok(None) => {
                drop((orders, children));
                // The link is open until the kernel closes it, so that whoever sees its end sees that of the process.
                raw::exit_at_once(shift::serve(&link));
            }
            // Without a handle its end is noticed with the next order.
            Ok(Some(pid)) => children.extend(pidfd_open(pid, PidfdFlags::empty())),
            Err(error) => shift::say_failed(&link, &error),
        }
    }
}

/// Sleeps until there is an order, which it tells, or a supervisor has ended, which it reaps.
fn sleep(orders: &OwnedFd, children: &mut Vec<OwnedFd>) -> bool {
    let mut fds = vec![PollFd::new(orders, PollFlags::IN)];
    fds.extend(children.iter().map(|handle| PollFd::new(handle, PollFlags::IN)));
    if poll(&mut fds, None).is_err() {
        // Interrupted: the next round asks again.
        return false;
    }
    let mut ready = fds.iter().map(|fd| !fd.revents().is_empty()).collect::<Vec<_>>().into_iter();
    let ordered = ready.next().unwrap_or(false);
    children.retain(|_| !ready.next().unwrap_or(false));
    while wait(WaitOptions::NOHANG).is_ok_and(|ended| ended.is_some()) {}
    ordered
}

/// The socket that was standard input, whose place is taken by nothing to read: a copy must not keep it open.
fn take_stdin() -> io::Result<OwnedFd> {
    let orders = io::stdin().as_fd().try_clone_to_owned()?;
    let nothing = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&nothing)?;
    Ok(orders)
}
