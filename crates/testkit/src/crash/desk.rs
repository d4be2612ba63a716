//! One case: a data folder, a working folder and the real binary between them, with whatever harm comes to it.
//!
//! Must not know which harm is interesting, nor what the outcome should be.

use super::counter::{CASE, Counter, SESSION, SOCKET, THRU};
use super::fault::Fault;
use super::{job, processes};
use crate::until::{DEADLINE, within};
use contract::id::{SessionId, derive};
use serde_json::Value;
use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What every case uses.
#[derive(Debug)]
pub struct Bench {
    pub thru: PathBuf,
    pub counter: Counter,
    /// Where cases have their folders.
    pub top: PathBuf,
    /// Where commands find the client of the counter.
    pub bin: PathBuf,
    /// Processes that were killed so far.
    pub kills: AtomicUsize,
}

impl Bench {
    /// The folder of a case.
    pub fn folder(&self, case: &str) -> PathBuf {
        // A search path cannot hold a colon.
        self.top.join(case.replace(':', "-"))
    }
}

#[derive(Debug)]
pub struct Desk<'a> {
    pub bench: &'a Bench,
    pub case: String,
    pub root: PathBuf,
    pub home: PathBuf,
    pub work: PathBuf,
    pub session: String,
    /// Some command may have died without anybody having seen its end.
    pub lost_supervisors: Cell<bool>,
    started: Cell<u32>,
}

/// What happens to a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Harm {
    None,
    /// It dies when it reaches this point, its supervisors when they reach theirs.
    At {
        owner: Option<u64>,
        supervisor: Option<u64>,
    },
    /// After some time somebody is killed.
    Kill {
        after: Duration,
        owner: bool,
        supervisors: bool,
    },
}

/// A process while it runs. What it says goes into files, which can be read at any time.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

/// What a process left of itself.
#[derive(Clone, Debug)]
pub struct Said {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// As a failure should tell it.
    pub fn told(&self) -> String {
        format!("{}, stderr: {}", self.status, self.stderr.trim())
    }

    pub fn was_killed(&self) -> bool {
        self.status.signal() == Some(rustix::process::Signal::KILL.as_raw())
    }

    /// Its JSON lines.
    pub fn lines(&self) -> impl Iterator<Item = Value> + '_ {
        self.stdout.lines().filter_map(|line| serde_json::from_str(line).ok())
    }
}

