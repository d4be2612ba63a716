//! Model adapters. One folder each; its wire structs never leave it, and no attempt is hidden from the log.

mod script;

pub use script::{BadLine, ScriptError, ScriptedModel};
