//! `make crash`: the real binary is killed at every place it can be killed at, and must neither lose nor double anything.

use std::process::ExitCode;

fn main() -> ExitCode {
    testkit::crash::main()
}
