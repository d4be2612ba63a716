//! The scripted provider by hand: `cargo run -p provider -- SCRIPT [PORT [KEY]]`, until it is killed.

#![allow(clippy::print_stdout, reason = "whoever starts it by hand reads where it is")]

use provider::{Options, Provider};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let script = arguments.next().and_then(|file| std::fs::read_to_string(file).ok());
    let port = arguments.next().map_or(Some(0), |port| port.parse().ok());
    let (Some(script), Some(port)) = (script, port) else {
        println!("provider SCRIPT [PORT [KEY]]: the script cannot be read, or the port is no number");
        return ExitCode::from(2);
    };
    match Provider::start(&script, Options { key: arguments.next(), port }) {
        Ok(provider) => {
            println!("{}", provider.address());
            loop {
                std::thread::park();
            }
        }
        Err(error) => {
            println!("{error:?}");
            ExitCode::FAILURE
        }
    }
}
