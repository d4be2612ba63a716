//! One data folder, one working folder, and the real binary in between. Ends every process when it goes.

use crate::events::Events;
use crate::process::{self, Process};
use rustix::process::Signal;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::until::until;

pub const TASK: &str = "Do it";
pub const THRU: &str = env!("CARGO_BIN_EXE_thru");

pub struct Desk {
    _temp: tempfile::TempDir,
    pub root: PathBuf,
    pub home: PathBuf,
    pub work: PathBuf,
    next: AtomicU32,
}

/// What the program left of itself.
#[derive(Clone, Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// The outcome, which is the last of its JSON lines.
    pub fn closed(&self) -> Value {
        serde_json::from_str(self.stdout.lines().last().unwrap()).unwrap()
    }
}

pub fn desk() -> Desk {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap();
    let (home, work) = (root.join("home"), root.join("work"));
    fs::create_dir(&work).unwrap();
    Desk { _temp: temp, root, home, work, next: AtomicU32::new(0) }
}

impl Desk {
    /// Writes the script that [`Desk::run`] plays.
    pub fn script(&self, lines: &[Value]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.root.join("job.jsonl"), text).unwrap();
    }

    pub fn command(&self, args: &[&str]) -> Command {
        self.standing_here(Command::new(THRU), args)
    }

    /// The command with these arguments and nothing of this process but the path.
    pub fn standing_here(&self, mut command: Command, args: &[&str]) -> Command {
        // Standing in the root makes the process one of the desk, without being one of the working folder.
        command.args(args).current_dir(&self.root).stdin(Stdio::null());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("THRU_HOME", &self.home);
        // Nobody listens there, whatever runs on this machine.
        command.env("OLLAMA_HOST", "127.0.0.1:1");
        command
    }

    /// Arguments of a run of the script, with more before the task. Nobody is asked unless `more` names a mode.
    pub fn run_args<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let work = self.work.to_str().unwrap();
        let start = ["run", "--model", "script:job.jsonl", "-C", work];
        let unasked: &[&str] = if more.contains(&"--mode") { &[] } else { &["--mode", "full"] };
        start.iter().chain(unasked).chain(more).copied().chain([TASK]).collect()
    }

    pub fn spawn(&self, args: &[&str]) -> Spawned {
        self.spawn_with(args, &[])
    }

    fn spawn_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Spawned {
        let name = self.next.fetch_add(1, Ordering::Relaxed);
        let (stdout, stderr) = (self.root.join(format!("stdout-{name}")), self.root.join(format!("stderr-{name}")));
        let mut command = self.command(args);
        command.envs(variables.iter().copied());
        // Files, not pipes: they can be looked at while it runs, and nobody has to empty them.
        command.stdout(fs::File::create(&stdout).unwrap()).stderr(fs::File::create(&stderr).unwrap());
        Spawned { child: command.spawn().unwrap(), stdout, stderr }
    }

    pub fn spawn_run(&self, more: &[&str]) -> Spawned {
        self.spawn(&self.run_args(&[&["--json"], more].concat()))
    }

    /// Plays the script in a process that drives it until its first command, which is held back, has begun.
    pub fn driven(&self, lines: &[Value], more: &[&str]) -> (Spawned, String) {
        self.script(lines);
        let run = self.spawn_run(more);
        let session = run.session();
        self.until_effect("began\n");
        (run, session)
    }

    pub fn thru(&self, args: &[&str]) -> Said {
        self.spawn(args).wait()
    }

    /// The same with variables of the environment.
    pub fn thru_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Said {
        self.spawn_with(args, variables).wait()
    }

    pub fn run(&self, more: &[&str]) -> Said {
        self.thru(&self.run_args(more))
    }

    /// Starts the program and kills it when it has printed `lines` lines; `None` if it ended before.
    pub fn killed_at_line(&self, args: &[&str], lines: usize) -> Option<ExitStatus> {
        self.killed_at_line_with(args, lines, &[])
    }

    /// The same with variables of the environment.
    pub fn killed_at_line_with(&self, args: &[&str], lines: usize, variables: &[(&str, &str)]) -> Option<ExitStatus> {
        let mut child = self.command(args).envs(variables.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let read = BufReader::new(child.stdout.take().unwrap()).lines().take(lines).filter_map(Result::ok).count();
        child.kill().unwrap();
        let status = child.wait().unwrap();
        (read < lines).then_some(status)
    }

    #[track_caller]
    pub fn events(&self, session: &str) -> Events {
        let said = self.thru(&["events", session, "--json"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let events = Events::parse(&said.stdout);
        events.assert_whole();
        events
    }

    /// Waits until the log of the session satisfies `look`, and gives it.
    #[track_caller]
    pub fn until_log(&self, session: &str, what: &str, look: impl Fn(&Events) -> bool) -> Events {
        until(what, || Some(self.events(session)).filter(|events| look(events)))
    }

    /// Waits until the session has this many events of a type.
    #[track_caller]
    pub fn until_count(&self, session: &str, name: &str, count: usize) -> Events {
        self.until_log(session, &format!("{count} of {name}"), |events| events.count(name) == count)
    }

    #[track_caller]
    pub fn until_said(&self, session: &str, text: &str) -> Events {
        self.until_log(session, text, |events| events.said().contains(&text))
    }

    #[track_caller]
    pub fn status(&self, session: &str) -> Value {
        let said = self.thru(&["status", session, "--json"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        serde_json::from_str(&said.stdout).unwrap()
    }

    /// The session, where there is one.
    pub fn only_session(&self) -> String {
        let listed = self.thru(&["status", "--json"]).stdout;
        let status: Value = serde_json::from_str(&listed).unwrap();
        status["session"].as_str().unwrap().to_owned()
    }

    /// Messages that no model has been shown.
    pub fn unseen(&self, session: &str) -> Vec<String> {
        let messages = self.status(session)["messages"].as_array().unwrap().clone();
        let waits = messages.into_iter().filter(|message| message["fate"] == "waiting");
        waits.map(|message| message["text"].as_str().unwrap().to_owned()).collect()
    }

    #[track_caller]
    pub fn assert_verified(&self) {
        let said = self.thru(&["verify"]);
        assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{said:?}");
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.work.join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Lets the command that [`crate::script::held_back`] made go on.
    pub fn go(&self) {
        self.release("go");
    }

    /// Lets a command that [`crate::script::held_by`] made go on.
    pub fn release(&self, name: &str) {
        fs::write(self.path(name), "").unwrap();
    }

    pub fn until_effect(&self, effect: &str) {
        until(effect, || (self.read("effect") == effect).then_some(()));
    }

    pub fn living(&self) -> Vec<Process> {
        process::living(&self.root)
    }

    pub fn until_quiet(&self) {
        until("no process is left", || self.living().is_empty().then_some(()));
    }

    /// Kills every supervisor and nothing else.
    pub fn kill_supervisors(&self) {
        let spool = self.home.join("spool");
        let supervisors: Vec<Process> = self.living().into_iter().filter(|process| process.folder.starts_with(&spool)).collect();
        assert!(!supervisors.is_empty(), "a supervisor is there to be killed");
        supervisors.iter().for_each(|process| process::signal(process.pid, Signal::KILL));
        until("the supervisors are dead", || (!self.living().iter().any(|left| supervisors.contains(left))).then_some(()));
    }

    /// Waits until a supervisor has put this output into its spool: what is still in the pipe dies with it.
    pub fn until_spooled(&self, output: &str) {
        // A folder that is gone belonged to a command that ended meanwhile.
        let folders = || self.spooled().into_iter().filter_map(|name| fs::read_dir(self.home.join("spool").join(name)).ok());
        let files = || folders().flatten().filter_map(|file| fs::read(file.ok()?.path()).ok());
        until(output, || files().any(|bytes| bytes == output.as_bytes()).then_some(()));
    }

    /// Names below the spool of what belongs to an attempt.
    pub fn spooled(&self) -> Vec<String> {
        // There is no spool before the first run.
        let entries = fs::read_dir(self.home.join("spool")).into_iter().flatten();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).filter(|name| name != "drafts").collect()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        process::kill_all(&self.root);
    }
}

pub struct Spawned {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Spawned {
    pub fn stdout(&self) -> String {
        fs::read_to_string(&self.stdout).unwrap()
    }

    /// The session, as the first of its JSON lines names it.
    pub fn session(&self) -> String {
        until("stream.opened", || {
            let first = self.stdout().lines().next().and_then(|line| serde_json::from_str::<Value>(line).ok())?;
            first["session"].as_str().map(str::to_owned)
        })
    }

    pub fn until_event(&self, name: &str) {
        until(name, || self.stdout().contains(&format!("\"type\":\"{name}\"")).then_some(()));
    }

    pub fn signal(&self, signal: Signal) {
        process::signal(self.child.id().cast_signed(), signal);
    }

    /// Sends SIGINT until it leaves, as a person would press Ctrl-C again.
    pub fn interrupt(mut self) -> Said {
        until("it leaves", || {
            self.signal(Signal::INT);
            self.child.try_wait().unwrap()
        });
        self.wait()
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(status.signal(), Some(Signal::KILL.as_raw()), "it was still running");
    }

    pub fn wait(mut self) -> Said {
        let status = until("the program ends", || self.child.try_wait().unwrap());
        let said = Said { code: status.code(), stdout: self.stdout(), stderr: text(&self.stderr) };
        for bad in ["panicked", "RUST_BACKTRACE", "stack backtrace"] {
            assert!(!said.stderr.contains(bad) && !said.stdout.contains(bad), "{said:?}");
        }
        said
    }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
