//! How providers cut an answer into events: server-sent events, or one JSON object a line.

mod lines;
mod sse;

pub use lines::Lines;
pub use sse::Sse;

/// Bytes of one line or one event; a provider sends tokens, so more is no stream of them.
pub const EVENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Something that was sent whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Empty where nobody named it.
    pub name: String,
    pub data: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadStream {
    #[error("one event is longer than {EVENT_BYTES_MAX} bytes")]
    TooLong,
    #[error("an event is not text")]
    NotText,
}
