//! What is shown and never stored, to this process and between processes: whoever drives sessions shows their frames on a socket of its own,
//! `live/<host>.sock`, to whoever asks for one of them. A new watcher first gets the text so far; one that is too slow
//! gets a gap and reads the log.

use contract::id::{EventId, HostId, SessionId, StreamId};
use contract::port::{Frame, Live};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Split};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::broadcast;

/// Frames that a watcher may lag behind.
const FRAMES_MAX: usize = 1_024;
/// Time after which a socket that took nobody is tried again.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// Bytes that a watcher may say: one wish, which is the name of a stream.
const WISH_BYTES_MAX: u64 = 4 * 1024;

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

    /// Whatever comes from now on, of any stream.
    pub(crate) fn listen(&self) -> Listening {
        Listening { frames: self.frames.subscribe() }
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
        if let Some(call) = frame.model_call() {
            so_far.entry(frame.stream().clone()).or_default().add(call, frame.clone());
        }
        // Nobody may be watching.
        drop(self.frames.send(frame));
    }

    fn over(&self, stream: &StreamId) {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner).remove(stream);
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage").finish_non_exhaustive()
    }
}

impl SoFar {
    /// Output of commands is kept by their supervisors; of a model only the open call counts, which replaces an earlier one.
    fn add(&mut self, call: (EventId, u16), frame: Frame) {
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
        loop {
            match listener.accept().await {
                Ok((connection, _)) => drop(tokio::spawn(show(connection, Arc::clone(&stage)))),
                // Too many files are open, or whoever came is gone again: the next one may have more luck.
                Err(_) => tokio::time::sleep(ACCEPT_AGAIN).await,
            }
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
    let mut lines = BufReader::new(read.take(WISH_BYTES_MAX)).lines();
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

/// What this process shows, from before it is known of which session that will be.
#[derive(Debug)]
pub struct Listening {
    frames: broadcast::Receiver<Frame>,
}

impl Listening {
    #[must_use]
    pub fn to(self, session: SessionId) -> Watching {
        Watching { from: Source::Here { stream: StreamId::session(session), frames: self.frames } }
    }
}

/// The frames of a session.
#[derive(Debug)]
pub struct Watching {
    from: Source,
}

#[derive(Debug)]
enum Source {
    /// This process drives it.
    Here { stream: StreamId, frames: broadcast::Receiver<Frame> },
    /// Another one does. By bytes: a line that is no text is one that this version does not know, and not the end.
    Elsewhere(Split<BufReader<UnixStream>>),
}

impl Watching {
    pub(crate) async fn connect(home: &Path, host: HostId, stream: &StreamId) -> io::Result<Watching> {
        let path = path(home, host);
        let folder = std::fs::File::open(home.join("live"))?;
        let mut connection = UnixStream::connect(through(&folder, &path)).await?;
        say_wish(&mut connection, stream).await?;
        Ok(Watching { from: Source::Elsewhere(BufReader::new(connection).split(b'\n')) })
    }

    /// What is shown next; none when whoever drove the session has gone. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Shown> {
        loop {
            match &mut self.from {
                Source::Here { stream, frames } => match frames.recv().await {
                    Ok(frame) if frame.stream() == stream => return Some(Shown::Frame(frame)),
                    Ok(_) => {}
                    Err(broadcast::error::RecvError::Lagged(_)) => return Some(Shown::Gap),
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
                Source::Elsewhere(lines) => {
                    let line = lines.next_segment().await.ok()??;
                    // Another version may show what this one does not know.
                    if let Ok(shown) = serde_json::from_slice(&line) {
                        return Some(shown);
                    }
                }
            }
        }
    }

    /// What was shown already, without waiting. Of another process nobody knows that; what it shows comes when it comes.
    pub fn ready(&mut self) -> Option<Shown> {
        let Source::Here { stream, frames } = &mut self.from else { return None };
        loop {
            match frames.try_recv() {
                Ok(frame) if frame.stream() == stream => return Some(Shown::Frame(frame)),
                Ok(_) => {}
                Err(broadcast::error::TryRecvError::Lagged(_)) => return Some(Shown::Gap),
                Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => return None,
            }
        }
    }
}

async fn say_wish(connection: &mut UnixStream, stream: &StreamId) -> io::Result<()> {
    let mut line = serde_json::to_vec(&Wish { stream: stream.clone() })?;
    line.push(b'\n');
    connection.write_all(&line).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::id::ActionId;
    use damage::{damaged, reshaped};
    use proptest::prelude::*;
    use serde_json::json;

    fn stream(number: u8) -> StreamId {
        StreamId::session(SessionId([number; 16]))
    }

    fn frame() -> impl Strategy<Value = Frame> {
        (0u8..3, any::<(u16, u64)>(), ".{0,12}").prop_map(|(kind, (attempt, offset), text)| {
            let (stream, request) = (stream(1), EventId([2; 16]));
            match kind {
                0 => Frame::ModelText { stream, request, attempt, offset, text },
                1 => Frame::ModelThinking { stream, request, attempt, offset, text },
                _ => Frame::ToolOutput { stream, action: ActionId([3; 16]), attempt, offset, text },
            }
        })
    }

    fn shown() -> impl Strategy<Value = Shown> {
        prop_oneof![4 => frame().prop_map(Shown::Frame), 1 => Just(Shown::Gap)]
    }

    #[test]
    fn only_what_an_open_call_says_is_kept() {
        let stage = Stage::new();
        let text = |stream| Frame::ModelText { stream, request: EventId([2; 16]), attempt: 1, offset: 0, text: "so far".into() };
        stage.show(Frame::ToolOutput { stream: stream(1), action: ActionId([3; 16]), attempt: 1, offset: 0, text: "x".into() });
        stage.show(text(stream(2)));
        stage.show(text(stream(3)));
        assert_eq!(stage.watch(&stream(2)).0, [text(stream(2))]);
        stage.over(&stream(2));
        assert_eq!(stage.watch(&stream(2)).0, []);
        assert_eq!(stage.so_far.lock().unwrap().keys().collect::<Vec<_>>(), [&stream(3)], "nothing is kept for good");
    }

    #[test]
    fn this_process_hears_one_session_from_before_it_was_known() {
        let stage = Stage::new();
        let text = |stream, text: &str| Frame::ModelText { stream, request: EventId([2; 16]), attempt: 1, offset: 0, text: text.into() };
        let listening = stage.listen();
        stage.show(text(stream(1), "mine"));
        stage.show(text(stream(2), "of another"));
        stage.show(text(stream(1), "mine again"));
        let mut watching = listening.to(SessionId([1; 16]));
        assert_eq!(block_on(watching.next()), Some(Shown::Frame(text(stream(1), "mine"))));
        assert_eq!(watching.ready(), Some(Shown::Frame(text(stream(1), "mine again"))));
        assert_eq!(watching.ready(), None);
        (0..=FRAMES_MAX).for_each(|_| stage.show(text(stream(2), "much")));
        assert_eq!((watching.ready(), watching.ready()), (Some(Shown::Gap), None), "whoever lags is told");
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap().block_on(work)
    }

    /// Everything that a watcher sees of these bytes.
    async fn seen(bytes: Vec<u8>) -> Vec<Shown> {
        let (mut theirs, ours) = UnixStream::pair().unwrap();
        theirs.write_all(&bytes).await.unwrap();
        drop(theirs);
        let mut watching = Watching { from: Source::Elsewhere(BufReader::new(ours).split(b'\n')) };
        let mut seen = Vec::new();
        while let Some(shown) = watching.next().await {
            seen.push(shown);
        }
        seen
    }

    proptest! {
        #[test]
        fn what_is_shown_is_seen_and_what_is_not_known_is_passed_over(
            pairs in prop::collection::vec((shown(), damaged(shown().prop_map(|shown| serde_json::to_vec(&shown).unwrap()))), 0..5)
        ) {
            let mut bytes = Vec::new();
            let mut expected = Vec::new();
            for (shown, spoilt) in pairs {
                for line in [serde_json::to_vec(&shown).unwrap(), spoilt] {
                    let read = line.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Shown>(line).ok());
                    expected.extend(read);
                    bytes.extend(line);
                    bytes.push(b'\n');
                }
            }
            prop_assert_eq!(block_on(seen(bytes)), expected);
        }

        #[test]
        fn what_is_read_of_another_shape_comes_back_as_it_was(value in reshaped(shown().prop_map(|shown| json!(shown)))) {
            if let Ok(read) = serde_json::from_value::<Shown>(value) {
                prop_assert_eq!(serde_json::from_value::<Shown>(json!(&read)).unwrap(), read);
            }
        }

        /// Whoever wishes for something else, or for nothing that can be understood, is shown nothing.
        #[test]
        fn only_a_wish_for_a_stream_shows_it(wish in prop_oneof![
            Just(json!({ "stream": stream(1) }).to_string().into_bytes()),
            damaged(Just(json!({ "stream": stream(1) }).to_string().into_bytes())),
            (1usize..20).prop_map(|kilobytes| vec![b' '; kilobytes * 1024]),
        ]) {
            let wished = wish.split(|byte| *byte == b'\n').next().and_then(|line| serde_json::from_slice::<Wish>(line).ok());
            let stage = Arc::new(Stage::new());
            let text = Frame::ModelText { stream: stream(1), request: EventId([2; 16]), attempt: 1, offset: 0, text: "so far".into() };
            stage.show(text.clone());
            let shown = block_on(async {
                let (mut theirs, ours) = UnixStream::pair().unwrap();
                theirs.write_all(&wish).await.unwrap();
                theirs.write_all(b"\n").await.unwrap();
                // It says nothing more, which ends what is shown to it.
                theirs.shutdown().await.unwrap();
                show(ours, stage).await;
                let mut shown = Vec::new();
                // What it said too much is not read by anybody, which the kernel calls a reset.
                drop(theirs.read_to_end(&mut shown).await);
                shown
            });
            let is_shown = wished.is_some_and(|wish| wish.stream == stream(1));
            let expected = if is_shown { serde_json::to_string(&Shown::Frame(text)).unwrap() + "\n" } else { String::new() };
            prop_assert_eq!(String::from_utf8(shown).unwrap(), expected);
        }
    }
}
