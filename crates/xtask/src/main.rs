//! House rules as checks, and files that are derived from the code. This file only dispatches.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the people who work here: its terminal is its only surface")]

mod deps;
mod files;
mod histories;
mod metadata;
mod offence;
mod problem;
mod ratchet;
mod schema;
mod slowest;
mod source;
mod tidy;

use problem::Problem;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND
  tidy                fails on every breach of a house rule
  deps                fails on dependencies that may not be shipped
  schema [--check]    writes the schema of all events, or fails if the file is not current
  histories [--check] writes golden histories that are missing, or only checks all of them
  histories --states  writes anew the whole states that the golden histories fold to
  slowest [FILE]      prints the ten slowest tests of the last run";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["tidy"] => tidy::run(),
        ["deps"] => deps::run(),
        ["schema"] => schema::write(),
        ["schema", "--check"] => schema::check(),
        ["histories"] => histories::write_new(),
        ["histories", "--check"] => histories::check(),
        ["histories", "--states"] => histories::write_states(),
        ["slowest"] => slowest::run_default(),
        ["slowest", file] => slowest::run(file.as_ref()),
        _ => Err(Problem::Usage(USAGE)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
