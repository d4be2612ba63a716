//! The real binary as a person or a script meets it: run, killed, resumed, misused.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is how a test fails")]

mod adopt;
mod damage;
mod desk;
mod events;
mod files;
mod input;
mod job;
mod moments;
mod output;
mod prefix;
mod process;
mod rest;
mod retry;
mod rewind;
mod script;
mod sessions;
mod signals;
mod talk;
mod unknown;
