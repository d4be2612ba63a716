//! A room: where commands run that may touch no more than they were given.
//!
//! It has namespaces, mounts, rights and limits of its own, made once; then one command after another is started in it
//! for the price of a fork and an exec. It belongs to one supervisor, has one command at a time, and nothing of a command
//! is left when the next one comes. Must not be used again when what it protects was exchanged from outside.

mod bubblewrap;
mod enter;
mod filter;
mod kernel;
mod landlock;
mod limits;
mod mounts;
mod plan;
mod protect;
mod share;
mod warden;
mod word;

pub(super) use enter::serve_inside;
pub(crate) use protect::is_kept;
pub(super) use word::Word;

use super::execute::Theirs;
use super::spec::{Fitted, Spec, Walls, Way};
use super::{pass, proc, raw};
use limits::Counted;
use plan::Plan;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The word by which this program knows that it is executed inside a room.
pub(super) const INSIDE: &str = "room";
/// Bytes read from the first process at once; its lines are short.
const READ_BYTES: usize = 512;

#[derive(Debug)]
pub(super) struct Room {
    /// Ends before anything that it stands on does.
    _first: First,
    /// The same as outside of the room, or a child of it.
    root: Pid,
    _counted: Option<Counted>,
    plan: Plan,
    walls: Walls,
    link: UnixStream,
    /// What came behind the last whole line.
    pending: Vec<u8>,
    fitted: Fitted,
    /// Nothing of a command is in it.
    is_empty: bool,
}

/// The first process of a room, which ends with this value.
#[derive(Debug)]
struct First(Pid);

impl Drop for First {
    fn drop(&mut self) {
        // Everything in its namespace ends with it, and is gone when it is reaped.
        let _ = kill_process(self.0, Signal::KILL);
        while let Err(Errno::INTR) = waitpid(Some(self.0), WaitOptions::empty()) {}
    }
}

