//! One command under its supervisor: its output, its input, whoever controls it, its time, and the end of all below it.
//!
//! One thread, one poll. Must not touch anything outside the spool folder but the command it was given.

use super::child::{Child, Main};
use super::control::Control;
use super::input::Input;
use super::output::Writer;
use super::proc;
use super::room::{Room, Word};
use super::spec::{Command, Exit, Reply, Spec};
use super::tree::Tree;
use crate::texts;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitStatus, getpid, kill_process_group};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Bytes read from the command at once: what a pipe holds.
const OUTPUT_READ_BYTES: usize = 64 * 1024;
/// Reads after everything ended; a process that got hold of the pipe elsewhere cannot keep us with it. A terminal gives
/// what it holds in small pieces.
const LAST_READS_MAX: usize = 64;
/// What processes that outlive the command have to end by themselves.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);
/// Longest sleep: orphans that ended meanwhile are noticed then.
const IDLE: Duration = Duration::from_secs(5);
/// Time from output to the news of it: most commands end sooner, and their end is news enough.
const TICK: Duration = Duration::from_millis(5);

pub(super) struct Supervisor<'a> {
    spec: &'a Spec,
    child: Child,
    /// Where it runs, if not just below this process.
    room: Option<&'a mut Room>,
    status: Option<Status>,
    /// The room is gone, so nobody will ever know how the command ended.
    is_lost: bool,
    output_open: bool,
    output: Writer,
    /// Room for one read; of its pages only those are touched that something is read into.
    chunk: Vec<u8>,
    input: Input,
    control: Control<'a>,
    tree: Tree,
    deadline: Option<Instant>,
    timed_out: bool,
    /// When those who listen are told of output that came.
    tick_at: Option<Instant>,
}

/// How the process of a command ended.
#[derive(Clone, Copy)]
struct Status {
    code: Option<i32>,
    signal: Option<i32>,
}

impl From<WaitStatus> for Status {
    fn from(status: WaitStatus) -> Status {
        Status { code: status.exit_status(), signal: status.terminating_signal() }
    }
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

impl<'a> Supervisor<'a> {
    pub(super) fn new(
        spec: &'a Spec,
        mut child: Child,
        room: Option<&'a mut Room>,
        output: Writer,
        control: Control<'a>,
    ) -> Supervisor<'a> {
        let root = room.as_ref().map_or_else(getpid, |room| room.root());
        let input = Input::new(child.input.take(), child.terminal.is_some());
        let deadline = spec.timeout_ms.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms)));
        Supervisor {
            spec,
            child,
            room,
            status: None,
            is_lost: false,
            output_open: true,
            output,
            chunk: Vec::with_capacity(OUTPUT_READ_BYTES),
            input,
            control,
            tree: Tree::below(root),
            deadline,
            timed_out: false,
            tick_at: None,
        }
    }

    /// Comes back when nothing is left below this process, or when that cannot be brought about; with those who listen,
    /// who are not let go before the end is recorded. Without an exit nobody knows how it ended.
    pub(super) fn run(mut self) -> (Option<Exit>, Control<'a>) {
        while !self.tree.gone && !self.is_lost {
            let ready = self.wait();
            self.handle(&ready);
            if let Main::Own { pid, .. } = self.child.main
                && let Some(status) = self.tree.reap(pid)
            {
                self.status = Some(status.into());
            }
            let now = Instant::now();
            if self.tick_at.is_some_and(|at| now >= at) {
                self.tick_at = None;
                self.control.tick();
            }
            if !self.keep_time(now) {
                break;
            }
        }
        // From now on the end of what is on a terminal is an end.
        self.child.terminal = None;
        for _ in 0..LAST_READS_MAX {
            if !self.read_output() {
                break;
            }
        }
        ((!self.is_lost).then(|| self.exit()), self.control)
    }

    /// Sleeps until something happens or is due.
    fn wait(&self) -> Vec<Ready> {
        // What came with the answer to an order is not waited for again.
        if self.room.as_ref().is_some_and(|room| room.has_words()) {
            return vec![Ready::Child];
        }
        let now = Instant::now();
        let deadline = self.deadline.filter(|_| !self.tree.is_ending());
        let due = deadline.into_iter().chain(self.tree.next_press()).chain(self.tick_at).map(|at| at.saturating_duration_since(now)).min();
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
        match (&self.child.main, &self.room) {
            (Main::Own { handle: Some(handle), .. }, _) if self.status.is_none() => {
                sources.push((Ready::Child, handle.as_fd(), PollFlags::IN))
            }
            (Main::Inside(_), Some(room)) => sources.push((Ready::Child, room.link().as_fd(), PollFlags::IN)),
            (Main::Own { .. } | Main::Inside(_), _) => {}
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
                Ready::Child => self.hear_room(),
                // What ended is reaped after every round.
                Ready::Dying(_) => {}
                Ready::Output => drop(self.read_output()),
                Ready::Input => self.input.flush(),
                Ready::Listener => self.control.accept(),
                Ready::Connection(index) => self.read_connection(index),
            }
        }
        self.control.sweep();
    }

    /// Takes note of what the first process of the room has seen.
    fn hear_room(&mut self) {
        let Some(room) = &mut self.room else { return };
        let Ok(words) = room.words() else {
            self.is_lost = true;
            return;
        };
        for word in words {
            match word {
                Word::Exited { code, signal } => self.status = Some(Status { code, signal }),
                Word::Empty => self.tree.gone = true,
                // Nothing of this is said while a command runs.
                Word::Made(_) | Word::Ready { .. } | Word::Broken(_) | Word::Spawned(_) | Word::NotSpawned(_) => self.is_lost = true,
            }
        }
    }

    /// The number of the command's process group as this process sees it.
    fn group(&self) -> Option<Pid> {
        match (&self.child.main, &self.room) {
            (Main::Own { pid, .. }, _) => Some(*pid),
            (Main::Inside(number), Some(room)) => Pid::from_raw(proc::inside(room.root().as_raw_pid(), *number)?),
            (Main::Inside(_), None) => None,
        }
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
                self.tick_at.get_or_insert_with(|| Instant::now() + TICK);
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
                let group = self.group().ok_or_else(|| texts::COMMAND_ENDED.to_owned())?;
                kill_process_group(group, signal).map_err(|error| error.to_string())
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
        let Status { code, signal } = self.status.unwrap_or(Status { code: None, signal: None });
        let error = self.status.is_none().then(|| texts::NOT_ENDED.to_owned());
        Exit { code, signal, error, timed_out: self.timed_out, bytes: self.output.total(), output_error: self.output.error() }
    }
}
