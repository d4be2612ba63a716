//! The scripted model through its port only: what a script may say, and what it answers; and models behind an address.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking, also inside what its tests share")]

mod conversation;
mod live;
mod refusals;
mod remote;
mod replies;
mod scripts;
mod turns;
