//! The life of a supervisor: set up, claim, run the command, end what it leaves, write the exit record.
//!
//! One thread, one poll. Must not touch anything outside the spool folder but the command it was given.

use super::Folder;
use super::child::{self, Child};
use super::claim::{self, Guard};
use super::control::Control;
use super::folder::CONTROL;
use super::input::Input;
use super::output::Writer;
use super::spec::{Command, Exit, Reply, Spec};
use super::tree::Tree;
use crate::texts;
use contract::crash;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, WaitStatus, kill_process_group};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes read from the command at once: what a pipe holds.
const OUTPUT_READ_BYTES: usize = 64 * 1024;
/// Reads after everything ended; a process that got hold of the pipe elsewhere cannot keep us with it.
const LAST_READS_MAX: usize = 16;
/// What processes that outlive the command have to end by themselves.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);
/// Longest sleep: orphans that ended meanwhile are noticed then.
const IDLE: Duration = Duration::from_secs(5);
/// Where the supervisor works: it has changed into the spool folder.
const HERE: &str = ".";

const ENDED_WELL: i32 = 0;
const ENDED_BEFORE_CLAIM: i32 = 1;
const ENDED_WITHOUT_RECORD: i32 = 2;

/// Gives the exit status of the supervisor, which nobody needs: what counts is in the spool.
pub(super) fn supervise(parent: &UnixStream) -> i32 {
    let session = rustix::process::setsid();
    let (spec, output, control, guard) = match session.map_err(io::Error::from).and_then(|_| set_up(parent)) {
        Ok(Some(ready)) => ready,
        Ok(None) => return ENDED_BEFORE_CLAIM,
        Err(error) => {
            say_failed(parent, &error);
            return ENDED_BEFORE_CLAIM;
        }
    };
    crash::point("claimed");
    let exit = match child::spawn(&spec) {
        Ok(child) => Supervisor::new(spec, child, output, control).run(),
        Err(error) => Exit { error: Some(texts::not_executed(&spec.argv, &spec.folder, &error)), ..Exit::default() },
    };
    crash::point("ended");
    let written = Folder::at(HERE.into()).write_exit(&exit);
    crash::point("recorded");
    // Before the connection to the owner closes, so that whoever sees its end finds the lock free.
    drop(guard);
    if written.is_ok() { ENDED_WELL } else { ENDED_WITHOUT_RECORD }
}

/// Everything up to the claim; `None` when recovery claimed first, so that nothing may run.
fn set_up(parent: &UnixStream) -> io::Result<Option<(Spec, Writer, Control, Guard)>> {
    let spec = Spec::from_frame(parent)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    std::env::set_current_dir(&spec.spool)?;
    let output = Writer::create(Path::new(HERE), spec.output_bytes_max)?;
    // Before the claim, so that whoever sees the claim can connect.
    let control = match UnixListener::bind(CONTROL) {
        Ok(listener) => Control::new(listener, parent.try_clone()?)?,
        // Another supervisor of this attempt was here first.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Ok(None),
        Err(error) => return Err(error),
    };
    crash::point("unclaimed");
    let guard = claim::take(&Folder::at(HERE.into()), &spec.boot)?;
    Ok(guard.map(|guard| (spec, output, control, guard)))
}

pub(super) fn say_failed(mut parent: &UnixStream, error: &io::Error) {
    if let Ok(line) = serde_json::to_string(&Reply::Failed(error.to_string())) {
        // An owner that is gone will find no claim, which says the same.
        let _ = parent.write_all(format!("{line}\n").as_bytes());
    }
}

struct Supervisor {
    spec: Spec,
    child: Child,
    status: Option<WaitStatus>,
    output_open: bool,
    output: Writer,
    /// Room for one read; of its pages only those are touched that something is read into.
    chunk: Vec<u8>,
    input: Input,
    control: Control,
    tree: Tree,
    deadline: Option<Instant>,
    timed_out: bool,
}

#[derive(Clone, Copy)]
enum Ready {
    Child,
    Dying(usize),
    Output,
    Input,
    Listener,
    Connection(usize),
}

