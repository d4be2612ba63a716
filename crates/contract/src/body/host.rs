//! What a machine has to say of itself: streams that it cannot drive, and the life of its daemon.

use super::Principal;
use crate::id::{HostId, StreamId};
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

/// A person asked for the stream to be driven again. The daemon's own stream stands for all that it looks after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostRecovered {
    pub stream: StreamId,
    pub by: Principal,
}

/// This process looks after all sessions of the folder from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostStarted {
    pub host: HostId,
}

/// It has let go of all of them. Where this is missing, it died.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostStopped {
    pub host: HostId,
}
