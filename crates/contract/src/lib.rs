//! What every crate agrees on: names, events, inputs, effects, limits and the ports to the outside.
//!
//! Owns the vocabulary and its stored form. Must not decide anything, read a clock, or know tokio.
//! Read in this order: [`body`] (what can have happened), [`input`] (what can be said to a machine),
//! [`effect`] (what a machine wants done), [`machine`] (the shape of every machine), then the ports.

pub mod ask;
pub mod body;
pub mod call;
pub mod config;
pub mod crash;
pub mod effect;
pub mod event;
pub mod filter;
pub mod id;
pub mod input;
pub mod limits;
pub mod machine;
mod naming;
pub mod outcome;
pub mod planted;
pub mod port;
pub mod request;
pub mod rule;
pub mod text;
pub mod units;
pub mod upcast;

pub use body::Body;
pub use event::{Draft, Event};
pub use text::Text;
pub use units::{Epoch, Position, Time, Version};
