//! What all protocols share: the form of a dialect, of its events and of its errors.

use crate::http::{Answer, End};
use crate::script::{Fault, Line, Script};
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

    /// The faults that are an error instead of an answer.
    pub fn of(fault: Fault) -> Option<Refusal> {
        let (status, kind, code, message) = match fault {
            Fault::RateLimited | Fault::RateLimitedUntil => (429, "rate_limit_error", Some("rate_limit_exceeded"), "Rate limit reached"),
            Fault::Quota => (429, "insufficient_quota", Some("insufficient_quota"), "You exceeded your current quota"),
            Fault::Overloaded => (529, "overloaded_error", None, "Overloaded"),
            Fault::ServerError => (500, "api_error", None, "Internal server error"),
            Fault::ContextTooLong => (
                400,
                "invalid_request_error",
                Some("context_length_exceeded"),
                "prompt is too long: it exceeds the maximum context length of 8192 tokens",
            ),
            Fault::Auth => (401, "authentication_error", Some("invalid_api_key"), "Incorrect API key provided"),
            Fault::BadRequest => (400, "invalid_request_error", None, "Unknown parameter"),
            Fault::CutText
            | Fault::CutArguments
            | Fault::EndsEarly
            | Fault::Garbage
            | Fault::Silent
            | Fault::ContentType
            | Fault::BrokenJson
            | Fault::ErrorInStream
            | Fault::Empty
            | Fault::OutputLimit
            | Fault::Refused => return None,
        };
        Some(Refusal::new(status, kind, code, message))
    }
}

/// An answer that is one JSON value.
pub fn whole(status: u16, body: &Value) -> Answer {
    let headers = vec![("content-type", "application/json".to_owned())];
    Answer { status, headers, body: body.to_string().into_bytes(), end: End::Whole }
}

pub fn refuse(dialect: &Dialect, refusal: &Refusal, headers: Vec<(&'static str, String)>) -> Answer {
    let mut answer = whole(refusal.status, &(dialect.error)(refusal));
    answer.headers.extend(headers);
    answer
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
