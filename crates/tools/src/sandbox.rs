//! Where commands run: what a room of theirs is made of, and whether one can be made here at all.
//!
//! The room of a session's first command is made when that command is prepared, and shows by that what is possible. Must
//! not decide about approval: it says how strong the sandbox is, and policy says what follows.

use crate::supervise::client;
use crate::supervise::launch::Launcher;
use crate::supervise::{Fitted, Spec, Walls};
use contract::call::Sandbox;
use contract::id::{BootId, StreamId};
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

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
    /// What the room has; nothing where there is none.
    pub fitted: Option<Fitted>,
}

/// Why nothing holds a command, so that it cannot run.
#[derive(Debug)]
pub(crate) enum NoSandbox {
    /// The folder that it would run in cannot be used.
    Folder(io::Error),
    /// Its temporary folder cannot be made.
    Temp(io::Error),
    /// There is nobody to make a room.
    Supervisor(io::Error),
    Room(String),
}

/// What every room of this process is made of.
#[derive(Debug)]
pub(crate) struct Sandboxes {
    sandboxing: Sandboxing,
    /// One folder for each session is made below it.
    temp: PathBuf,
    hidden: Vec<OsString>,
    protected: Vec<OsString>,
    /// What was found when the first room was made. Where none could be, the next call tries again.
    found: OnceLock<Found>,
}

impl Sandboxes {
    pub(crate) fn new(sandboxing: Sandboxing, temp: PathBuf, hidden: &[PathBuf], protected: &[PathBuf]) -> Sandboxes {
        let texts = |paths: &[PathBuf]| paths.iter().map(|path| path.clone().into_os_string()).collect();
        Sandboxes { sandboxing, temp, hidden: texts(hidden), protected: texts(protected), found: OnceLock::new() }
    }

    /// What holds the commands of this session in this folder. An error says why nothing can.
    pub(crate) async fn find(&self, launcher: &Launcher, folder: &Path, stream: &StreamId) -> Result<Found, NoSandbox> {
        if self.sandboxing == Sandboxing::Off {
            return Ok(Found { sandbox: Sandbox::Off, fitted: None });
        }
        if let Some(found) = self.found.get() {
            return Ok(found.clone());
        }
        let order = Spec {
            argv: Vec::new(),
            env: Vec::new(),
            folder: folder.canonicalize().and_then(|_| std::path::absolute(folder)).map_err(NoSandbox::Folder)?.into(),
            spool: OsString::new(),
            boot: BootId(String::new()),
            stdin: false,
            timeout_ms: None,
            grace_ms: 0,
            output_bytes_max: 0,
            room: Some(self.walls(stream, false).map_err(NoSandbox::Temp)?),
        };
        let made = client::make_room(launcher, &order).await.map_err(NoSandbox::Supervisor)?;
        let fitted = made.map_err(NoSandbox::Room)?;
        let found = Found { sandbox: Sandbox::Full, fitted: Some(fitted) };
        Ok(self.found.get_or_init(|| found).clone())
    }

    /// Puts a command where it belongs.
    pub(crate) fn confine(&self, spec: &mut Spec, stream: &StreamId, network: bool) -> io::Result<()> {
        if self.sandboxing == Sandboxing::Off {
            return Ok(());
        }
        spec.env.retain(|(name, _)| !TEMPORARY_NAMES.iter().any(|temporary| name == temporary));
        spec.env.push((TEMPORARY_NAMES[0].into(), TEMPORARY.into()));
        spec.room = Some(self.walls(stream, network)?);
        Ok(())
    }

    fn walls(&self, stream: &StreamId, network: bool) -> io::Result<Walls> {
        let temp = self.temp.join(stream.as_str().replace('/', "-"));
        match DirBuilder::new().mode(0o700).create(&temp) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => DirBuilder::new().mode(0o700).recursive(true).create(&temp)?,
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
        Ok(Walls { temp: temp.into(), hidden: self.hidden.clone(), protected: self.protected.clone(), network })
    }
}
