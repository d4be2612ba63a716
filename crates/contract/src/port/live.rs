//! High-rate output that is never stored: tokens and process output for whoever is watching.

use crate::id::{ActionId, EventId, StreamId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// Text of an open model call, from this byte on.
    ModelText { stream: StreamId, request: EventId, attempt: u16, offset: u64, text: String },
    /// Thinking of an open model call, from this byte on.
    ModelThinking { stream: StreamId, request: EventId, attempt: u16, offset: u64, text: String },
    /// Output of a running tool, from this byte on.
    ToolOutput { stream: StreamId, action: ActionId, attempt: u16, offset: u64, text: String },
}

impl Frame {
    #[must_use]
    pub fn stream(&self) -> &StreamId {
        match self {
            Frame::ModelText { stream, .. } | Frame::ModelThinking { stream, .. } | Frame::ToolOutput { stream, .. } => stream,
        }
    }

    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Frame::ModelText { text, .. } | Frame::ModelThinking { text, .. } | Frame::ToolOutput { text, .. } => text,
        }
    }

    pub fn text_mut(&mut self) -> &mut String {
        match self {
            Frame::ModelText { text, .. } | Frame::ModelThinking { text, .. } | Frame::ToolOutput { text, .. } => text,
        }
    }

    /// Where its text begins, in bytes of what its source has said.
    #[must_use]
    pub fn offset(&self) -> u64 {
        match self {
            Frame::ModelText { offset, .. } | Frame::ModelThinking { offset, .. } | Frame::ToolOutput { offset, .. } => *offset,
        }
    }

    pub fn set_offset(&mut self, to: u64) {
        match self {
            Frame::ModelText { offset, .. } | Frame::ModelThinking { offset, .. } | Frame::ToolOutput { offset, .. } => *offset = to,
        }
    }

    /// The attempt that says it: of a model call or of an action.
    #[must_use]
    pub fn source(&self) -> ([u8; 16], u16) {
        match self {
            Frame::ModelText { request, attempt, .. } | Frame::ModelThinking { request, attempt, .. } => (request.0, *attempt),
            Frame::ToolOutput { action, attempt, .. } => (action.0, *attempt),
        }
    }

    /// The open model call that it is part of, and its attempt.
    #[must_use]
    pub fn model_call(&self) -> Option<(EventId, u16)> {
        match self {
            Frame::ModelText { request, attempt, .. } | Frame::ModelThinking { request, attempt, .. } => Some((*request, *attempt)),
            Frame::ToolOutput { .. } => None,
        }
    }
}

pub trait Live: Send + Sync {
    /// Never blocks; a watcher that is too slow misses frames and reads the log.
    fn show(&self, frame: Frame);

    /// The model of this stream has said something, if only that there will be more.
    fn heard(&self, _stream: &StreamId) {}

    /// The model call of this stream is over: what it said is in the log now, or nowhere.
    fn over(&self, _stream: &StreamId) {}
}

/// Nobody is watching.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Live for Silent {
    fn show(&self, _frame: Frame) {}
}
