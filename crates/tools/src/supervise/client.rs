//! The owner's side of a supervised command: start it, watch it, control it, and find it again.
//!
//! Dropping any future of this file leaves the command running; only [`send`] can end it. Must not remove a spool
//! folder: its outcome may not be durable yet.

use super::claim::{self, Claim, Look};
use super::launch::{Idle, Launcher, Place};
use super::spec::{Command, Exit, Fitted, Reply, Spec};
use super::{Folder, output, proc, session};
use contract::crash;
use contract::id::BootId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

/// How long a supervisor may take to answer; it does nothing that takes long.
const ANSWER_PATIENCE: Duration = Duration::from_secs(2);
/// Bytes of output shown at once.
const SHOW_BYTES_MAX: u64 = 64 * 1024;
/// Time between two looks at the lock of a supervisor that cannot be connected to, or is just ending.
const LOCK_INTERVAL: Duration = Duration::from_millis(5);
/// Rounds of SIGKILL against what a dead supervisor left, each waiting [`LEFTOVER_WAIT`] at most.
const LEFTOVER_ROUNDS_MAX: usize = 50;
const LEFTOVER_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// How a supervised attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Exited {
        exit: Exit,
        output: String,
    },
    /// Nothing ran or ever will.
    NeverStarted,
    /// Nothing ran, for this reason.
    Failed(String),
    /// The supervisor died without an exit record, and what it left was ended.
    Died {
        output: String,
    },
    /// The machine was booted since, and there is no exit record.
    OtherBoot {
        output: String,
    },
    /// The spool could not be read.
    Lost(String),
}

/// What recovery found.
#[derive(Debug)]
pub enum Found {
    Ended(Ended),
    Running(Running),
}

/// What a supervisor said to a command.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Done,
    /// For this reason; nothing was done.
    Refused(String),
}

/// A supervised command that was started or adopted.
#[derive(Debug)]
pub struct Running {
    folder: Folder,
    link: Link,
}

#[derive(Debug)]
enum Link {
    /// To a supervisor of ours, which says how it ended and can then be used again.
    Own(UnixStream, Place, Idle),
    /// To the supervisor of another owner; its end is the end of the command.
    Other(UnixStream),
    None,
}

/// Gives a supervisor the command. An error means that nothing ran or will.
pub async fn start(launcher: &Launcher, folder: &Folder, spec: &Spec) -> io::Result<Running> {
    let frame = spec.to_frame()?;
    crash::point("unspawned");
    let place = Place::of(spec);
    let mut link = launcher.supervisor(&place)?;
    crash::point("spawned");
    // A supervisor that is gone already left no claim, which `wait` finds.
    let _ = link.write_all(&frame).await;
    crash::point("ordered");
    Ok(Running { folder: folder.clone(), link: Link::Own(link, place, launcher.idle()) })
}

