//! The tests. Each is a function over a world; the list in `lib.rs` makes them tests of an implementation.

pub mod append;
pub mod blobs;
pub mod damage;
pub mod filters;
pub mod leases;
pub mod limits;
pub mod processes;
pub mod races;
pub mod read;
pub mod resting;
pub mod subscribe;
pub mod unknown;
pub mod watch;
