//! Connections to the supervisor: the socket of the owner that started it, and whoever connects to `control` later.
//!
//! A connection stays open for as long as the supervisor lives, so its end tells a watcher that the command ended.
//! Must not act on commands.

use super::spec::{Command, Reply};
use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use std::io::{self, Write};
use std::os::unix::net::{UnixListener, UnixStream};

/// Connections at the same time; one more is closed at once.
const CONNECTIONS_MAX: usize = 64;
/// Bytes of one command; input is sent in pieces.
const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Room for one read at least.
const READ_BYTES: usize = 4 * 1024;

#[derive(Debug)]
pub(super) struct Control {
    pub listener: UnixListener,
    pub connections: Vec<Connection>,
}

#[derive(Debug)]
pub(super) struct Connection {
    pub stream: UnixStream,
    buffer: Vec<u8>,
    open: bool,
}

impl Control {
    pub(super) fn new(listener: UnixListener, parent: UnixStream) -> io::Result<Control> {
        listener.set_nonblocking(true)?;
        let mut control = Control { listener, connections: Vec::new() };
        control.add(parent)?;
        Ok(control)
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
        for connection in &mut self.connections {
            let _ = connection.stream.write(b"\n");
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
