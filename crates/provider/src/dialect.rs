//! What all protocols share: the form of a dialect, of its events and of its errors.

use crate::script::{Line, Script};
use serde_json::Value;

/// One protocol: how it counts turns, what it refuses, how a line and a failure sound in it.
pub struct Dialect {
    pub media_type: &'static str,
    /// Replies that a conversation already has.
    pub replies: fn(&Value) -> usize,
    /// Why a real provider would refuse the request, given the lines that it answered with before.
    pub refusal: fn(&Value, &Script) -> Option<String>,
    pub events: fn(&Value, usize, &Line) -> Vec<Event>,
    pub error: fn(&Refusal) -> Value,
    pub error_event: fn(&Refusal) -> Vec<u8>,
}

/// Bytes of the stream that belong together.
pub struct Event {
    pub kind: Kind,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Frame,
    Text,
    Arguments,
}

/// An error before it is put into the words of a protocol.
pub struct Refusal {
    pub status: u16,
    pub kind: &'static str,
    pub code: Option<&'static str>,
    pub message: String,
}

impl Refusal {
    pub fn new(status: u16, kind: &'static str, code: Option<&'static str>, message: &str) -> Refusal {
        Refusal { status, kind, code, message: message.to_owned() }
    }
}

/// Pieces of a text as a model would say it: by words, or a few characters of arguments.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

pub fn pieces(text: &str) -> Vec<String> {
    const PIECE_CHARS: usize = 5;
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect()
}

/// An event of the stream, named or not.
pub fn sse(kind: Kind, name: Option<&str>, data: &Value) -> Event {
    let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    Event { kind, bytes: format!("{name}data: {data}\n\n").into_bytes() }
}
