//! Servers on this machine: asked as one that was configured, and visited, for which they count as public only where a test
//! says so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking, also inside what its tests share")]

mod asked;
mod server;
mod visits;