impl Room {
    /// An error means that there is none, and says why.
    pub(super) fn new(folder: &OsStr, walls: &Walls) -> io::Result<Room> {
        let plan = Plan::new(folder, walls)?;
        let (link, theirs) = UnixStream::pair()?;
        let maker = match raw::fork()? {
            None => enter::enter(theirs, &plan, walls.way),
            Some(maker) => maker,
        };
        drop(theirs);
        let mut pending = Vec::new();
        let made = next_word(&link, &mut pending);
        let maker = First(maker);
        let first = match made? {
            Word::Made(pid) if pid == maker.0.as_raw_pid() => maker,
            Word::Made(pid) => {
                // It must be gone before the first process asks to die with its parent, which is to be this process.
                drop(maker);
                First(Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidData)?)
            }
            other @ (Word::Ready { .. } | Word::Broken(_) | Word::Spawned(_) | Word::NotSpawned(_) | Word::Exited { .. } | Word::Empty) => {
                return Err(unexpected(other));
            }
        };
        // Who is not root is counted by the kernel itself, in a namespace of users.
        let is_by_kernel = !rustix::process::geteuid().is_root() && walls.way != Way::Landlock;
        let counted = if is_by_kernel { None } else { Counted::new(walls.processes_max).filter(|counted| counted.add(first.0).is_ok()) };
        (&link).write_all(&[0])?;
        let landlock = match next_word(&link, &mut pending)? {
            Word::Ready { landlock } => landlock,
            other @ (Word::Made(_) | Word::Broken(_) | Word::Spawned(_) | Word::NotSpawned(_) | Word::Exited { .. } | Word::Empty) => {
                return Err(unexpected(other));
            }
        };
        let root = match walls.way {
            Way::Namespaces | Way::Landlock => first.0,
            // It has stayed outside, and its child is the first process inside.
            Way::Bubblewrap => proc::inside(first.0.as_raw_pid(), 1).and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?,
        };
        let fitted = Fitted { landlock, counted: is_by_kernel || counted.is_some() };
        Ok(Room { _first: first, root, _counted: counted, plan, walls: walls.clone(), link, pending, fitted, is_empty: true })
    }

    /// Whether it may be used for this command as it is.
    pub(super) fn is_for(&self, folder: &OsStr, walls: &Walls) -> bool {
        self.is_empty && self.walls == *walls && self.plan.holds(Path::new(folder))
    }

    pub(super) fn fitted(&self) -> Fitted {
        self.fitted
    }

    /// Nothing of a command is left in it.
    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The process below which all that runs in it is.
    pub(super) fn root(&self) -> Pid {
        self.root
    }

    /// Readable when there are words.
    pub(super) fn link(&self) -> &UnixStream {
        &self.link
    }

    /// A new terminal of the room's own, which has a name inside. None where the room has none: its commands may open no
    /// terminal of the machine by its name, and get one that was opened outside.
    pub(super) fn terminal(&self) -> Option<io::Result<OwnedFd>> {
        let ask = || {
            pass::send(&self.link, &[warden::TERMINAL], &[])?;
            let (errno, terminal) = pass::receive(&self.link).ok_or(io::ErrorKind::UnexpectedEof)?;
            terminal.into_iter().next().ok_or_else(|| io::Error::from_raw_os_error(errno.into()))
        };
        match self.walls.way {
            Way::Namespaces | Way::Bubblewrap => Some(ask()),
            Way::Landlock => None,
        }
    }

    /// Starts a command; gives its number inside, or why it was not executed. An error means that nobody knows.
    pub(super) fn spawn(&mut self, spec: &Spec, theirs: &Theirs) -> io::Result<Result<i32, io::Error>> {
        let frame = match spec.to_frame() {
            Ok(frame) => frame,
            Err(error) => return Ok(Err(error)),
        };
        let fds: Vec<_> = [Some(&theirs.output), theirs.input.as_ref()].into_iter().flatten().map(AsFd::as_fd).collect();
        self.is_empty = false;
        pass::send(&self.link, &[warden::COMMAND], &fds)?;
        (&self.link).write_all(&frame)?;
        match next_word(&self.link, &mut self.pending)? {
            Word::Spawned(pid) => Ok(Ok(pid)),
            Word::NotSpawned(errno) => {
                self.is_empty = true;
                Ok(Err(io::Error::from_raw_os_error(errno)))
            }
            other @ (Word::Made(_) | Word::Ready { .. } | Word::Broken(_) | Word::Exited { .. } | Word::Empty) => Err(unexpected(other)),
        }
    }

    /// Whether words have come that nobody has taken yet.
    pub(super) fn has_words(&self) -> bool {
        self.pending.contains(&b'\n')
    }

    /// Words that have come, once the link is readable. An error means that the room is gone with all that was in it.
    pub(super) fn words(&mut self) -> io::Result<Vec<Word>> {
        let mut words = Vec::new();
        if !self.has_words() {
            read_some(&self.link, &mut self.pending)?;
        }
        while let Some(word) = take_word(&mut self.pending)? {
            self.is_empty |= word == Word::Empty;
            words.push(word);
        }
        Ok(words)
    }
}

fn next_word(link: &UnixStream, pending: &mut Vec<u8>) -> io::Result<Word> {
    loop {
        if let Some(word) = take_word(pending)? {
            return Ok(word);
        }
        read_some(link, pending)?;
    }
}

fn take_word(pending: &mut Vec<u8>) -> io::Result<Option<Word>> {
    let Some(end) = pending.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
    let line: Vec<u8> = pending.drain(..=end).collect();
    Ok(Some(serde_json::from_slice(&line)?))
}

fn read_some(mut link: &UnixStream, pending: &mut Vec<u8>) -> io::Result<()> {
    let mut bytes = [0; READ_BYTES];
    let length = loop {
        match link.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    if length == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    pending.extend_from_slice(&bytes[..length]);
    Ok(())
}

fn unexpected(word: Word) -> io::Error {
    match word {
        Word::Broken(reason) => io::Error::other(reason),
        other @ (Word::Made(_) | Word::Ready { .. } | Word::Spawned(_) | Word::NotSpawned(_) | Word::Exited { .. } | Word::Empty) => {
            io::Error::other(format!("{other:?}"))
        }
    }
}
