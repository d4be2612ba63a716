//! What owner and supervisor say to each other, and the exit record.
//!
//! The specification travels over a socket only, because its environment may hold secrets. Must hold no behaviour.

use contract::id::BootId;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Bytes of a specification; arguments and environment of one exec are limited to a few MiB by the kernel.
const SPEC_BYTES_MAX: u32 = 16 * 1024 * 1024;
const LENGTH_BYTES: usize = size_of::<u32>();

/// A command to run. Paths are absolute, because the supervisor works in folders of its own.
#[derive(Clone, PartialEq, Eq)]
pub struct Spec {
    pub argv: Vec<OsString>,
    /// The whole environment of the command.
    pub env: Vec<(OsString, OsString)>,
    pub folder: OsString,
    /// The folder that the attempt is to have.
    pub spool: OsString,
    /// The boot under which the attempt was started, as the log names it.
    pub boot: BootId,
    pub streams: Streams,
    pub timeout_ms: Option<u64>,
    /// Time between the polite and the forced end after a timeout.
    pub grace_ms: u64,
    pub output_bytes_max: u64,
    /// Where it runs: in a room of its own, or anywhere with the rights of its owner.
    pub room: Option<Walls>,
}

/// What input and output of a command are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Streams {
    /// Its output goes into a pipe, and its input is empty.
    Output,
    /// Another pipe has what is sent as [`Command::Input`].
    Both,
    /// A terminal of its own has all of it.
    Terminal,
}

/// How a room is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// With namespaces that the supervisor makes itself.
    Namespaces,
    /// With those that `bwrap` may make where others may not.
    Bubblewrap,
    /// Without any: Landlock and a filter alone. What is protected inside the workspace is not.
    Landlock,
}

impl Way {
    /// The best first.
    pub const ALL: [Way; 3] = [Way::Namespaces, Way::Bubblewrap, Way::Landlock];
}

/// What a command in a room may touch, beside its folder, which it may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walls {
    pub way: Way,
    /// The folder that a command sees as the one for what is temporary.
    pub temp: OsString,
    /// Folders that it finds empty.
    pub hidden: Vec<OsString>,
    /// Folders that it cannot change even inside its own.
    pub protected: Vec<OsString>,
    pub network: bool,
    /// Processes and threads that its commands may have at once.
    pub processes_max: u64,
}

/// What a room turned out to have, beyond what every room has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fitted {
    /// The version of Landlock, where the kernel has it.
    pub landlock: Option<u32>,
    /// Whether there is a limit to the number of its processes.
    pub counted: bool,
}

/// How a [`Spec`] travels: this as a line, then every text with a zero byte behind it, which none of them can hold.
#[derive(Serialize, Deserialize)]
struct Head {
    argv: usize,
    boot: BootId,
    streams: Streams,
    timeout_ms: Option<u64>,
    grace_ms: u64,
    output_bytes_max: u64,
    room: Option<RoomHead>,
}

#[derive(Serialize, Deserialize)]
struct RoomHead {
    way: Way,
    hidden: usize,
    protected: usize,
    network: bool,
    processes_max: u64,
}

/// One line on the control socket, from whoever controls the command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Sends this signal to the process group of the command.
    Signal(i32),
    /// Ends the whole tree: SIGTERM, and SIGKILL after the grace.
    Stop {
        grace_ms: u64,
    },
    Input(String),
    CloseInput(bool),
}

/// One line on the control socket, from the supervisor. An empty line only says that there is more output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    Done(bool),
    Refused(String),
    /// The supervisor gives up before its claim: nothing ran.
    Failed(String),
    /// There is a room, and no command yet.
    Made(Fitted),
    /// The command is over and so is everything below it; `None` when somebody else has claimed the attempt.
    Ended(Option<Exit>),
}

/// How a command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// Set when the command could not be executed, or could not be ended.
    pub error: Option<String>,
    pub timed_out: bool,
    /// Bytes of output in all, also those that were not kept.
    pub bytes: u64,
    /// Set when output could not be stored, such as on a full disk.
    pub output_error: Option<String>,
}

