//! The agent machine by itself: scenes of inputs played by an owner without a world, and what was appended.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a scene that cannot go on is a failed test")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a scene looks for single events in a log and decides nothing about the others")]

mod appends;
mod asks;
mod background;
mod chance;
mod cuts;
mod edits;
mod emptiness;
mod failures;
mod files;
mod forks;
mod grants;
mod held;
mod illegal;
mod inbox;
mod interjection;
mod interrupts;
mod keys;
mod lapses;
mod last_words;
mod ledger;
mod limits;
mod looking;
mod loops;
mod messages;
mod modes;
mod origins;
mod parallel;
mod pauses;
mod policies;
mod questions;
mod recovery;
mod replies;
mod requests;
mod retries;
mod rules;
mod scene;
mod stale;
mod stop_all;
mod stops;
mod takeover;
mod timers;
mod unknowns;
mod words;
