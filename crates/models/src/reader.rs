//! Reads an answer that comes in pieces of any size, without knowing where they come from.

use crate::live::Shown;
use crate::protocol::reading;
use crate::reply::{Fault, Naming, Reading, Whole};
use crate::stream::{BadStream, Event, Lines, Sse};
use contract::config::Protocol;

pub struct Reader {
    events: Events,
    reading: Box<dyn Reading>,
}

enum Events {
    Sse(Sse),
    Lines(Lines),
}

impl Reader {
    pub fn new(protocol: Protocol, naming: Naming) -> Reader {
        let events = match protocol {
            Protocol::OpenaiChat | Protocol::OpenaiResponses | Protocol::Anthropic => Events::Sse(Sse::default()),
            Protocol::Ollama => Events::Lines(Lines::default()),
        };
        Reader { events, reading: reading(protocol, naming) }
    }

    /// Whether nothing more is expected.
    pub fn is_over(&self) -> bool {
        self.reading.is_over()
    }

    /// Whether the provider has said that the reply is whole.
    pub fn is_whole(&self) -> bool {
        self.reading.is_whole()
    }

    pub fn push(&mut self, piece: &[u8], shown: &mut Shown<'_>) -> Result<(), Fault> {
        let events = match &mut self.events {
            Events::Sse(sse) => sse.push(piece)?,
            Events::Lines(lines) => lines.push(piece)?,
        };
        for event in events {
            self.reading.take(&event, shown)?;
        }
        Ok(())
    }

    /// The reply, if it was whole when the stream ended.
    pub fn end(mut self, shown: &mut Shown<'_>) -> Result<Whole, Fault> {
        // A last event that was cut is none; whether one is missing, the reading knows.
        let last = if self.reading.is_over() { None } else { self.events.end().ok().flatten() };
        if let Some(Err(said @ Fault::Said(_))) = last.map(|last| self.reading.take(&last, shown)) {
            return Err(said);
        }
        if !self.reading.is_whole() {
            return Err(Fault::Cut);
        }
        let whole = self.reading.end()?;
        if whole.parts.is_empty() { Err(Fault::Empty) } else { Ok(whole) }
    }
}

impl Events {
    fn end(self) -> Result<Option<Event>, BadStream> {
        match self {
            Events::Sse(sse) => sse.end(),
            Events::Lines(lines) => lines.end(),
        }
    }
}
