//! The real binary as a person or a script meets it: run, killed, resumed, misused.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is how a test fails")]

mod adopt;
mod answers;
mod asking;
mod asks;
mod attach;
mod background;
mod budget;
mod daemon;
mod damage;
mod desk;
mod events;
mod files;
mod forks;
mod inbox;
mod input;
mod interject;
mod job;
mod lists;
mod moments;
mod output;
mod prefix;
mod process;
mod pty;
mod rest;
mod retry;
mod rewind;
mod rules;
mod script;
mod sessions;
mod signals;
mod stopping;
mod talk;
mod terminal;
mod unknown;
mod words;
