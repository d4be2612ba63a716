//! Real processes under the real supervisor: every row of the recovery table, and what must hold around it.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed expectation is how a test fails")]

mod about;
mod control;
mod desk;
mod fetch;
mod forker;
mod output;
mod recovery;
mod run;
mod sandbox;
mod terminal;
mod ways;