impl fmt::Debug for Spec {
    /// Without the environment, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spec").field("argv", &self.argv).field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Spec {
    /// The specification with its length before it.
    pub(super) fn to_frame(&self) -> io::Result<Vec<u8>> {
        let Spec { argv, env, folder, spool, boot, streams, timeout_ms, grace_ms, output_bytes_max, room } = self;
        let (streams, timeout_ms, grace_ms, output_bytes_max) = (*streams, *timeout_ms, *grace_ms, *output_bytes_max);
        let room_head = |walls: &Walls| RoomHead {
            way: walls.way,
            hidden: walls.hidden.len(),
            protected: walls.protected.len(),
            network: walls.network,
            processes_max: walls.processes_max,
        };
        let head = Head {
            argv: argv.len(),
            boot: boot.clone(),
            streams,
            timeout_ms,
            grace_ms,
            output_bytes_max,
            room: room.as_ref().map(room_head),
        };
        let walls = room.iter().flat_map(|walls| [&walls.temp].into_iter().chain(&walls.hidden).chain(&walls.protected));
        let mut frame = vec![0; LENGTH_BYTES];
        serde_json::to_writer(&mut frame, &head)?;
        frame.push(b'\n');
        let names_and_values = env.iter().flat_map(|(name, value)| [name, value]);
        for text in [folder, spool].into_iter().chain(walls).chain(argv).chain(names_and_values) {
            if text.as_bytes().contains(&0) {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            frame.extend_from_slice(text.as_bytes());
            frame.push(0);
        }
        let length = u32::try_from(frame.len() - LENGTH_BYTES).ok().filter(|length| *length <= SPEC_BYTES_MAX);
        let length = length.ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
        frame[..LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
        Ok(frame)
    }

    /// Reads exactly one frame; a frame cut short is an error, so half a specification never runs.
    pub(super) fn from_frame(mut from: impl Read) -> io::Result<Spec> {
        let mut length = [0; LENGTH_BYTES];
        from.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length);
        if length > SPEC_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut frame = vec![0; length as usize];
        from.read_exact(&mut frame)?;
        Spec::from_bytes(&frame)
    }

    fn from_bytes(frame: &[u8]) -> io::Result<Spec> {
        let malformed = || io::Error::from(io::ErrorKind::InvalidData);
        let end = frame.iter().position(|byte| *byte == b'\n').ok_or_else(malformed)?;
        let (head, texts) = frame.split_at(end);
        let Head { argv, boot, streams, timeout_ms, grace_ms, output_bytes_max, room } = serde_json::from_slice(head)?;
        let texts = texts.strip_prefix(b"\n").and_then(|texts| texts.strip_suffix(&[0])).ok_or_else(malformed)?;
        let mut texts = texts.split(|byte| *byte == 0).map(|text| OsString::from_vec(text.to_vec()));
        let mut next = || texts.next().ok_or_else(malformed);
        let (folder, spool) = (next()?, next()?);
        let mut several = |count: usize| (0..count).map(|_| next()).collect::<io::Result<Vec<OsString>>>();
        let room = match room {
            Some(RoomHead { way, hidden, protected, network, processes_max }) => {
                let temp = several(1)?.pop().ok_or_else(malformed)?;
                Some(Walls { way, temp, hidden: several(hidden)?, protected: several(protected)?, network, processes_max })
            }
            None => None,
        };
        let argv = several(argv)?;
        let mut env = Vec::new();
        while let Some(name) = texts.next() {
            env.push((name, texts.next().ok_or_else(malformed)?));
        }
        Ok(Spec { argv, env, folder, spool, boot, streams, timeout_ms, grace_ms, output_bytes_max, room })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_carries_any_bytes_and_is_refused_when_cut_short() {
        let odd = OsString::from_vec(vec![b'a', 0xff, b'b']);
        let spec = Spec {
            argv: vec!["true".into(), odd.clone()],
            env: vec![("SECRET".into(), odd.clone())],
            folder: odd.clone(),
            spool: odd.clone(),
            boot: BootId("b".into()),
            streams: Streams::Terminal,
            timeout_ms: Some(1),
            grace_ms: 2,
            output_bytes_max: 3,
            room: Some(Walls {
                way: Way::Landlock,
                temp: odd.clone(),
                hidden: vec![odd.clone()],
                protected: vec![odd.clone(), odd],
                network: true,
                processes_max: 7,
            }),
        };
        let frame = spec.to_frame().unwrap();
        let read = Spec::from_frame(frame.as_slice()).unwrap();
        assert_eq!(read, spec);
        for length in 0..frame.len() {
            assert!(Spec::from_frame(&frame[..length]).is_err());
        }
        let held = Spec { argv: vec![OsString::from_vec(vec![b'a', 0])], ..spec.clone() };
        assert!(held.to_frame().is_err(), "no program can be given a zero byte");
        assert!(!format!("{spec:?}").contains("SECRET"));
    }

    #[test]
    fn commands_have_the_documented_form() {
        let line = |command: &Command| serde_json::to_string(command).unwrap();
        assert_eq!(line(&Command::Signal(15)), r#"{"signal":15}"#);
        assert_eq!(line(&Command::Stop { grace_ms: 5000 }), r#"{"stop":{"grace_ms":5000}}"#);
        assert_eq!(line(&Command::Input("x".into())), r#"{"input":"x"}"#);
        assert_eq!(line(&Command::CloseInput(true)), r#"{"close_input":true}"#);
    }
}
