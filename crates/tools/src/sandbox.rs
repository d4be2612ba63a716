//! Where commands run: what a room of theirs is made of, and whether one can be made here at all.
//!
//! The room of a session's first command is made when that command is prepared, and shows by that what is possible. Must
//! not decide about approval: it says how strong the sandbox is, and policy says what follows.

use crate::Options;
use crate::supervise::client;
use crate::supervise::launch::Launcher;
use crate::supervise::{Fitted, Spec, Streams, Walls, Way};
use contract::call::Sandbox;
use contract::id::{BootId, SessionId, StreamId};
use rustix::fs::{FlockOperation, flock};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What the name of a session's temporary folder begins with.
const OF_SESSION: &str = "session-";
/// Where temporary files go inside a room.
const TEMPORARY: &str = "/tmp";
/// Variables that name a folder for temporary files.
const TEMPORARY_NAMES: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// Whether commands run in rooms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandboxing {
    On,
    /// A person said that commands may do what they themselves may.
    Off,
}

/// What the sandbox is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub sandbox: Sandbox,
    /// How rooms are made and what they have; nothing where there are none.
    pub room: Option<(Way, Fitted)>,
    /// Better ways that could not be gone, and why.
    pub failed: Vec<(Way, String)>,
}

/// Why nothing holds a command, so that it cannot run.
#[derive(Debug)]
pub(crate) enum NoSandbox {
    /// The folder that it would run in cannot be used.
    Folder(io::Error),
    /// There is nobody to make a room.
    Supervisor(io::Error),
    /// No way to make one could be gone.
    Room(Vec<(Way, String)>),
}

/// Temporary folders below `temp` that no room stands on, by the sessions that they are of.
#[must_use]
pub fn unused_temps(temp: &Path) -> Vec<(SessionId, UnusedTemp)> {
    let entries = std::fs::read_dir(temp).into_iter().flatten().flatten();
    let unused = entries.filter_map(|entry| {
        let session = entry.file_name().to_str()?.strip_prefix(OF_SESSION)?.parse().ok()?;
        let lock = File::open(entry.path()).ok()?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?;
        Some((session, UnusedTemp { path: entry.path(), _lock: lock }))
    });
    unused.collect()
}

/// Nobody can begin to use it while this value lives.
#[derive(Debug)]
pub struct UnusedTemp {
    path: PathBuf,
    _lock: File,
}

impl UnusedTemp {
    pub fn remove(self) -> io::Result<()> {
        std::fs::remove_dir_all(&self.path)
    }
}

/// What every room of this process is made of.
#[derive(Debug)]
pub(crate) struct Sandboxes {
    sandboxing: Sandboxing,
    ways: Vec<Way>,
    processes_max: u64,
    /// One folder for each session is made below it.
    temp: PathBuf,
    hidden: Vec<OsString>,
    protected: Vec<OsString>,
    /// What was found when the first room was made. Where none could be, the next call tries again.
    found: OnceLock<Found>,
}

impl Sandboxes {
    /// By options whose paths are absolute.
    pub(crate) fn new(options: &Options) -> Sandboxes {
        let texts = |paths: &[PathBuf]| paths.iter().map(|path| path.clone().into_os_string()).collect();
        let Options { sandboxing, processes_max, .. } = *options;
        let (ways, temp, hidden, protected) = (options.ways.clone(), options.temp.clone(), &options.unseen, &options.unchanged);
        Sandboxes { sandboxing, ways, processes_max, temp, hidden: texts(hidden), protected: texts(protected), found: OnceLock::new() }
    }

    /// What holds the commands of this session in this folder. An error says why nothing can.
    pub(crate) async fn find(&self, launcher: &Launcher, folder: &Path, stream: &StreamId) -> Result<Found, NoSandbox> {
        if self.sandboxing == Sandboxing::Off {
            return Ok(Found { sandbox: Sandbox::Off, room: None, failed: Vec::new() });
        }
        if let Some(found) = self.found.get() {
            return Ok(found.clone());
        }
        let mut order = Spec {
            argv: Vec::new(),
            env: Vec::new(),
            folder: folder.canonicalize().and_then(|_| std::path::absolute(folder)).map_err(NoSandbox::Folder)?.into(),
            spool: OsString::new(),
            boot: BootId(String::new()),
            streams: Streams::Output,
            timeout_ms: None,
            grace_ms: 0,
            output_bytes_max: 0,
            room: None,
        };
        let mut failed = Vec::new();
        for way in self.ways.iter().copied() {
            order.room = Some(self.walls(way, stream, false));
            let fitted = match client::make_room(launcher, &order).await.map_err(NoSandbox::Supervisor)? {
                Ok(fitted) => fitted,
                Err(reason) => {
                    failed.push((way, reason));
                    continue;
                }
            };
            let sandbox = match way {
                Way::Namespaces | Way::Bubblewrap => Sandbox::Full,
                Way::Landlock => Sandbox::Partial,
            };
            let found = Found { sandbox, room: Some((way, fitted)), failed };
            return Ok(self.found.get_or_init(|| found).clone());
        }
        Err(NoSandbox::Room(failed))
    }

    /// Puts a command where it belongs by what was found.
    pub(crate) fn confine(&self, spec: &mut Spec, found: &Found, stream: &StreamId, network: bool) {
        let Some((way, _)) = found.room else { return };
        let walls = self.walls(way, stream, network);
        let temporary = match way {
            Way::Namespaces | Way::Bubblewrap => TEMPORARY.into(),
            Way::Landlock => walls.temp.clone(),
        };
        spec.env.retain(|(name, _)| !TEMPORARY_NAMES.iter().any(|temporary| name == temporary));
        spec.env.push((TEMPORARY_NAMES[0].into(), temporary));
        spec.room = Some(walls);
    }

    fn walls(&self, way: Way, stream: &StreamId, network: bool) -> Walls {
        let name = stream.session_id().map_or_else(|| stream.as_str().replace('/', "-"), |session| format!("{OF_SESSION}{session}"));
        let temp = self.temp.join(name);
        Walls {
            way,
            temp: temp.into(),
            hidden: self.hidden.clone(),
            protected: self.protected.clone(),
            network,
            processes_max: self.processes_max,
        }
    }
}
