//! Counts effects in a process of its own, which nobody kills: what arrived here has happened.
//!
//! The daemon takes one request after the other from its socket and puts each arrival on disk before it answers, so a
//! tally knows every arrival whose sender has ended. Must not know jobs or what should arrive.

use super::fault::Fault;
use crate::until::{DEADLINE, within};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// The name under which commands call the program to have a step counted.
pub const CLIENT: &str = "count";
/// The sub-command that is the daemon.
pub const DAEMON: &str = "counter";
/// What a client must know, by environment.
pub const SOCKET: &str = "COUNT_SOCKET";
pub const CASE: &str = "COUNT_CASE";
pub const THRU: &str = "COUNT_THRU";
pub const SESSION: &str = "COUNT_SESSION";
/// What the step that speaks says to its session.
pub const SAID: &str = "change of plan";

/// How often each step of a case arrived.
pub type Tally = BTreeMap<String, usize>;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Count { case: String, step: String, after: Option<After> },
    Tally { case: String },
}

/// The answer waits until another step has arrived too.
#[derive(Debug, Serialize, Deserialize)]
struct After {
    step: String,
    /// It may never arrive, when somebody was killed.
    within_s: u64,
}

/// The daemon, as the process that started it knows it.
#[derive(Debug)]
pub struct Counter {
    pub socket: PathBuf,
    daemon: Child,
    /// The daemon ends when this is closed, also when we are killed.
    life: Option<ChildStdin>,
}

impl Counter {
    /// Starts the daemon; it keeps its socket and its arrivals in the folder.
    pub fn start(folder: &Path) -> io::Result<Counter> {
        let socket = folder.join("socket");
        let arguments = [DAEMON.as_ref(), folder.as_os_str()];
        let mut daemon = Command::new(std::env::current_exe()?).args(arguments).stdin(Stdio::piped()).spawn()?;
        let life = daemon.stdin.take();
        let up = within(DEADLINE, || UnixStream::connect(&socket).ok());
        up.map(|_| Counter { socket, daemon, life }).ok_or_else(|| io::ErrorKind::TimedOut.into())
    }

    pub fn tally(&self, case: &str) -> Result<Tally, Fault> {
        let answer = ask(&self.socket, &Request::Tally { case: case.to_owned() })?;
        Ok(serde_json::from_str(&answer).map_err(io::Error::from)?)
    }

    /// Says that a step has been done, so that whoever waits for it goes on.
    pub fn arrive(&self, case: &str, step: &str) -> Result<(), Fault> {
        ask(&self.socket, &Request::Count { case: case.to_owned(), step: step.to_owned(), after: None })?;
        Ok(())
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        drop(self.life.take());
        // It ends by itself; whether that can be waited for changes nothing any more.
        let _ = self.daemon.wait();
    }
}

fn ask(socket: &Path, request: &Request) -> io::Result<String> {
    let mut stream = UnixStream::connect(socket)?;
    stream.write_all(format!("{}\n", serde_json::to_string(request)?).as_bytes())?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    if answer.is_empty() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(answer) }
}

/// What a command of the job does: `count STEP [after OTHER within SECONDS | and say]`.
pub fn client(arguments: &[&str]) -> ExitCode {
    let (step, after, says) = match arguments {
        [step] => (step, None, false),
        [step, "and", "say"] => (step, None, true),
        [step, "after", other, "within", seconds] => {
            let Ok(within_s) = seconds.parse() else { return ExitCode::from(2) };
            (step, Some(After { step: (*other).to_owned(), within_s }), false)
        }
        _ => return ExitCode::from(2),
    };
    let (Some(socket), Ok(case)) = (std::env::var_os(SOCKET), std::env::var(CASE)) else { return ExitCode::from(2) };
    let counted = ask(Path::new(&socket), &Request::Count { case, step: (*step).to_owned(), after });
    if counted.is_ok() && (!says || say()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Says something to the session that runs this command, as a person would from elsewhere.
fn say() -> bool {
    let (Some(thru), Some(session)) = (std::env::var_os(THRU), std::env::var_os(SESSION)) else { return false };
    let mut send = Command::new(thru);
    send.arg("send").arg(session).args(["--key", SAID, SAID]);
    // The environment is that of the process under test, and only that one is to die.
    send.env_remove("CRASH_AT").env_remove("CRASH_LIST");
    send.status().is_ok_and(|status| status.success())
}

/// Every arrival, and who waits for one.
struct Arrivals {
    file: Mutex<File>,
    of_cases: Mutex<BTreeMap<String, Tally>>,
    more: Condvar,
}

/// The daemon. Arrivals are recorded in the order in which they were sent: only answers wait beside each other.
pub fn serve(folder: &Path) -> io::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(folder.join("arrivals"))?;
    let listener = UnixListener::bind(folder.join("socket"))?;
    let arrivals = Arc::new(Arrivals { file: Mutex::new(file), of_cases: Mutex::default(), more: Condvar::new() });
    std::thread::spawn(|| {
        // Only its end is of interest.
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    for stream in listener.incoming() {
        // A client that was killed in the middle of its request has not arrived.
        let Ok(mut stream) = stream else { continue };
        let mut line = String::new();
        let read = BufReader::new(&stream).read_line(&mut line);
        let Some(request) = read.ok().and_then(|_| serde_json::from_str(&line).ok()) else { continue };
        match request {
            Request::Tally { case } => {
                let tally = arrivals.lock().get(&case).cloned().unwrap_or_default();
                // Whoever went away does not want to know.
                let _ = writeln!(stream, "{}", serde_json::to_string(&tally)?);
            }
            Request::Count { case, step, after } => {
                arrivals.record(&case, step)?;
                let arrivals = Arc::clone(&arrivals);
                std::thread::spawn(move || {
                    arrivals.wait(&case, after.as_ref());
                    let _ = writeln!(stream, "counted");
                });
            }
        }
    }
    Ok(())
}

impl Arrivals {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Tally>> {
        self.of_cases.lock().unwrap_or_else(|broken| broken.into_inner())
    }

    fn record(&self, case: &str, step: String) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(|broken| broken.into_inner());
        writeln!(file, "{case} {step}")?;
        file.sync_data()?;
        *self.lock().entry(case.to_owned()).or_default().entry(step).or_default() += 1;
        self.more.notify_all();
        Ok(())
    }

    fn wait(&self, case: &str, after: Option<&After>) {
        let Some(After { step, within_s }) = after else { return };
        let is_missing = |cases: &mut BTreeMap<String, Tally>| !cases.get(case).is_some_and(|tally| tally.contains_key(step));
        // Whether it came in time is for the judge to say.
        drop(self.more.wait_timeout_while(self.lock(), Duration::from_secs(*within_s), is_missing));
    }
}
