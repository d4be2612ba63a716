//! Ownership is an event: whoever appended the highest epoch decides.

use crate::id::{BootId, HostId, MachineId};
use crate::units::Epoch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnerTaken {
    pub epoch: Epoch,
    pub host: HostId,
    pub machine: MachineId,
    pub boot: BootId,
}
