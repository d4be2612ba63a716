//! Where the configuration of a run comes from.

use crate::config::{Options, RunConfig};

pub trait Configure: Send + Sync {
    /// Resolves what the person wished and everything they left open.
    fn run_config(&self, options: &Options) -> RunConfig;
}
