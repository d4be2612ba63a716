//! What a machine has to say about streams it cannot drive.

use super::Principal;
use crate::id::StreamId;
use crate::units::Version;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A machine panicked on this stream, or its log and the code disagree. No one drives it until a person resumes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostQuarantined {
    pub stream: StreamId,
    pub version: Version,
    pub reason: String,
}

/// A person asked for the stream to be driven again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostRecovered {
    pub stream: StreamId,
    pub by: Principal,
}