impl Supervisor {
    fn new(spec: Spec, mut child: Child, output: Writer, control: Control) -> Supervisor {
        let input = Input::new(child.input.take());
        let deadline = spec.timeout_ms.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms)));
        Supervisor {
            spec,
            child,
            status: None,
            output_open: true,
            output,
            chunk: Vec::with_capacity(OUTPUT_READ_BYTES),
            input,
            control,
            tree: Tree::default(),
            deadline,
            timed_out: false,
        }
    }

    fn run(mut self) -> Exit {
        while !self.tree.gone {
            let ready = self.wait();
            self.handle(&ready);
            if let Some(status) = self.tree.reap(self.child.pid) {
                self.status = Some(status);
            }
            if !self.keep_time(Instant::now()) {
                break;
            }
        }
        for _ in 0..LAST_READS_MAX {
            if !self.read_output() {
                break;
            }
        }
        self.exit()
    }

    /// Sleeps until something happens or is due.
    fn wait(&self) -> Vec<Ready> {
        let now = Instant::now();
        let deadline = self.deadline.filter(|_| !self.tree.is_ending());
        let due = deadline.into_iter().chain(self.tree.next_press()).map(|at| at.saturating_duration_since(now)).min();
        let sleep = due.map_or(IDLE, |due| due.min(IDLE));
        let timeout = Timespec { tv_sec: sleep.as_secs().cast_signed(), tv_nsec: sleep.subsec_nanos().into() };
        let sources = self.sources();
        let mut fds: Vec<PollFd<'_>> = sources.iter().map(|(_, fd, flags)| PollFd::from_borrowed_fd(*fd, *flags)).collect();
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) => sources.iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty()).map(|((ready, _, _), _)| *ready).collect(),
            // Interrupted: the next round asks again.
            Err(_) => Vec::new(),
        }
    }

    fn sources(&self) -> Vec<(Ready, BorrowedFd<'_>, PollFlags)> {
        let mut sources = vec![(Ready::Listener, self.control.listener.as_fd(), PollFlags::IN)];
        if let Some(handle) = self.child.handle.as_ref().filter(|_| self.status.is_none()) {
            sources.push((Ready::Child, handle.as_fd(), PollFlags::IN));
        }
        if self.output_open {
            sources.push((Ready::Output, self.child.output.as_fd(), PollFlags::IN));
        }
        if let Some(pipe) = self.input.wants_to_write() {
            sources.push((Ready::Input, pipe.as_fd(), PollFlags::OUT));
        }
        let dying = self.tree.dying.iter().map(OwnedFd::as_fd).enumerate();
        sources.extend(dying.map(|(index, fd)| (Ready::Dying(index), fd, PollFlags::IN)));
        let connections = self.control.connections.iter().map(|connection| connection.stream.as_fd()).enumerate();
        sources.extend(connections.map(|(index, fd)| (Ready::Connection(index), fd, PollFlags::IN)));
        sources
    }

    fn handle(&mut self, ready: &[Ready]) {
        // Before any command can replace the handles that these indexes mean.
        let mut index = 0..;
        self.tree.dying.retain(|_| {
            let at = index.next();
            !ready.iter().any(|ready| matches!(ready, Ready::Dying(dead) if Some(*dead) == at))
        });
        if ready.iter().any(|ready| matches!(ready, Ready::Dying(_))) {
            self.tree.ask();
        }
        for ready in ready {
            match *ready {
                // What ended is reaped after every round.
                Ready::Child | Ready::Dying(_) => {}
                Ready::Output => drop(self.read_output()),
                Ready::Input => self.input.flush(),
                Ready::Listener => self.control.accept(),
                Ready::Connection(index) => self.read_connection(index),
            }
        }
        self.control.sweep();
    }

    /// `false` when the tree cannot be ended and it is time to say so.
    fn keep_time(&mut self, now: Instant) -> bool {
        if !self.tree.is_ending() && !self.tree.gone {
            if self.status.is_some() {
                self.tree.end(now, LEFTOVER_GRACE);
            } else if self.deadline.is_some_and(|deadline| now >= deadline) {
                self.timed_out = true;
                self.tree.end(now, Duration::from_millis(self.spec.grace_ms));
            }
        }
        self.tree.press(now)
    }

    /// Moves one piece of output to the spool; `false` when there is none at the moment.
    fn read_output(&mut self) -> bool {
        self.chunk.clear();
        match rustix::io::read(&self.child.output, spare_capacity(&mut self.chunk)) {
            Ok(0) => self.output_open = false,
            Ok(_) => {
                self.output.write(&self.chunk);
                self.control.tick();
                return true;
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(_) => self.output_open = false,
        }
        false
    }

    fn read_connection(&mut self, index: usize) {
        for command in self.control.read(index) {
            let reply = match command.and_then(|command| self.obey(command)) {
                Ok(()) => Reply::Done(true),
                Err(reason) => Reply::Refused(reason),
            };
            self.control.reply(index, &reply);
        }
    }

    fn obey(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Signal(number) => {
                let signal = Signal::from_named_raw(number).ok_or_else(|| texts::no_such_signal(number))?;
                // After its end the number may belong to somebody else.
                if self.status.is_some() {
                    return Err(texts::COMMAND_ENDED.to_owned());
                }
                kill_process_group(self.child.pid, signal).map_err(|error| error.to_string())
            }
            Command::Stop { grace_ms } => {
                self.tree.end(Instant::now(), Duration::from_millis(grace_ms));
                Ok(())
            }
            Command::Input(text) => self.input.push(text),
            Command::CloseInput(_) => {
                self.input.close();
                Ok(())
            }
        }
    }

    fn exit(&self) -> Exit {
        let code = self.status.and_then(WaitStatus::exit_status);
        let signal = self.status.and_then(WaitStatus::terminating_signal);
        let error = self.status.is_none().then(|| texts::NOT_ENDED.to_owned());
        Exit { code, signal, error, timed_out: self.timed_out, bytes: self.output.total(), output_error: self.output.error() }
    }
}
