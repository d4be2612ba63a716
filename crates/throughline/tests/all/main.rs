//! The library on a real data folder: what the binary's tests cannot bring about.
#![expect(clippy::unwrap_used, reason = "a failed expectation is how a test fails")]

mod following;
mod quarantine;
