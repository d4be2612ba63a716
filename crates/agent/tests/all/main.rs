//! The agent machine by itself: scenes of inputs played by an owner without a world, and what was appended.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a scene that cannot go on is a failed test")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a scene looks for single events in a log and decides nothing about the others")]

mod appends;
mod asks;
mod chance;
mod cuts;
mod emptiness;
mod failures;
mod illegal;
mod inbox;
mod keys;
mod limits;
mod messages;
mod origins;
mod parallel;
mod policies;
mod recovery;
mod replies;
mod requests;
mod retries;
mod scene;
mod takeover;
