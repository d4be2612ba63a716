//! What is shown and never stored, between processes: whoever drives sessions shows their frames on a socket of its own,
//! `live/<host>.sock`, to whoever asks for one of them. A new watcher first gets the text so far; one that is too slow
//! gets a gap and reads the log.

use contract::id::{HostId, StreamId};
use contract::port::{Frame, Live};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::broadcast;

/// Frames that a watcher may lag behind.
const FRAMES_MAX: usize = 1_024;

/// One line on the socket, from whoever drives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    Frame(Frame),
    /// Frames were left out; the log has what came of them.
    Gap,
}

/// One line on the socket, from a watcher.
#[derive(Serialize, Deserialize)]
struct Wish {
    stream: StreamId,
}

/// Text of an open model call, as far as it has come.
#[derive(Default)]
struct SoFar {
    frames: Vec<Frame>,
}

/// The frames of this process.
pub struct Stage {
    frames: broadcast::Sender<Frame>,
    so_far: Mutex<BTreeMap<StreamId, SoFar>>,
}

impl Stage {
    pub(crate) fn new() -> Stage {
        Stage { frames: broadcast::channel(FRAMES_MAX).0, so_far: Mutex::default() }
    }

    /// The text so far of this stream, and what comes from now on: nothing is lost or doubled in between.
    fn watch(&self, stream: &StreamId) -> (Vec<Frame>, broadcast::Receiver<Frame>) {
        let so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        (so_far.get(stream).map(|so_far| so_far.frames.clone()).unwrap_or_default(), self.frames.subscribe())
    }
}

impl Live for Stage {
    fn show(&self, frame: Frame) {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.entry(frame.stream().clone()).or_default().add(frame.clone());
        // Nobody may be watching.
        drop(self.frames.send(frame));
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage").finish_non_exhaustive()
    }
}

impl SoFar {
    /// Output of commands is kept by their supervisors; of a model only the open call counts, which replaces an earlier one.
    fn add(&mut self, frame: Frame) {
        let Some(call) = frame.model_call() else { return };
        self.frames.retain(|one| one.model_call() == Some(call));
        match self.frames.iter_mut().find(|one| std::mem::discriminant(*one) == std::mem::discriminant(&frame)) {
            Some(one) => one.text_mut().push_str(frame.text()),
            None => self.frames.push(frame),
        }
    }
}

/// Shows the frames of this process to others until it ends.
pub(crate) fn serve(home: &Path, host: HostId, stage: Arc<Stage>) -> io::Result<Open> {
    let folder = home.join("live");
    // Only its owner may look: what is shown may hold secrets.
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let path = path(home, host);
    let listener = bind(&folder, &path)?;
    let task = tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(show(connection, Arc::clone(&stage)));
        }
    });
    Ok(Open { path, task })
}

/// An open socket; dropped, it is closed and its file removed.
#[derive(Debug)]
pub(crate) struct Open {
    path: PathBuf,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.task.abort();
        // What is left behind is found by whoever opens the folder next.
        drop(std::fs::remove_file(&self.path));
    }
}

fn path(home: &Path, host: HostId) -> PathBuf {
    home.join("live").join(format!("{host}.sock"))
}

/// Through the open folder, because the path of a socket may have only 107 bytes.
fn through(folder: &std::fs::File, path: &Path) -> PathBuf {
    use std::os::fd::AsRawFd;
    Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(path.file_name().unwrap_or_default())
}

fn bind(folder: &Path, path: &Path) -> io::Result<UnixListener> {
    let folder = std::fs::File::open(folder)?;
    UnixListener::bind(through(&folder, path))
}

/// One watcher: what it wishes, the text so far, then what comes.
async fn show(connection: UnixStream, stage: Arc<Stage>) {
    let (read, mut write) = connection.into_split();
    let mut lines = BufReader::new(read).lines();
    let Ok(Some(line)) = lines.next_line().await else { return };
    let Ok(Wish { stream }) = serde_json::from_str(&line) else { return };
    let (so_far, mut frames) = stage.watch(&stream);
    for frame in so_far {
        if say(&mut write, &Shown::Frame(frame)).await.is_err() {
            return;
        }
    }
    loop {
        let shown = tokio::select! {
            frame = frames.recv() => match frame {
                Ok(frame) if *frame.stream() == stream => Shown::Frame(frame),
                Ok(_) => continue,
                Err(broadcast::error::RecvError::Lagged(_)) => Shown::Gap,
                Err(broadcast::error::RecvError::Closed) => return,
            },
            // A watcher says nothing more; what comes is its end.
            _ = lines.next_line() => return,
        };
        if say(&mut write, &shown).await.is_err() {
            return;
        }
    }
}

async fn say(write: &mut (impl AsyncWriteExt + Unpin), shown: &Shown) -> io::Result<()> {
    let mut line = serde_json::to_vec(shown)?;
    line.push(b'\n');
    write.write_all(&line).await
}

/// The frames of a session that another process drives.
#[derive(Debug)]
pub struct Watching {
    lines: Lines<BufReader<UnixStream>>,
}

impl Watching {
    pub(crate) async fn connect(home: &Path, host: HostId, stream: &StreamId) -> io::Result<Watching> {
        let path = path(home, host);
        let folder = std::fs::File::open(home.join("live"))?;
        let mut connection = UnixStream::connect(through(&folder, &path)).await?;
        say_wish(&mut connection, stream).await?;
        Ok(Watching { lines: BufReader::new(connection).lines() })
    }

    /// What is shown next; none when whoever drove the session has gone. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Shown> {
        loop {
            let line = self.lines.next_line().await.ok()??;
            // Another version may show what this one does not know.
            if let Ok(shown) = serde_json::from_str(&line) {
                return Some(shown);
            }
        }
    }
}

async fn say_wish(connection: &mut UnixStream, stream: &StreamId) -> io::Result<()> {
    let mut line = serde_json::to_vec(&Wish { stream: stream.clone() })?;
    line.push(b'\n');
    connection.write_all(&line).await
}
