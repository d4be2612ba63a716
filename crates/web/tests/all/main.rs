//! Real visits of servers on this machine, which count as public only where a test says so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking, also inside what its tests share")]

mod server;
mod visits;