impl<'a> Desk<'a> {
    pub fn new(bench: &'a Bench, case: &str) -> Result<Desk<'a>, Fault> {
        let root = bench.folder(case);
        let desk = Desk {
            bench,
            case: case.to_owned(),
            home: root.join("home"),
            work: root.join("work"),
            root,
            session: SessionId(derive("session", &[job::KEY.as_bytes()])).to_string(),
            lost_supervisors: Cell::new(false),
            started: Cell::new(0),
        };
        job::lay_out(&desk.work, &desk.script())?;
        Ok(desk)
    }

    pub fn script(&self) -> PathBuf {
        self.root.join("job.jsonl")
    }

    /// The words that start the job; the second time they find it. No sandbox would let its commands speak with the counter.
    pub fn run_words(&self) -> Vec<OsString> {
        let mut model = OsString::from("script:");
        model.push(self.script());
        let mut words: Vec<OsString> = ["run", "--unsafe-no-sandbox", "--json", "--key", job::KEY].map(OsString::from).into();
        words.extend(["--model".into(), model, "-C".into(), self.work.clone().into_os_string()]);
        words.extend(job::ALLOWED.iter().flat_map(|rule| ["--allow", rule]).map(OsString::from));
        words.push("Count".into());
        words
    }

    pub fn resume_words(&self) -> Vec<OsString> {
        ["resume", "--unsafe-no-sandbox", "--json", &self.session].map(OsString::from).into()
    }

    /// The program with these words and nothing of our own environment but the path.
    pub fn command(&self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(&self.bench.thru);
        self.place(command.args(words));
        command
    }

    /// Standing in the root makes the process one of this case.
    pub fn place(&self, command: &mut Command) {
        let ours = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([self.bench.bin.clone()].into_iter().chain(std::env::split_paths(&ours)));
        command.current_dir(&self.root).stdin(Stdio::null()).env_clear().env("PATH", path.unwrap_or(ours));
        command.env("THRU_HOME", &self.home).env(SOCKET, &self.bench.counter.socket).env(CASE, &self.case);
        command.env(THRU, &self.bench.thru).env(SESSION, &self.session);
    }

    pub fn start(&self, mut command: Command) -> Result<Running, Fault> {
        let number = self.started.get();
        self.started.set(number + 1);
        let file = |kind: &str| self.root.join(format!("{kind}-{number}"));
        let (stdout, stderr) = (file("stdout"), file("stderr"));
        let child = command.stdout(File::create(&stdout)?).stderr(File::create(&stderr)?).spawn()?;
        Ok(Running { child, stdout, stderr })
    }

    /// Runs one of the program's short commands.
    pub fn thru(&self, words: &[&str]) -> Result<Said, Fault> {
        self.start(self.command(words))?.wait()
    }

    /// Runs the program, with harm, until it is gone.
    pub fn suffer(&self, words: &[OsString], harm: &Harm) -> Result<Said, Fault> {
        let mut command = self.command(words);
        if let Harm::At { owner, supervisor } = harm {
            command.envs(owner.map(|at| ("CRASH_AT", at.to_string())));
            command.envs(supervisor.map(|at| ("CRASH_AT_SUPERVISOR", at.to_string())));
            self.lost_supervisors.set(self.lost_supervisors.get() || supervisor.is_some());
        }
        let mut running = self.start(command)?;
        if let Harm::Kill { after, owner, supervisors } = harm {
            let ended = within(*after, || running.child.try_wait().ok().flatten());
            if ended.is_none() && *supervisors {
                self.kill_supervisors();
            }
            if ended.is_none() && *owner {
                running.child.kill()?;
            }
        }
        let said = running.wait()?;
        self.bench.kills.fetch_add(usize::from(said.was_killed()), Ordering::Relaxed);
        Ok(said)
    }

    pub fn kill_supervisors(&self) {
        let supervisors = processes::below(&self.home.join("spool"));
        supervisors.iter().for_each(processes::Process::kill);
        self.bench.kills.fetch_add(supervisors.len(), Ordering::Relaxed);
        self.lost_supervisors.set(self.lost_supervisors.get() || !supervisors.is_empty());
    }

    /// The stored events of the session, line by line.
    pub fn events(&self) -> Result<Vec<String>, Fault> {
        let said = self.thru(&["events", &self.session, "--json"])?;
        match said.status.code() {
            Some(0) => Ok(said.stdout.lines().map(str::to_owned).collect()),
            _ => Err(Fault::Wrong(format!("events: {}", said.told()))),
        }
    }

    /// What `verify` has to say of every stream; anything but praise is a fault.
    pub fn verified(&self) -> Result<Vec<Value>, Fault> {
        let said = self.thru(&["verify", "--json"])?;
        match said.status.code() {
            Some(0) => Ok(said.lines().collect()),
            _ => Err(Fault::Lost(format!("verify: {}", said.told()))),
        }
    }

    /// What was allowed for good where the job works.
    pub fn standing(&self) -> Result<Vec<String>, Fault> {
        let work = self.work.to_string_lossy();
        let said = self.thru(&["policy", "list", "--json", "-C", &work])?;
        match said.status.code() {
            Some(0) => Ok(said.lines().filter_map(|line| Some(line["rule"].as_str()?.to_owned())).collect()),
            _ => Err(Fault::Wrong(format!("policy: {}", said.told()))),
        }
    }

    pub fn notes(&self) -> Option<String> {
        fs::read_to_string(self.work.join(job::NOTES)).ok()
    }
}

impl Drop for Desk<'_> {
    fn drop(&mut self) {
        processes::end_all(&self.root);
    }
}

impl Running {
    pub fn stdout(&self) -> Result<String, Fault> {
        Ok(fs::read_to_string(&self.stdout)?)
    }

    pub fn kill(mut self) -> Result<Said, Fault> {
        self.child.kill()?;
        self.wait()
    }

    pub fn has_ended(&mut self) -> Result<bool, Fault> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Waits for its end; what does not end is stuck.
    pub fn wait(mut self) -> Result<Said, Fault> {
        let Some(status) = within(DEADLINE, || self.child.try_wait().ok().flatten()) else {
            self.child.kill()?;
            self.child.wait()?;
            return Err(Fault::Stuck(format!("a process did not end within {DEADLINE:?}; its output: {}", self.stdout.display())));
        };
        let said = Said { status, stdout: text(&self.stdout)?, stderr: text(&self.stderr)? };
        if said.stderr.contains("panicked") || status.code() == Some(70) {
            return Err(Fault::Wrong(format!("a process broke: {}", said.told())));
        }
        Ok(said)
    }
}

fn text(path: &Path) -> Result<String, Fault> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}
