//! High-rate output that is never stored: tokens and process output for whoever is watching.

use crate::id::{ActionId, EventId, StreamId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Text of an open model call, from this byte on.
    ModelText { stream: StreamId, request: EventId, attempt: u16, offset: u64, text: String },
    /// Thinking of an open model call, from this byte on.
    ModelThinking { stream: StreamId, request: EventId, attempt: u16, offset: u64, text: String },
    /// Output of a running tool, from this byte on.
    ToolOutput { stream: StreamId, action: ActionId, attempt: u16, offset: u64, text: String },
}

pub trait Live: Send + Sync {
    /// Never blocks; a watcher that is too slow misses frames and reads the log.
    fn show(&self, frame: Frame);
}

/// Nobody is watching.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Live for Silent {
    fn show(&self, _frame: Frame) {}
}
