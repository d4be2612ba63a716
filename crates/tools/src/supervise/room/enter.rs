//! From a copy of the supervisor to the first process of a room: in by steps of which none can be taken back.
//!
//! Runs in the copy only, which never returns. Must not touch anything outside before it is inside.

use super::filter::{self, Sockets};
use super::landlock::{self, Domain};
use super::plan::Plan;
use super::warden::{self, Ends};
use super::word::Word;
use super::{kernel, limits, mounts};
use crate::supervise::raw;
use crate::texts;
use rustix::process::{DumpableBehavior, Signal, set_dumpable_behavior, set_parent_process_death_signal};
use rustix::thread::{CapabilitiesSecureBits, CapabilitySet, CapabilitySets, UnshareFlags};
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The number of the socket to the supervisor: the first behind the standard streams.
const LINK: RawFd = 3;
const LEFT: i32 = 0;
const NOT_MADE: i32 = 1;

/// Makes the namespaces and, in them, the first process.
pub(super) fn namespaces(link: UnixStream, plan: &Plan) -> ! {
    raw::exit_at_once(match alone(link) {
        Ok(link) => told(&link, make_namespaces(&link, plan)),
        Err(_) => NOT_MADE,
    })
}

/// Everything but the socket is closed: nothing of the supervisor may be kept open from in here.
fn alone(link: UnixStream) -> io::Result<UnixStream> {
    let link = kernel::move_to(OwnedFd::from(link), LINK)?;
    rustix::io::fcntl_setfd(&link, rustix::io::FdFlags::CLOEXEC)?;
    kernel::close_from(LINK.cast_unsigned() + 1)?;
    Ok(link.into())
}

fn told(mut link: &UnixStream, done: io::Result<i32>) -> i32 {
    done.unwrap_or_else(|error| {
        let _ = link.write_all(&Word::Broken(error.to_string()).line());
        NOT_MADE
    })
}

fn make_namespaces(mut link: &UnixStream, plan: &Plan) -> io::Result<i32> {
    let network = if plan.network { UnshareFlags::empty() } else { UnshareFlags::NEWNET };
    let flags = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | network;
    // Root needs no namespace of users, and keeps its name where it may go without one.
    let is_root = rustix::process::geteuid().is_root();
    if !is_root || kernel::unshare(flags).is_err() {
        own_users(flags)?;
    }
    match raw::fork()? {
        Some(first) => {
            link.write_all(&Word::Made(first.as_raw_pid()).line())?;
            Ok(LEFT)
        }
        None => Ok(told(link, furnish(link, plan))),
    }
}

/// The other namespaces inside one of users, in which this user has the same number.
fn own_users(flags: UnshareFlags) -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    kernel::unshare(flags | UnshareFlags::NEWUSER).map_err(|error| io::Error::new(error.kind(), format!("namespaces: {error}")))?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// The life of the first process. It begins when its supervisor has counted it in.
fn furnish(link: &UnixStream, plan: &Plan) -> io::Result<i32> {
    let mut go = [0];
    (&mut &*link).read_exact(&mut go)?;
    mounts::build(plan)?;
    if !plan.network {
        kernel::switch_on(c"lo")?;
    }
    let landlock = landlock::version();
    let sockets = match (plan.network, landlock.is_some_and(landlock::has_scopes)) {
        (false, _) => Sockets::Inside,
        (true, true) => Sockets::Outside,
        // Nothing else would keep it from the sockets of other programs.
        (true, false) => Sockets::OutsideWithoutFiles,
    };
    let domain = match landlock {
        Some(version) => {
            let domain = Domain::new(version)?;
            let own = plan.temporary.iter().map(AsRef::as_ref).chain([plan.workspace.as_path(), Path::new("/dev")]);
            own.into_iter().try_for_each(|path| domain.allow_change(path))?;
            Some(domain)
        }
        None => None,
    };
    give_up(domain, sockets)?;
    serve(link, landlock, Ends::WithNamespace)
}

/// Rights first, then the way to get any, then what is left to be walled.
fn give_up(domain: Option<Domain>, sockets: Sockets) -> io::Result<()> {
    let program = filter::program(sockets).ok_or_else(|| io::Error::other(texts::UNKNOWN_PROCESSOR))?;
    limits::apply()?;
    drop_capabilities()?;
    rustix::thread::set_no_new_privs(true)?;
    if let Some(domain) = domain {
        domain.enter()?;
    }
    kernel::install_filter(&program)
}

fn drop_capabilities() -> io::Result<()> {
    for capability in CapabilitySet::all().iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // The kernel does not know it, or this process was not allowed to have any.
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let bits = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    // Only who has capabilities can and must do this.
    match rustix::thread::set_capabilities_secure_bits(bits) {
        Ok(()) | Err(rustix::io::Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    let none = CapabilitySet::empty();
    Ok(rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?)
}

fn serve(mut link: &UnixStream, landlock: Option<u32>, ends: Ends) -> io::Result<i32> {
    // Nobody inside may look into this process.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    // A supervisor that died before this was asked for has closed the socket.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    link.write_all(&Word::Ready { landlock }.line())?;
    Ok(warden::serve(link, ends))
}
