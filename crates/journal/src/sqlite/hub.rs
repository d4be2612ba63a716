//! The one thread of a process that learns what others appended.
//!
//! Owns the question which streams have grown: it is asked once for all who follow, however many they are. The thread
//! starts with the first of them. Must not read events: whoever follows reads what concerns it.

use super::bell::{Ender, Heard, Listener};
use super::query;
use super::reader::Readers;
use super::schema;
use crate::board::Board;
use crate::follow::{Page, Source};
use contract::filter::Filter;
use contract::id::StreamId;
use contract::port::{BoxFuture, LogError, Tail};
use contract::units::Position;
use rusqlite::Connection;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use tokio::sync::watch;

/// Where followers get everything from. It may outlive the journal; then they are told.
pub(super) struct Hub {
    folder: PathBuf,
    readers: Readers,
    board: Arc<Board>,
    may_watch: bool,
    stage: watch::Sender<Stage>,
    thread: Mutex<Engine>,
    pages_read: AtomicU64,
}

#[derive(Default)]
enum Engine {
    #[default]
    Idle,
    Running(Ender, JoinHandle<()>),
    Ended,
}

#[derive(Clone, Debug)]
enum Stage {
    Starting,
    Listening,
    Failed(String),
}

impl Hub {
    pub fn new(folder: PathBuf, readers: Readers, board: Arc<Board>, may_watch: bool) -> Hub {
        let stage = watch::Sender::new(Stage::Starting);
        Hub { folder, readers, board, may_watch, stage, thread: Mutex::default(), pages_read: AtomicU64::new(0) }
    }

    /// Pages read by all followers so far.
    pub fn pages_read(&self) -> u64 {
        self.pages_read.load(Ordering::Relaxed)
    }

    /// Starts the thread unless it runs; one that failed is tried again.
    pub fn start(&self) {
        let mut engine = self.engine();
        match &*engine {
            Engine::Running(_, thread) if !thread.is_finished() => return,
            Engine::Ended => return fail(&self.stage, "it was closed"),
            Engine::Running(..) | Engine::Idle => {}
        }
        self.stage.send_replace(Stage::Starting);
        let started = Listener::new(&self.folder, self.may_watch).and_then(|(listener, ender)| {
            let (path, board, stage) = (self.readers.path(), Arc::clone(&self.board), self.stage.clone());
            let serve = move || match schema::open_reader(&path) {
                Ok(connection) => serve(&connection, listener, &board, &stage),
                Err(error) => fail(&stage, error),
            };
            Ok(Engine::Running(ender, thread::Builder::new().name("journal-hub".to_owned()).spawn(serve)?))
        });
        match started {
            Ok(started) => *engine = started,
            Err(error) => fail(&self.stage, error),
        }
    }

    /// Ends the thread; nobody is told anything any more.
    pub fn end(&self) {
        self.board.close();
        let engine = std::mem::replace(&mut *self.engine(), Engine::Ended);
        if let Engine::Running(ender, thread) = engine {
            ender.end();
            // A thread that panicked has told its followers nothing since, and they are told now that the log is closed.
            let _ = thread.join();
        }
    }

    /// It is replaced as a whole, so it is one or the other even if a thread panicked while it held the lock.
    fn engine(&self) -> MutexGuard<'_, Engine> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Hub {
    fn board(&self) -> &Board {
        &self.board
    }

    fn listening(&self) -> BoxFuture<'_, Result<(), LogError>> {
        Box::pin(async move {
            self.start();
            let mut stage = self.stage.subscribe();
            let started = stage.wait_for(|stage| !matches!(stage, Stage::Starting)).await;
            match started.map(|stage| stage.clone()) {
                Ok(Stage::Listening) => Ok(()),
                Ok(Stage::Failed(reason)) => Err(LogError::Unavailable(reason)),
                Ok(Stage::Starting) | Err(_) => Err(LogError::Unavailable("the log cannot be followed: its hub is gone".to_owned())),
            }
        })
    }

    fn page(&self, after: Position, filter: Filter) -> BoxFuture<'_, Result<Page, LogError>> {
        self.pages_read.fetch_add(1, Ordering::Relaxed);
        Box::pin(self.readers.run(move |connection| super::page::page(connection, after, &filter)))
    }

    fn tail(&self, stream: StreamId) -> BoxFuture<'_, Result<Option<Tail>, LogError>> {
        Box::pin(self.readers.run(move |connection| query::tail(connection, &stream)))
    }
}

fn serve(connection: &Connection, mut listener: Listener, board: &Board, stage: &watch::Sender<Stage>) {
    // The watch stands already. What is there now is read by the followers themselves, who begin after this.
    let mut seen = match query::end(connection) {
        Ok(end) => end,
        Err(error) => return fail(stage, error),
    };
    stage.send_replace(Stage::Listening);
    loop {
        match listener.wait() {
            Ok(Heard::Commit) => {}
            Ok(Heard::End) => return,
            Err(error) => {
                // Whoever follows is told, and may follow anew.
                board.let_go();
                return fail(stage, error);
            }
        }
        match query::grown(connection, seen) {
            Ok(grown) => {
                for (name, mark) in grown {
                    // A name that is damaged is that of no stream which anybody follows.
                    if let Ok(stream) = StreamId::parse(&name) {
                        board.announce(&stream, mark);
                    }
                    seen = seen.max(mark.position);
                }
            }
            Err(_) => listener.look_again(),
        }
    }
}

fn fail(stage: &watch::Sender<Stage>, reason: impl Display) {
    stage.send_replace(Stage::Failed(format!("the log cannot be followed: {reason}")));
}
