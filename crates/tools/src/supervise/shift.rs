//! The life of a supervisor: one command after another for the owner that it is linked to, until that one is gone.
//!
//! What an attempt needs on disk is made before its command is known, while the owner does something else: on the way of
//! a command is only the rename by which it is claimed. Must keep nothing of a command that is over; a supervisor that
//! could not end everything below it ends itself instead.

use super::Folder;
use super::child::{self, Spawned};
use super::claim::{Claim, Draft, Guard};
use super::control::Control;
use super::folder::CONTROL;
use super::output::{self, Writer};
use super::room::Room;
use super::run::Supervisor;
use super::spec::{Exit, Reply, Spec};
use super::tree::Tree;
use crate::texts;
use contract::crash;
use contract::id::BootId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use rustix::process::{WaitOptions, getpid};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks at what is to end, if nothing of it does.
const LOOK_AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
const OWNER_LEFT: i32 = 0;
const NOT_SET_UP: i32 = 1;
const NOT_ALL_ENDED: i32 = 2;
const NOT_RECORDED: i32 = 3;
const ROOM_LOST: i32 = 4;

/// Gives the exit status of the supervisor, which nobody needs: what counts is in the spool.
pub(super) fn serve(owner: &UnixStream) -> i32 {
    if let Err(error) = become_supervisor() {
        say_failed(owner, &error);
        return NOT_SET_UP;
    }
    let (mut ready, mut room) = (None, None);
    while let Ok(spec) = Spec::from_frame(owner) {
        let fitted = fit(&mut room, &spec);
        // Only the room is asked for.
        if spec.argv.is_empty() {
            match (fitted, &room) {
                (Ok(()), Some(room)) => say(owner, &Reply::Made(room.fitted())),
                (Ok(()), None) => say_failed(owner, &io::ErrorKind::InvalidInput.into()),
                (Err(error), _) => say_failed(owner, &error),
            }
            continue;
        }
        let served = fitted.and_then(|()| attempt(owner, &spec, ready.take(), room.as_mut()));
        // Where the next folder cannot be made, this process must not stay in the last one.
        let _ = std::env::set_current_dir("/");
        match served {
            Ok(Served::Ended(exit)) => say(owner, &Reply::Ended(Some(exit))),
            Ok(Served::Taken) => say(owner, &Reply::Ended(None)),
            Ok(Served::Unrecorded(exit, guard)) => {
                say(owner, &Reply::Ended(Some(exit)));
                // The lock goes with the process: a claim without a record whose lock is free means that its maker is gone.
                std::mem::forget(guard);
                return NOT_RECORDED;
            }
            Ok(Served::Lost(guard)) => {
                // Where there is no namespace that ends with the room, what was in it is still there.
                drop(room);
                end_everything();
                std::mem::forget(guard);
                return ROOM_LOST;
            }
            Err(error) => say_failed(owner, &error),
        }
        if !room.as_ref().map_or_else(is_alone, Room::is_empty) {
            return NOT_ALL_ENDED;
        }
        // The owner has something to do now, and this can wait.
        thread::yield_now();
        // One that cannot be made now is tried again when it is needed.
        ready = Stage::set_up(&spec).ok();
    }
    OWNER_LEFT
}

