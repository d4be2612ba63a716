//! One toolbox with its folders, and the only way in which these tests wait.

use contract::body::UnknownReason;
use contract::call::Class;
use contract::id::{ActionId, BootId, CallId, MachineId, SessionId, StreamId};
use contract::port::{Frame, Here, Live, RawOutcome, Recovery, Target, ToolJob, Tools};
use contract::units::Time;
use serde_json::json;
use std::future::Future;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;
use tools::supervise::{Folder, Way};
use tools::{Options, Sandboxing, Toolbox};
use web::Reach;

/// The one deadline of all waits.
const DEADLINE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

pub const SUPERVISOR: &str = env!("CARGO_BIN_EXE_supervise");
pub const ACTION: ActionId = ActionId([1; 16]);
pub const ATTEMPT: u16 = 1;
/// The call whose attempt that is.
pub const CALL: CallId = CallId { reply: 3, index: 0 };

pub struct Desk {
    _temp: tempfile::TempDir,
    pub folder: PathBuf,
    pub spool: PathBuf,
    pub tools: Arc<Toolbox>,
    pub frames: Arc<Frames>,
}

/// Keeps what was shown live.
#[derive(Default)]
pub struct Frames(Mutex<Vec<(u64, String)>>);

impl Live for Frames {
    fn show(&self, frame: Frame) {
        if let Frame::ToolOutput { offset, text, .. } = frame {
            self.0.lock().unwrap().push((offset, text));
        }
    }
}

impl Frames {
    pub fn text(&self) -> String {
        self.0.lock().unwrap().iter().map(|(_, text)| text.as_str()).collect()
    }

    pub fn all(&self) -> Vec<(u64, String)> {
        self.0.lock().unwrap().clone()
    }
}

