//! A host in a process of its own: lines in, lines out.
//!
//! The process is the test binary itself, told by its environment to run one test that calls [`serve`]. Whatever else
//! that binary prints is passed over, because an answer begins with a mark.

use crate::events::append;
use crate::journal::Journal;
use contract::id::StreamId;
use contract::port::{AppendError, LeaseError};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const MARK: &str = "=> ";

/// Answers the lines of standard input until it ends.
pub async fn serve(journal: &dyn Journal) {
    say("ready");
    for line in io::stdin().lock().lines() {
        let answer = answer(journal, &line.unwrap()).await;
        say(&answer);
    }
}

fn say(answer: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "{MARK}{answer}").and_then(|()| out.flush()).unwrap();
}

async fn answer(journal: &dyn Journal, line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        ["append", stream, after, name] => match journal.append(append(&parse(stream), after.parse().unwrap(), &[name])).await {
            Ok(appended) => format!("stored {}", appended.last),
            Err(error) => error.to_string(),
        },
        ["append-all", stream, name, count] => {
            for number in 0..count.parse::<u32>().unwrap() {
                append_somewhere(journal, &parse(stream), &format!("{name}-{number}")).await;
            }
            "stored".to_owned()
        }
        ["acquire", stream] => match journal.acquire(&parse(stream)).await {
            Ok(lease) => format!("epoch {}", lease.epoch),
            Err(LeaseError::Held { holder }) => format!("held {holder}"),
            Err(error) => error.to_string(),
        },
        other => panic!("{other:?} is no request"),
    }
}

/// Appends behind whatever is there, as whoever says something to a session does.
pub async fn append_somewhere(journal: &dyn Journal, stream: &StreamId, name: &str) {
    let mut after = 0;
    loop {
        match journal.append(append(stream, after, &[name])).await {
            Ok(_) => return,
            Err(AppendError::Conflict { actual }) => after = actual.0,
            Err(error) => panic!("{error}"),
        }
    }
}

fn parse(stream: &str) -> StreamId {
    StreamId::parse(stream).unwrap()
}

/// A running process. It dies with this.
#[derive(Debug)]
pub struct Process {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Process {
    /// Starts the command and waits until it serves.
    #[must_use]
    pub fn start(command: &mut Command) -> Process {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (requests, answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut process = Process { child, requests, answers };
        assert_eq!(process.answer(), "ready");
        process
    }

    /// Sends a request; its answer is taken later.
    pub fn request(&mut self, request: &str) {
        writeln!(self.requests, "{request}").and_then(|()| self.requests.flush()).unwrap();
    }

    pub fn answer(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.answers.read_line(&mut line).unwrap(), 0, "the process has ended");
            // The test runner begins a line and does not end it.
            if let Some((_, answer)) = line.trim_end().split_once(MARK) {
                return answer.to_owned();
            }
        }
    }

    pub fn ask(&mut self, request: &str) -> String {
        self.request(request);
        self.answer()
    }

    /// Stands still from now on, and is alive.
    pub fn suspend(&self) {
        kill_process(self.pid(), Signal::STOP).unwrap();
        let (_, status) = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped(), "{status:?}");
    }

    pub fn resume(&self) {
        kill_process(self.pid(), Signal::CONT).unwrap();
    }

    /// Dies at once, wherever it is.
    pub fn kill(mut self) {
        self.end();
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn end(&mut self) {
        // Both fail only for one that has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
