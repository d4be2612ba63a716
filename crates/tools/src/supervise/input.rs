//! Standard input of the command: what was sent and not yet read.
//!
//! Must never block: a command that does not read must not keep its supervisor from anything else.

use crate::texts;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};

/// Bytes of input that the command has not read yet; more is refused.
const PENDING_BYTES_MAX: usize = 1024 * 1024;

#[derive(Debug)]
pub(super) struct Input {
    /// `None` once it is closed, by us or by the command.
    pipe: Option<File>,
    pending: VecDeque<u8>,
    /// To be closed once all of it is written.
    closing: bool,
    /// Bytes of the line that is begun on a terminal, which is never closed: there the end of input is a character.
    begun: Option<usize>,
}

impl Input {
    /// A pipe or a terminal that does not block, or none for a command that takes no input.
    pub(super) fn new(pipe: Option<File>, is_terminal: bool) -> Input {
        Input { pipe, pending: VecDeque::new(), closing: false, begun: is_terminal.then_some(0) }
    }

    /// The pipe, if there is something to write to it.
    pub(super) fn wants_to_write(&self) -> Option<&File> {
        self.pipe.as_ref().filter(|_| !self.pending.is_empty())
    }

    pub(super) fn push(&mut self, text: String) -> Result<(), String> {
        let Some(pipe) = self.pipe.as_ref().filter(|_| !self.closing) else { return Err(texts::NO_INPUT.to_owned()) };
        if self.pending.len() + text.len() > PENDING_BYTES_MAX {
            return Err(texts::INPUT_FULL.to_owned());
        }
        if let Some(begun) = &mut self.begun {
            *begun = terminal::begun_after(pipe, *begun, &text).ok_or_else(|| texts::LONG_LINE.to_owned())?;
        }
        self.pending.extend(text.into_bytes());
        self.flush();
        // Writing may have found that the command closed its end.
        if self.pipe.is_some() { Ok(()) } else { Err(texts::NO_INPUT.to_owned()) }
    }

    pub(super) fn close(&mut self) {
        match &mut self.begun {
            // The first one only gives a begun line to whoever reads.
            Some(begun) => self.pending.extend(vec![terminal::END; if std::mem::take(begun) > 0 { 2 } else { 1 }]),
            None => self.closing = true,
        }
        self.flush();
    }

    /// Writes what the pipe takes now.
    pub(super) fn flush(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        while !self.pending.is_empty() {
            match pipe.write(self.pending.as_slices().0) {
                Ok(length) => drop(self.pending.drain(..length)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The command closed its end: what is pending can reach nobody.
                Err(_) => return self.pipe = None,
            }
        }
        if self.closing {
            self.pipe = None;
        }
    }
}
