//! Where the configuration of a run comes from.

use crate::config::{Options, RunConfig};
use std::path::Path;

pub trait Configure: Send + Sync {
    /// Resolves what the person wished and everything they left open, for work in this folder. An error says why that
    /// cannot be done.
    fn run_config(&self, options: &Options, folder: &Path) -> Result<RunConfig, String>;
}