/// Has a supervisor make the room of this specification and wait in it for commands, or say why there is none. An error
/// means that there is no supervisor.
pub async fn make_room(launcher: &Launcher, spec: &Spec) -> io::Result<Result<Fitted, String>> {
    let order = Spec { argv: Vec::new(), env: Vec::new(), ..spec.clone() };
    let place = Place::of(&order);
    let mut link = launcher.supervisor(&place)?;
    link.write_all(&order.to_frame()?).await?;
    let mut lines = BufReader::new(link);
    let mut line = Vec::new();
    lines.read_until(b'\n', &mut line).await?;
    match serde_json::from_slice(&line) {
        Ok(Reply::Made(fitted)) => {
            launcher.idle().put(place, lines.into_inner());
            Ok(Ok(fitted))
        }
        Ok(Reply::Failed(reason)) => Ok(Err(reason)),
        Ok(Reply::Done(_) | Reply::Refused(_) | Reply::Ended(_)) | Err(_) => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Finds out what became of an attempt that was started on this machine.
pub async fn recover(folder: &Folder, started: &BootId, here: &BootId) -> Found {
    let same_boot = started == here;
    let (look, here) = (folder.clone(), here.clone());
    match blocking(move || if same_boot { settle_same_boot(&look, &here) } else { Ok(Some(other_boot(&look))) }).await {
        Ok(Some(ended)) => Found::Ended(ended),
        Ok(None) => {
            let link = folder.connect().await.map_or(Link::None, Link::Other);
            Found::Running(Running { folder: folder.clone(), link })
        }
        Err(error) => Found::Ended(Ended::Lost(error.to_string())),
    }
}

/// Sends one command to a running supervisor, also to one that another process started, and waits for the answer.
///
/// An error says that nobody answered: the supervisor is not up yet, has ended or stands still. One that ends while the
/// command is under way may have obeyed it.
pub async fn send(folder: &Folder, command: &Command) -> io::Result<Answer> {
    tokio::time::timeout(ANSWER_PATIENCE, ask(folder, command)).await.map_err(io::Error::from)?
}

/// Ends a supervisor that holds the attempt and answers nobody, and its command with it; `false` when there is none.
pub fn kill(folder: &Folder) -> bool {
    let held = match (claim::look(folder), claim::read(folder)) {
        (Ok(Look::Alive), Some(Claim::Held { pid, start, namespace, .. })) if namespace == proc::namespace() => {
            proc::process(pid).filter(|process| process.start == start)
        }
        (Ok(_) | Err(_), _) => None,
    };
    held.and_then(|supervisor| proc::signal(&supervisor, Signal::KILL)).is_some()
}

async fn ask(folder: &Folder, command: &Command) -> io::Result<Answer> {
    let mut stream = folder.connect().await?;
    let mut line = serde_json::to_vec(command)?;
    line.push(b'\n');
    stream.write_all(&line).await?;
    let mut lines = BufReader::new(stream).lines();
    while let Some(line) = lines.next_line().await? {
        match serde_json::from_str(&line) {
            Ok(Reply::Done(_)) => return Ok(Answer::Done),
            Ok(Reply::Refused(reason) | Reply::Failed(reason)) => return Ok(Answer::Refused(reason)),
            // Only news of output.
            Ok(Reply::Ended(_) | Reply::Made(_)) | Err(_) => {}
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

impl Running {
    /// Waits for the end and shows output as it comes, each piece with its offset in bytes.
    pub async fn wait(self, mut show: impl FnMut(u64, String) + Send) -> Ended {
        let mut shown = Shown::default();
        let Running { folder, link } = self;
        let said = match link {
            Link::Own(link, place, idle) => {
                let mut lines = BufReader::new(link);
                let said = listen(&mut lines, &folder, &mut shown, &mut show).await;
                if said.is_some() {
                    idle.put(place, lines.into_inner());
                }
                said
            }
            Link::Other(link) => listen(&mut BufReader::new(link), &folder, &mut shown, &mut show).await,
            Link::None => None,
        };
        let ended = match said {
            Some(Said::Failed(reason)) => Ok(Some(Ended::Failed(reason))),
            Some(Said::Exited(exit)) => exited(&folder, exit).await,
            Some(Said::Taken) | None => {
                until_dead(&folder).await;
                settled(&folder).await
            }
        };
        shown.advance(folder.path(), &mut show).await;
        shown.finish(&mut show);
        match ended {
            Ok(Some(ended)) => ended,
            Ok(None) => Ended::Lost(io::Error::from(io::ErrorKind::TimedOut).to_string()),
            Err(error) => Ended::Lost(error.to_string()),
        }
    }
}

/// How a supervisor says that it has no more to do with the attempt.
enum Said {
    /// Nothing ran, for this reason.
    Failed(String),
    Exited(Exit),
    /// Somebody else has claimed it.
    Taken,
}

/// Shows output whenever there is news of it; `None` when the connection ends without a last word.
async fn listen(
    lines: &mut BufReader<UnixStream>,
    folder: &Folder,
    shown: &mut Shown,
    show: &mut (impl FnMut(u64, String) + Send),
) -> Option<Said> {
    let mut line = Vec::new();
    while let Ok(1..) = lines.read_until(b'\n', &mut line).await {
        match serde_json::from_slice(&line) {
            Ok(Reply::Ended(Some(exit))) => return Some(Said::Exited(exit)),
            Ok(Reply::Ended(None)) => return Some(Said::Taken),
            Ok(Reply::Failed(reason)) => return Some(Said::Failed(reason)),
            // Only news of output.
            Ok(Reply::Done(_) | Reply::Refused(_) | Reply::Made(_)) | Err(_) => shown.advance(folder.path(), show).await,
        }
        line.clear();
    }
    None
}

async fn exited(folder: &Folder, exit: Exit) -> io::Result<Option<Ended>> {
    // A short output is in the page cache, and a thread to read it would take longer than the reading.
    let path = folder.path().to_owned();
    let output = if exit.bytes <= SHOW_BYTES_MAX { output::whole(&path) } else { blocking(move || Ok(output::whole(&path))).await? };
    Ok(Some(Ended::Exited { exit, output }))
}

async fn settled(folder: &Folder) -> io::Result<Option<Ended>> {
    let folder = folder.clone();
    blocking(move || settle(&folder)).await
}

/// Sockets may close before locks do when a process is killed, so a closed connection alone does not say enough.
///
/// The lock is asked for again and again instead of waited for in a thread, because such a thread could not be
/// cancelled and would keep this process from leaving while the command goes on.
async fn until_dead(folder: &Folder) {
    while matches!(claim::look(folder), Ok(Look::Alive)) {
        tokio::time::sleep(LOCK_INTERVAL).await;
    }
}

/// The row of the recovery table for the same machine and boot; `None` when it is running.
fn settle_same_boot(folder: &Folder, here: &BootId) -> io::Result<Option<Ended>> {
    if claim::void_if_absent(folder)? {
        return Ok(Some(Ended::NeverStarted));
    }
    match claim::look(folder)? {
        Look::Dead(Some(Claim::Held { boot, .. })) if boot != *here => Ok(Some(other_boot(folder))),
        Look::Absent | Look::Void | Look::Alive | Look::Dead(_) => settle(folder),
    }
}

fn settle(folder: &Folder) -> io::Result<Option<Ended>> {
    // Looked at before the exit record: one that is written in between belongs to a claim that was alive.
    let look = claim::look(folder)?;
    let exited = || claim::exit(folder).map(|exit| Ended::Exited { exit, output: output::whole(folder.path()) });
    Ok(match look {
        Look::Absent | Look::Void => Some(Ended::NeverStarted),
        Look::Alive => exited(),
        Look::Dead(claim) => Some(exited().unwrap_or_else(|| {
            end_leftovers(folder, claim.as_ref());
            Ended::Died { output: output::whole(folder.path()) }
        })),
    })
}

fn other_boot(folder: &Folder) -> Ended {
    let output = output::whole(folder.path());
    match claim::exit(folder) {
        Some(exit) => Ended::Exited { exit, output },
        None => Ended::OtherBoot { output },
    }
}

/// Ends what is left in the session of a supervisor that died, and in that of a terminal that it had.
fn end_leftovers(folder: &Folder, claim: Option<&Claim>) {
    let Some(Claim::Held { pid, start, namespace, .. }) = claim else { return };
    // Elsewhere the number is that of a stranger.
    if *namespace != proc::namespace() {
        return;
    }
    for _ in 0..LEFTOVER_ROUNDS_MAX {
        let leaders = [Some((*pid, *start)), session::leader(folder.path())].into_iter().flatten();
        let left: Vec<_> = leaders.flat_map(|(pid, start)| proc::session(pid, start)).collect();
        let handles: Vec<OwnedFd> = left.iter().filter_map(|process| proc::signal(process, Signal::KILL)).collect();
        if left.is_empty() {
            return;
        }
        // One that ended is enough to look again; whether the wait was cut short does not matter.
        let _ = poll(&mut handles.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect::<Vec<_>>(), Some(&LEFTOVER_WAIT));
    }
}

/// How far output was shown.
#[derive(Default)]
struct Shown {
    offset: u64,
    /// The beginning of a character whose other bytes have not come yet.
    held: Vec<u8>,
}

impl Shown {
    /// Shows all that is there. The file is in the page cache, so reading it here blocks nobody.
    async fn advance(&mut self, folder: &Path, show: &mut impl FnMut(u64, String)) {
        loop {
            let next = self.offset + self.held.len() as u64;
            let chunk = output::since(folder, next, SHOW_BYTES_MAX);
            if chunk.bytes.is_empty() {
                return;
            }
            if chunk.offset != next {
                self.finish(show);
                self.offset = chunk.offset;
            }
            self.held.extend(chunk.bytes);
            let whole = self.held.len() - output::cut_character(&self.held);
            let rest = self.held.split_off(whole);
            self.finish(show);
            self.held = rest;
            tokio::task::yield_now().await;
        }
    }

    /// Shows what was held back.
    fn finish(&mut self, show: &mut impl FnMut(u64, String)) {
        if !self.held.is_empty() {
            show(self.offset, String::from_utf8_lossy(&self.held).into_owned());
            self.offset += self.held.len() as u64;
            self.held.clear();
        }
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}
