//! The terminal binary: arguments, rendering, texts. Anything a test would want elsewhere is in `throughline`.

mod amount;
mod args;
mod catalog;
mod commands;
#[cfg(feature = "crash-points")]
mod crash;
mod fault;
mod render;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "crash-points")]
    crash::install();
    // The same program is the supervisor of every command; nothing may be opened or started before this.
    if throughline::supervisor::is_supervisor() {
        throughline::supervisor::main();
    }
    ExitCode::from(run())
}

fn run() -> u8 {
    let command = match args::parse(std::env::args_os()) {
        Ok(command) => command,
        Err(fault) => return render::fault(&fault, args::would_want_json(std::env::args_os())),
    };
    let json = command.wants_json();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return render::fault(&fault::Fault::bug(&error.to_string()), json),
    };
    let code = match runtime.block_on(commands::run(command)) {
        Ok(code) => code,
        Err(fault) => render::fault(&fault, json),
    };
    // A reader that is stuck in a blocking call must not hold up the end; everything that counts is durable.
    runtime.shutdown_background();
    code
}
