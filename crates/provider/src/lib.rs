//! A scripted provider of models on a port of its own: speaks the protocols, plays the lines of a script, and fails in
//! every way that a line asks for. What it was asked is kept, and what a real provider would refuse it refuses.
//!
//! Written with threads and blocking sockets alone: it shares nothing with the client that it is to judge.

mod anthropic;
mod chat;
mod dialect;
mod http;
mod list;
mod ollama;
mod play;
mod responses;
mod script;

pub use http::Recorded;
pub use script::{BadScript, Fault, Line};

use http::Connection;
use script::Script;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whoever does not send this key is refused.
    pub key: Option<String>,
    /// 0 for any that is free.
    pub port: u16,
}

/// Runs until it is dropped.
#[derive(Debug)]
pub struct Provider {
    shared: Arc<Shared>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    options: Options,
    script: Mutex<Script>,
    requests: Mutex<Vec<Recorded>>,
    open: Mutex<Vec<TcpStream>>,
    /// Connections that were opened, and those that a client closed while an answer was under way.
    opened: AtomicUsize,
    abandoned: AtomicUsize,
    is_stopped: AtomicBool,
}

#[derive(Debug)]
pub enum StartError {
    Script(BadScript),
    Port(io::Error),
}

impl Provider {
    pub fn start(script: &str, options: Options) -> Result<Provider, StartError> {
        let script = Script::parse(script).map_err(StartError::Script)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).map_err(StartError::Port)?;
        let address = listener.local_addr().map_err(StartError::Port)?;
        let shared = Arc::new(Shared {
            options,
            script: Mutex::new(script),
            requests: Mutex::default(),
            open: Mutex::default(),
            opened: AtomicUsize::default(),
            abandoned: AtomicUsize::default(),
            is_stopped: AtomicBool::default(),
        });
        let of_listener = shared.clone();
        let accepting = Some(std::thread::spawn(move || accept(&listener, &of_listener)));
        Ok(Provider { shared, address, accepting })
    }

    #[must_use]
    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that it was asked, in the order it came.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.shared.requests).clone()
    }

    /// How often it was asked.
    #[must_use]
    pub fn asked(&self) -> usize {
        lock(&self.shared.requests).len()
    }

    /// Closes every connection, as servers do with those that nobody uses for a while.
    pub fn hang_up(&self) {
        for stream in lock(&self.shared.open).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    #[must_use]
    pub fn opened(&self) -> usize {
        self.shared.opened.load(Ordering::SeqCst)
    }

    #[must_use]
    pub fn abandoned(&self) -> usize {
        self.shared.abandoned.load(Ordering::SeqCst)
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::SeqCst);
        // Wakes whoever accepts.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        self.hang_up();
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        shared.opened.fetch_add(1, Ordering::SeqCst);
        if let Ok(copy) = stream.try_clone() {
            lock(&shared.open).push(copy);
        }
        let shared = shared.clone();
        std::thread::spawn(move || serve(stream, &shared));
    }
}

/// One request after another, until the client or a fault ends the connection.
fn serve(stream: TcpStream, shared: &Shared) {
    let Ok(mut connection) = Connection::new(stream) else { return };
    while let Ok(Some(request)) = connection.read() {
        lock(&shared.requests).push(request.clone());
        let answer = play::answer(&shared.options, &mut lock(&shared.script), &request);
        match connection.write(&answer) {
            Ok(http::After::Next) => {}
            Ok(http::After::Closed) | Err(_) => return,
            Ok(http::After::Abandoned) => {
                shared.abandoned.fetch_add(1, Ordering::SeqCst);
                return;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
