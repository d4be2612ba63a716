//! Where an owner gets its supervisors: those that wait for work first, else a new one from the forker, which is started
//! with the first command, and again should it have died.

use super::spec::{Spec, Walls};
use super::{ARGV0, is_supervisor, pass};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, recv, socketpair};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use tokio::net::UnixStream;

/// Supervisors that may wait for work; more than run at once on most machines.
const IDLE_MAX: usize = 32;

/// Has supervisors. Dropping it ends the forker and those that wait for work, and no command.
#[derive(Debug)]
pub struct Launcher {
    /// Becomes a forker when it is executed as [`ARGV0`].
    program: PathBuf,
    forker: Mutex<Option<Forker>>,
    idle: Idle,
}

/// Links to supervisors without a command, the one that waits longest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Idle(Arc<Mutex<Vec<(Place, UnixStream)>>>);

/// Where a supervisor's commands run: in a room for this folder, or anywhere. To make another room for another folder
/// costs more than another supervisor does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place(Option<(OsString, Walls)>);

impl Place {
    pub(super) fn of(spec: &Spec) -> Place {
        Place(spec.room.as_ref().map(|walls| (spec.folder.clone(), walls.clone())))
    }
}

impl Idle {
    fn pop(&self, place: &Place) -> Option<UnixStream> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().rposition(|(its, _)| its == place)?;
        Some(idle.remove(at).1)
    }

    /// Keeps the supervisor for another command.
    pub(super) fn put(&self, place: Place, link: UnixStream) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= IDLE_MAX {
            idle.remove(0);
        }
        idle.push((place, link));
    }
}

#[derive(Debug)]
struct Forker {
    /// Present until it is dropped.
    orders: Option<OwnedFd>,
    process: Option<Child>,
}

impl Launcher {
    #[must_use]
    pub fn new(program: PathBuf) -> Launcher {
        Launcher { program, forker: Mutex::new(None), idle: Idle::default() }
    }

    /// A link to a supervisor that waits for a command. An error means that there is none.
    pub(super) fn supervisor(&self, place: &Place) -> io::Result<UnixStream> {
        while let Some(link) = self.idle.pop(place) {
            if is_open(&link) {
                return Ok(link);
            }
        }
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        // From here on only the supervisor holds its end, so the connection ends with it.
        self.launch(theirs.as_fd())?;
        UnixStream::from_std(ours)
    }

    /// Where a supervisor goes whose command is over.
    pub(super) fn idle(&self) -> Idle {
        self.idle.clone()
    }

    fn launch(&self, link: BorrowedFd<'_>) -> io::Result<()> {
        // A program that does not know that it was executed as a supervisor would start itself for ever.
        if is_supervisor() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut forker = self.forker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(living) = forker.as_ref() {
            match living.order(link) {
                Ok(()) => return Ok(()),
                Err(Errno::PIPE | Errno::CONNRESET) => {}
                Err(error) => return Err(error.into()),
            }
        }
        forker.insert(Forker::start(&self.program)?).order(link)?;
        Ok(())
    }
}

/// Whether the supervisor lives. The kernel is asked, because the runtime hears of an end only later.
fn is_open(link: &UnixStream) -> bool {
    matches!(recv(link, &mut [0], RecvFlags::PEEK | RecvFlags::DONTWAIT), Err(Errno::AGAIN))
}

impl Forker {
    fn start(program: &PathBuf) -> io::Result<Forker> {
        // Packets, so that each order comes alone.
        let (orders, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let process = Command::new(program)
            .arg0(ARGV0)
            // The environment of a command is in its specification; the supervisor itself needs none.
            .env_clear()
            .envs(for_tests())
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Forker { orders: Some(orders), process: Some(process) })
    }

    fn order(&self, link: BorrowedFd<'_>) -> Result<(), Errno> {
        pass::send(self.orders.as_ref().ok_or(Errno::PIPE)?, &[0], &[link])
    }
}

impl Drop for Forker {
    fn drop(&mut self) {
        // Without an owner it ends by itself. Whoever drops it does not wait for that; whom this process outlives is reaped.
        drop(self.orders.take());
        let Some(mut process) = self.process.take() else { return };
        let reap = move || drop(process.wait());
        // A process that can start no thread any more leaves a dead child behind, and nothing else.
        let _ = thread::Builder::new().name("reaper".to_owned()).spawn(reap);
    }
}

/// What a supervisor must be told in a build whose places to crash at are switched on.
fn for_tests() -> impl Iterator<Item = (&'static str, OsString)> {
    let told = ["CRASH_AT_SUPERVISOR", "CRASH_LIST_SUPERVISOR"].into_iter().filter(|_| cfg!(feature = "crash-points"));
    told.filter_map(|name| Some((name, std::env::var_os(name)?)))
}