/// Waits for a fact that only a file or /proc can tell.
pub async fn until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let look = async {
        loop {
            if let Some(found) = found() {
                return found;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    tokio::time::timeout(DEADLINE, look).await.unwrap_or_else(|_| panic!("never: {what}"))
}

pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.expect("it ends within the deadline")
}

pub fn finished(code: i32, output: &str) -> RawOutcome {
    RawOutcome::Finished { ok: code == 0, output: output.into(), exit: Some(code), signal: None }
}

pub fn unknown(reason: UnknownReason, output: &str) -> RawOutcome {
    RawOutcome::Unknown { reason, output: output.into() }
}

pub fn desk() -> Desk {
    desk_with("spool")
}

pub fn desk_without_sandbox() -> Desk {
    desk_of("spool", Sandboxing::Off, &Way::ALL)
}

/// One whose commands run in rooms that are made in one of these ways.
pub fn desk_by(ways: &[Way]) -> Desk {
    desk_of("spool", Sandboxing::On, ways)
}

pub fn desk_with(spool: &str) -> Desk {
    desk_of(spool, Sandboxing::On, &Way::ALL)
}

fn desk_of(spool: &str, sandboxing: Sandboxing, ways: &[Way]) -> Desk {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap();
    let (folder, spool) = (root.join("work"), root.join(spool));
    std::fs::create_dir(&folder).unwrap();
    let tools = toolbox(SUPERVISOR, &spool, sandboxing, ways);
    Desk { _temp: temp, folder, spool, tools, frames: Arc::default() }
}

/// A desk at which these addresses count as public.
pub fn desk_that_reaches(also: &[SocketAddr]) -> Desk {
    let desk = desk();
    let reach = Reach { also: also.iter().copied().collect(), ..Reach::default() };
    let tools = Arc::new(Toolbox::new(Options { reach, ..Options::new(&desk.spool) }).unwrap());
    Desk { tools, ..desk }
}

/// Small, so that a command which makes processes without end does no harm.
pub const PROCESSES_MAX: u64 = 60;

fn toolbox(supervisor: impl Into<PathBuf>, spool: &Path, sandboxing: Sandboxing, ways: &[Way]) -> Arc<Toolbox> {
    let options = Options {
        supervisor: supervisor.into(),
        sandboxing,
        ways: ways.to_vec(),
        processes_max: PROCESSES_MAX,
        other_machine_patience: Duration::from_millis(1),
        ..Options::new(spool)
    };
    Arc::new(Toolbox::new(options).unwrap())
}

impl Desk {
    /// Another owner takes over; the one before is gone.
    pub fn hand_over(self) -> Desk {
        self.hand_over_by(&Way::ALL)
    }

    pub fn hand_over_by(self, ways: &[Way]) -> Desk {
        let tools = toolbox(SUPERVISOR, &self.spool, Sandboxing::On, ways);
        Desk { tools, ..self }
    }

    /// The same whose supervisors are those of nobody, in folders that nobody may use.
    pub fn of_nobody(self) -> Desk {
        let root = self.folder.parent().unwrap();
        let supervisor = root.join("supervise");
        std::fs::copy(SUPERVISOR, root.join("program")).unwrap();
        let program = root.join("program").display().to_string();
        std::fs::write(&supervisor, format!("#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups {program}\n")).unwrap();
        let (spool, temp) = (root.join("spool"), root.join("temp"));
        for folder in [&spool, &temp] {
            std::fs::create_dir(folder).unwrap();
        }
        let session = temp.join(self.job("").stream.as_str().replace('/', "-"));
        std::fs::create_dir(&session).unwrap();
        for path in [root, &self.folder, &spool, &temp, &session, &supervisor] {
            std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        }
        let tools = toolbox(supervisor, &spool, Sandboxing::On, &[Way::Namespaces]);
        Desk { tools, ..self }
    }

    pub fn here(&self) -> Here {
        Here { machine: MachineId([1; 16]), boot: BootId("this boot".into()) }
    }

    pub fn attempt(&self) -> Folder {
        Folder::of(&self.spool, ACTION, ATTEMPT)
    }

    pub fn in_spool(&self, name: &str) -> PathBuf {
        self.attempt().path().join(name)
    }

    pub fn job_with(&self, args: &serde_json::Value) -> ToolJob {
        let Here { machine, boot } = self.here();
        ToolJob {
            stream: StreamId::session(SessionId([1; 16])),
            action: ACTION,
            attempt: ATTEMPT,
            tool: "shell".into(),
            args: args.to_string(),
            folder: self.folder.clone(),
            witness: None,
            sandbox: None,
            class: Class::Probe,
            target: None,
            machine,
            boot,
            live: self.frames.clone(),
        }
    }

    pub fn job(&self, command: &str) -> ToolJob {
        self.job_with(&json!({ "command": command }))
    }

    /// A call of another tool about the attempt, ten seconds after its start.
    pub fn job_about(&self, tool: &str, args: &serde_json::Value) -> ToolJob {
        let target = Target { call: CALL, tool: "shell".into(), action: ACTION, attempt: ATTEMPT, since: Time(0), now: Time(10_000) };
        ToolJob { action: ActionId([2; 16]), tool: tool.into(), target: Some(target), ..self.job_with(args) }
    }

    /// What such a call is told; `Err` is a result that says no.
    pub async fn ask_about(&self, tool: &str, args: &serde_json::Value) -> Result<String, String> {
        match within(self.tools.start(self.job_about(tool, args))).await {
            RawOutcome::Finished { ok: true, output, exit: None, signal: None } => Ok(output),
            RawOutcome::Finished { ok: false, output, exit: None, signal: None } => Err(output),
            other @ (RawOutcome::Finished { .. } | RawOutcome::Cancelled(_) | RawOutcome::Unknown { .. }) => panic!("{other:?}"),
        }
    }

    /// What the attempt has printed so far.
    pub fn output(&self) -> String {
        tools::supervise::output::whole(self.attempt().path())
    }

    pub async fn run(&self, command: &str) -> RawOutcome {
        within(self.tools.start(self.job(command))).await
    }

    /// Starts on a task of its own; aborting that task is what leaving does.
    pub fn start(&self, job: ToolJob) -> JoinHandle<RawOutcome> {
        let tools = Arc::clone(&self.tools);
        tokio::spawn(async move { tools.start(job).await })
    }

    /// Starts a command, waits for it to make the file `ready`, and lets go of it as an owner does that ends.
    pub async fn start_and_leave(&self, command: &str) -> ToolJob {
        let job = self.job(command);
        let started = self.start(job.clone());
        self.until_file("ready").await;
        started.abort();
        assert!(started.await.unwrap_err().is_cancelled());
        job
    }

    pub async fn recover(&self, job: &ToolJob) -> Recovery {
        within(self.tools.recover(job.clone(), &self.here())).await
    }

    pub async fn recover_ended(&self, job: &ToolJob) -> RawOutcome {
        match self.recover(job).await {
            Recovery::Ended(outcome) => outcome,
            Recovery::Running(_) => panic!("it is running"),
        }
    }

    /// The content of a file in the work folder once it has some.
    pub async fn until_file(&self, name: &str) -> String {
        let path = self.folder.join(name);
        until(name, || std::fs::read_to_string(&path).ok().filter(|text| text.ends_with('\n'))).await
    }

    /// The process that wrote its own number into a file, by the number that it has outside of its room; it may be gone.
    pub async fn until_pid(&self, name: &str) -> i32 {
        let inside: i32 = self.until_file(name).await.trim().parse().unwrap();
        outside(self.supervisor_pid(), inside).unwrap_or(i32::MAX)
    }

    pub fn make_gate(&self) -> PathBuf {
        self.make_gate_named("gate")
    }

    /// A command that waits twice needs two: it may come back to the first before whoever opened it has let go.
    pub fn make_gate_named(&self, name: &str) -> PathBuf {
        let gate = self.folder.join(name);
        rustix::fs::mknodat(rustix::fs::CWD, &gate, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        gate
    }

    /// Lets a command go on that waits with `read x < gate`.
    pub async fn open_gate(&self, gate: &Path) {
        let gate = gate.to_owned();
        within(tokio::task::spawn_blocking(move || std::fs::write(gate, "go\n").unwrap())).await.unwrap();
    }

    pub fn supervisor_pid(&self) -> i32 {
        let claim = std::fs::read_to_string(self.in_spool("claim")).unwrap();
        let claim: serde_json::Value = serde_json::from_str(claim.lines().next().unwrap()).unwrap();
        i32::try_from(claim["held"]["pid"].as_i64().unwrap()).unwrap()
    }

    /// The exit record as it is on disk.
    pub fn exit_record(&self) -> String {
        std::fs::read_to_string(self.in_spool("claim")).unwrap().lines().nth(1).unwrap_or_default().to_owned()
    }

    /// Puts something else in its place.
    pub fn change_exit_record(&self, record: &str) {
        let claim = std::fs::read_to_string(self.in_spool("claim")).unwrap();
        std::fs::write(self.in_spool("claim"), format!("{}\n{record}", claim.lines().next().unwrap())).unwrap();
    }

    pub fn kill_supervisor(&self) {
        let pid = rustix::process::Pid::from_raw(self.supervisor_pid()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
}

/// The number outside of the process below `root` that has this one inside.
pub fn outside(root: i32, inside: i32) -> Option<i32> {
    below(root).into_iter().find(|pid| status(*pid, "NSpid:") == Some(inside))
}

/// Processes that come from this one.
pub fn below(root: i32) -> Vec<i32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let parent = |pid: &i32| status(*pid, "PPid:").filter(|parent| *parent > 1);
    all.filter(|pid| *pid != root && std::iter::successors(Some(*pid), parent).any(|pid| pid == root)).collect()
}

/// The last number of a line in the status of a process.
fn status(pid: i32, line: &str) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|found| found.strip_prefix(line))?.split_whitespace().last()?.parse().ok()
}

/// Whether a process runs; one that ended and was not reaped does not.
pub fn lives(pid: i32) -> bool {
    state(pid).is_some_and(|state| state != "Z" && state != "X")
}

/// The letter that the kernel gives to what a process does.
pub fn state(pid: i32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().next().map(str::to_owned)
}
