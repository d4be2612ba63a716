//! A model: one request in, one whole reply or one classed failure out.

use super::{BoxFuture, Live};
use crate::body::{FailureClass, Purpose, Usage};
use crate::config::RunConfig;
use crate::id::{EventId, StreamId};
use crate::request::ModelRequest;
use std::sync::Arc;

/// Everything an adapter needs; long texts are already whole.
pub struct ModelCall {
    pub stream: StreamId,
    pub request: EventId,
    pub attempt: u16,
    pub purpose: Purpose,
    pub config: Arc<RunConfig>,
    pub transcript: ModelRequest,
    pub live: Arc<dyn Live>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawReply {
    pub parts: Vec<RawPart>,
    pub usage: Usage,
    pub cost_micros: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RawPart {
    Text(String),
    Call(RawCall),
    Opaque { protocol: String, model: String, bytes: String },
}

#[derive(Clone, Debug, PartialEq)]
pub struct RawCall {
    pub provider_call: String,
    pub tool: String,
    /// Arguments as the model wrote them.
    pub args: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFailure {
    pub class: FailureClass,
    pub message: String,
    pub retry_after_ms: Option<u64>,
}

pub trait Model: Send + Sync {
    /// Dropping the future closes the connection.
    fn reply(&self, call: ModelCall) -> BoxFuture<'_, Result<RawReply, ModelFailure>>;
}

impl std::fmt::Debug for ModelCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelCall").field("request", &self.request).field("attempt", &self.attempt).finish_non_exhaustive()
    }
}