/// Has the room that a command needs: the one of the last command where it is good enough.
fn fit(room: &mut Option<Room>, spec: &Spec) -> io::Result<()> {
    let is_fit = match (&spec.room, &*room) {
        (Some(walls), Some(room)) => room.is_for(&spec.folder, walls),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    if !is_fit {
        // What the old one keeps in place must be gone before a new one looks.
        *room = None;
        if let Some(walls) = &spec.room {
            *room = Some(Room::new(&spec.folder, walls)?);
        }
    }
    Ok(())
}

fn become_supervisor() -> io::Result<()> {
    rustix::process::setsid()?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// What became of a command.
enum Served {
    Ended(Exit),
    /// The disk did not take the exit record, so only this owner learns how it ended.
    Unrecorded(Exit, Guard),
    /// Somebody else has claimed it, so that nothing may run.
    Taken,
    /// It may have run, and nobody will know how it ended.
    Lost(Guard),
}

/// Runs one command. An error means that nothing ran or will.
fn attempt(owner: &UnixStream, spec: &Spec, ready: Option<Stage>, mut room: Option<&mut Room>) -> io::Result<Served> {
    let Stage { draft, listener, output, .. } = match ready.filter(|stage| stage.is_for(spec)) {
        Some(stage) => stage,
        None => Stage::set_up(spec)?,
    };
    let folder = Folder::at(PathBuf::from(&spec.spool));
    // Wherever it moves, this process is in it: people look for a command by the folder of its supervisor.
    std::env::set_current_dir(draft.path())?;
    let output = Writer::new(output, Path::new("."), spec.output_bytes_max);
    crash::point("unclaimed");
    let Some(mut guard) = draft.take(&folder)? else { return Ok(Served::Taken) };
    // Whoever recovers comes after the owner's death, may make a claim of its own, and lets go of that as soon as its word is
    // stored. So a claim is only good if the owner lives after it was made: then nobody was there before.
    if !is_linked(owner) {
        folder.remove()?;
        return Ok(Served::Taken);
    }
    crash::point("claimed");
    let control = Control::new(listener, owner);
    let (exit, control) = match child::spawn(spec, room.as_deref_mut()) {
        Spawned::Running(child) => Supervisor::new(spec, child, room, output, control).run(),
        Spawned::Not(error) => {
            let error = texts::not_executed(&spec.argv, &spec.folder, &error);
            (Some(Exit { error: Some(error), ..Exit::default() }), control)
        }
        Spawned::Lost => (None, control),
    };
    let Some(exit) = exit else { return Ok(Served::Lost(guard)) };
    crash::point("ended");
    let recorded = guard.record(&exit);
    crash::point("recorded");
    if recorded.is_err() {
        return Ok(Served::Unrecorded(exit, guard));
    }
    // In this order, so that whoever sees the end of a connection finds the lock free.
    drop(guard);
    drop(control);
    Ok(Served::Ended(exit))
}

/// What an attempt needs on disk before it can be claimed.
struct Stage {
    spool: PathBuf,
    boot: BootId,
    draft: Draft,
    output: File,
    listener: UnixListener,
}

impl Stage {
    /// For another attempt of the same owner.
    fn set_up(like: &Spec) -> io::Result<Stage> {
        let spool = spool_of(like).to_owned();
        let draft = Draft::new(&spool, &Claim::mine(&like.boot)?)?;
        let output = output::create_head(draft.path())?;
        std::env::set_current_dir(draft.path())?;
        // By its name alone, because a socket's path may have only 107 bytes.
        let listener = UnixListener::bind(CONTROL);
        std::env::set_current_dir("/")?;
        let listener = listener?;
        listener.set_nonblocking(true)?;
        Ok(Stage { spool, boot: like.boot.clone(), draft, output, listener })
    }

    fn is_for(&self, spec: &Spec) -> bool {
        self.spool == spool_of(spec) && self.boot == spec.boot
    }
}

fn spool_of(spec: &Spec) -> &Path {
    Path::new(&spec.spool).parent().unwrap_or(Path::new("/"))
}

/// Whether the owner is at the other end.
fn is_linked(owner: &UnixStream) -> bool {
    match recv(owner, &mut [0], RecvFlags::PEEK | RecvFlags::DONTWAIT) {
        Ok((_, bytes)) => bytes > 0,
        Err(error) => matches!(error, Errno::AGAIN | Errno::INTR),
    }
}

/// Ends all that is below this process, for as long as that may take.
fn end_everything() {
    let mut tree = Tree::below(getpid());
    tree.end(Instant::now(), Duration::ZERO);
    while tree.press(Instant::now()) && !is_alone() {
        let handles: Vec<PollFd<'_>> = tree.dying.iter().map(|handle| PollFd::new(handle, PollFlags::IN)).collect();
        // One that ended is enough to look again.
        let _ = poll(&mut { handles }, Some(&LOOK_AGAIN));
    }
}

/// Whether nothing is left below this process.
fn is_alone() -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

pub(super) fn say_failed(owner: &UnixStream, error: &io::Error) {
    say(owner, &Reply::Failed(error.to_string()));
}

fn say(mut owner: &UnixStream, reply: &Reply) {
    if let Ok(mut line) = serde_json::to_vec(reply) {
        line.push(b'\n');
        // An owner that is gone has left the spool to others.
        let _ = owner.write_all(&line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervise::Streams;

    fn spec(root: &Path) -> Spec {
        Spec {
            argv: vec!["/bin/sh".into(), "-c".into(), "echo > effect".into()],
            env: Vec::new(),
            folder: root.into(),
            spool: root.join("spool/attempt").into(),
            boot: BootId("boot".into()),
            streams: Streams::Output,
            timeout_ms: None,
            grace_ms: 0,
            output_bytes_max: 1_024,
            room: None,
        }
    }

    /// A recovery that came first may have forgotten its claim already, so that its place is free.
    #[test]
    fn a_claim_that_its_owner_did_not_live_to_see_runs_nothing_and_is_taken_back() {
        let temp = tempfile::tempdir().unwrap();
        let (ours, theirs) = UnixStream::pair().unwrap();
        let spec = spec(temp.path());
        drop(theirs);
        assert!(matches!(attempt(&ours, &spec, None, None).unwrap(), Served::Taken));
        assert!(!temp.path().join("effect").exists() && !Path::new(&spec.spool).exists());
        let (ours, _theirs) = UnixStream::pair().unwrap();
        assert!(matches!(attempt(&ours, &spec, None, None).unwrap(), Served::Ended(exit) if exit.code == Some(0)));
        assert!(temp.path().join("effect").exists() && Path::new(&spec.spool).exists());
    }
}
