//! Who listens to a command and who controls it: the owner over its link, and whoever connects to `control`.
//!
//! A connection stays open for as long as the command runs, so its end tells a watcher that the command ended. Must not
//! act on commands.

use super::spec::{Command, Reply};
use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use std::io::{self, Write};
use std::os::unix::net::{UnixListener, UnixStream};

/// Connections at the same time; one more is closed at once.
const CONNECTIONS_MAX: usize = 64;
/// Bytes of one command; input is sent in pieces.
const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Room for one read at least.
const READ_BYTES: usize = 4 * 1024;

#[derive(Debug)]
pub(super) struct Control<'a> {
    pub listener: UnixListener,
    pub connections: Vec<Connection>,
    /// It is told of output like the others; its commands come by a connection.
    owner: &'a UnixStream,
}

#[derive(Debug)]
pub(super) struct Connection {
    pub stream: UnixStream,
    buffer: Vec<u8>,
    open: bool,
}

impl Control<'_> {
    /// A listener that does not block.
    pub(super) fn new(listener: UnixListener, owner: &UnixStream) -> Control<'_> {
        Control { listener, connections: Vec::new(), owner }
    }

    pub(super) fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            if self.connections.len() < CONNECTIONS_MAX {
                // A connection that cannot be made nonblocking is closed, which its peer sees.
                let _ = self.add(stream);
            }
        }
    }

    /// Commands that have come in on this connection.
    pub(super) fn read(&mut self, index: usize) -> Vec<Result<Command, String>> {
        self.connections.get_mut(index).map(Connection::read).unwrap_or_default()
    }

    pub(super) fn reply(&mut self, index: usize, reply: &Reply) {
        if let (Some(connection), Ok(mut line)) = (self.connections.get_mut(index), serde_json::to_vec(reply)) {
            line.push(b'\n');
            // Whoever does not read its replies is let go.
            connection.open &= connection.stream.write_all(&line).is_ok();
        }
    }

    /// Says that there is more output. A connection whose buffer is full has such a line in it already.
    pub(super) fn tick(&mut self) {
        for listener in self.connections.iter().map(|connection| &connection.stream).chain([self.owner]) {
            let _ = send(listener, b"\n", SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
        }
    }

    /// Forgets connections that ended; indexes change, so only between two rounds.
    pub(super) fn sweep(&mut self) {
        self.connections.retain(|connection| connection.open);
    }

    fn add(&mut self, stream: UnixStream) -> io::Result<()> {
        stream.set_nonblocking(true)?;
        self.connections.push(Connection { stream, buffer: Vec::new(), open: true });
        Ok(())
    }
}

impl Connection {
    fn read(&mut self) -> Vec<Result<Command, String>> {
        self.buffer.reserve(READ_BYTES);
        match rustix::io::read(&self.stream, spare_capacity(&mut self.buffer)) {
            Ok(0) => self.open = false,
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.open = false,
        }
        let mut commands = Vec::new();
        while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            if !line.trim_ascii().is_empty() {
                commands.push(serde_json::from_slice(&line).map_err(|error| error.to_string()));
            }
        }
        self.open &= self.buffer.len() <= LINE_BYTES_MAX;
        commands
    }
}
