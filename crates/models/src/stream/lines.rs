//! Lines of a stream that comes in pieces of any size.

use super::{BadStream, EVENT_BYTES_MAX, Event};

/// Cuts bytes into lines that end with a line feed, a carriage return, or both.
#[derive(Debug, Default)]
pub struct Splitter {
    begun: Vec<u8>,
    /// A line feed that comes next belongs to the line that has just ended.
    after_return: bool,
}

impl Splitter {
    /// Hands out every line that this piece completes.
    pub fn push(&mut self, mut piece: &[u8], mut take: impl FnMut(&str) -> Result<(), BadStream>) -> Result<(), BadStream> {
        if self.after_return && !piece.is_empty() {
            self.after_return = false;
            piece = piece.strip_prefix(b"\n").unwrap_or(piece);
        }
        while let Some(end) = piece.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.extend(&piece[..end])?;
            let is_return = piece[end] == b'\r';
            piece = &piece[end + 1..];
            if is_return {
                self.after_return = piece.is_empty();
                piece = piece.strip_prefix(b"\n").unwrap_or(piece);
            }
            let line = std::mem::take(&mut self.begun);
            take(text(&line)?)?;
        }
        self.extend(piece)
    }

    /// What was begun when the stream ended.
    pub fn end(self) -> Result<String, BadStream> {
        text(&self.begun).map(str::to_owned)
    }

    fn extend(&mut self, piece: &[u8]) -> Result<(), BadStream> {
        if self.begun.len() + piece.len() > EVENT_BYTES_MAX {
            return Err(BadStream::TooLong);
        }
        self.begun.extend_from_slice(piece);
        Ok(())
    }
}

fn text(line: &[u8]) -> Result<&str, BadStream> {
    std::str::from_utf8(line).map_err(|_| BadStream::NotText)
}

/// One event a line, as in NDJSON; empty lines are nothing.
#[derive(Debug, Default)]
pub struct Lines(Splitter);

impl Lines {
    pub fn push(&mut self, piece: &[u8]) -> Result<Vec<Event>, BadStream> {
        let mut found = Vec::new();
        self.0.push(piece, |line| {
            found.extend(event(line));
            Ok(())
        })?;
        Ok(found)
    }

    /// The last line may end with the stream.
    pub fn end(self) -> Result<Option<Event>, BadStream> {
        Ok(event(&self.0.end()?))
    }
}

fn event(line: &str) -> Option<Event> {
    let data = line.trim();
    (!data.is_empty()).then(|| Event { name: String::new(), data: data.to_owned() })
}
