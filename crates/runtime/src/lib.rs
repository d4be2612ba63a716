//! The only loop: it drives machines, executes their effects through ports, and owns streams.
//!
//! [`drive`] decides and does nothing; [`shell`] does and decides nothing. The crash explorer runs the same
//! [`drive::Driver`] in a virtual world, so a bug of the loop is found in shipped code.

pub mod breaker;
pub mod configs;
pub mod drive;
pub mod fork;
pub mod host;
pub mod offer;
pub mod prepare;
pub mod read;
pub mod shell;
pub mod standing;
mod tails;
pub mod text;

use breaker::Breakers;
use configs::Configs;
use contract::port::{Blobs, Clock, Configure, Live, Log, Model, Spending, Tools};
use drive::Place;
use std::sync::Arc;

/// Everything outside that a runtime needs, injected by whoever wires it.
#[derive(Clone)]
pub struct Ports {
    pub log: Arc<dyn Log>,
    pub blobs: Arc<dyn Blobs>,
    pub model: Arc<dyn Model>,
    pub tools: Arc<dyn Tools>,
    pub live: Arc<dyn Live>,
    pub clock: Arc<dyn Clock>,
    pub configure: Arc<dyn Configure>,
    pub spending: Arc<dyn Spending>,
    pub place: Place,
    pub breakers: Arc<Breakers>,
    pub configs: Arc<Configs>,
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ports").field("place", &self.place).finish_non_exhaustive()
    }
}
