//! From a copy of the supervisor to the first process of a room: in by steps of which none can be taken back.
//!
//! Runs in the copy only, which never returns. Must not touch anything outside before it is inside.

use super::filter::{self, Sockets};
use super::landlock::{self, Domain, Reading};
use super::plan::Plan;
use super::warden;
use super::word::Word;
use super::{INSIDE, bubblewrap, kernel, limits, mounts};
use crate::supervise::execute::Ends;
use crate::supervise::raw;
use crate::supervise::spec::Way;
use crate::texts;
use rustix::process::{DumpableBehavior, Pid, Signal, set_dumpable_behavior, set_parent_process_death_signal};
use rustix::thread::{CapabilitiesSecureBits, CapabilitySet, CapabilitySets, UnshareFlags};
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of the socket to the supervisor: the first behind the standard streams.
const LINK: RawFd = 3;
const LEFT: i32 = 0;
/// What the program inside is told about its network.
const NETWORK: &str = "network";
const NO_NETWORK: &str = "no-network";
const NOT_MADE: i32 = 1;

/// Makes the room in this way, and becomes its first process or its parent.
pub(super) fn enter(link: UnixStream, plan: &Plan, way: Way) -> ! {
    raw::exit_at_once(match alone(link) {
        Ok(link) => told(
            &link,
            match way {
                Way::Namespaces => make_namespaces(&link, plan),
                Way::Bubblewrap => execute_bubblewrap(&link, plan),
                Way::Landlock => stay(&link, plan),
            },
        ),
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

fn make_namespaces(link: &UnixStream, plan: &Plan) -> io::Result<i32> {
    let network = if plan.network { UnshareFlags::empty() } else { UnshareFlags::NEWNET };
    let flags = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | network;
    // Root needs no namespace of users, and keeps its name where it may go without one.
    let is_root = rustix::process::geteuid().is_root();
    if !is_root || kernel::unshare(flags).is_err() {
        own_users(flags)?;
    }
    match raw::fork()? {
        Some(first) => {
            (&*link).write_all(&Word::Made(first.as_raw_pid()).line())?;
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

/// Says who the first process is, and goes on when its supervisor has counted it in.
fn introduce(mut link: &UnixStream, first: Pid) -> io::Result<()> {
    link.write_all(&Word::Made(first.as_raw_pid()).line())?;
    wait_for_go(link)
}

fn wait_for_go(mut link: &UnixStream) -> io::Result<()> {
    link.read_exact(&mut [0])
}

/// The life of the first process in namespaces of our own.
fn furnish(link: &UnixStream, plan: &Plan) -> io::Result<i32> {
    wait_for_go(link)?;
    mounts::build(plan)?;
    if !plan.network {
        kernel::switch_on(c"lo")?;
    }
    let own = plan.temporary.iter().map(PathBuf::as_path).chain([plan.workspace.as_path()]);
    settle(link, plan.network, plan.processes_max, own)
}

/// Gives up the rest in a file system that is already that of the room, and serves.
fn settle<'a>(link: &UnixStream, network: bool, processes_max: u64, own: impl Iterator<Item = &'a Path>) -> io::Result<i32> {
    let landlock = landlock::version();
    let sockets = match (network, landlock.is_some_and(landlock::has_scopes)) {
        (false, _) => Sockets::Inside,
        (true, true) => Sockets::Outside,
        // Nothing else would keep it from the sockets of other programs.
        (true, false) => Sockets::OutsideWithoutFiles,
    };
    let domain = landlock.map(|version| Domain::new(version, Reading::Free)).transpose()?;
    if let Some(domain) = &domain {
        own.chain([Path::new("/dev")]).try_for_each(|path| domain.allow_change(path))?;
    }
    give_up(domain, sockets, Some(processes_max))?;
    serve(link, landlock, Ends::WithNamespace)
}

/// Replaces this process by `bwrap`, which executes this program again inside.
fn execute_bubblewrap(link: &UnixStream, plan: &Plan) -> io::Result<i32> {
    let program = fs::read_link("/proc/self/exe")?;
    let arguments = bubblewrap::arguments(plan, &program)?;
    introduce(link, rustix::process::getpid())?;
    // It is inherited through both.
    rustix::io::fcntl_setfd(link, rustix::io::FdFlags::empty())?;
    let network = if plan.network { NETWORK } else { NO_NETWORK };
    let own = plan.temporary.iter().chain([&plan.workspace]);
    // The search path is that of this process, which has none but what the system has by default.
    let error = Command::new(bubblewrap::PROGRAM).args(arguments).args([INSIDE, network, &plan.processes_max.to_string()]).args(own).exec();
    Err(io::Error::new(error.kind(), format!("{}: {error}", bubblewrap::PROGRAM)))
}

/// The life of the first process in a room that `bwrap` has made.
pub(in crate::supervise) fn serve_inside() -> ! {
    let mut words = std::env::args_os().skip(2);
    let network = words.next().is_some_and(|word| word == NETWORK);
    let processes_max = words.next().and_then(|word| word.to_str()?.parse().ok()).unwrap_or(0);
    let own: Vec<PathBuf> = words.map(PathBuf::from).collect();
    let link = UnixStream::from(kernel::inherited(LINK));
    let served = rustix::io::fcntl_setfd(&link, rustix::io::FdFlags::CLOEXEC).map_err(io::Error::from);
    raw::exit_at_once(told(&link, served.and_then(|()| settle(&link, network, processes_max, own.iter().map(PathBuf::as_path)))))
}

/// Becomes the first process where no namespace can be made: the only walls are Landlock and the filter.
fn stay(link: &UnixStream, plan: &Plan) -> io::Result<i32> {
    introduce(link, rustix::process::getpid())?;
    let version = landlock::version().filter(|version| landlock::has_scopes(*version));
    let version = version.ok_or_else(|| io::Error::other(texts::LANDLOCK_TOO_OLD))?;
    // What a command leaves becomes a child of this process, which then knows when nothing is left.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let domain = Domain::new(version, Reading::ByRule)?;
    let devices = Path::new("/dev");
    let hidden: Vec<PathBuf> = plan.hidden.iter().cloned().chain([devices.to_owned()]).collect();
    domain.allow_read_but(Path::new("/"), &hidden)?;
    for path in [plan.workspace.clone(), plan.temp.clone()].into_iter().chain(mounts::DEVICES.map(|name| devices.join(name))) {
        domain.allow_change(&path)?;
    }
    // Without a namespace the kernel would count all processes of this user.
    give_up(Some(domain), if plan.network { Sockets::Outside } else { Sockets::None }, None)?;
    serve(link, Some(version), Ends::BySignal)
}

/// Rights first, then the way to get any, then what is left to be walled.
fn give_up(domain: Option<Domain>, sockets: Sockets, processes_max: Option<u64>) -> io::Result<()> {
    let program = filter::program(sockets).ok_or_else(|| io::Error::other(texts::UNKNOWN_PROCESSOR))?;
    limits::apply(processes_max)?;
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
