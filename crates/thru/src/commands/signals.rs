//! The signals that end a command, and what each means.

use crate::fault::code;
use tokio::signal::unix::{Signal, SignalKind, signal};

#[derive(Clone, Copy, Debug)]
pub enum Which {
    Interrupt,
    Terminate,
}

impl Which {
    pub fn name(self) -> &'static str {
        match self {
            Which::Interrupt => "SIGINT",
            Which::Terminate => "SIGTERM",
        }
    }

    pub fn code(self) -> u8 {
        match self {
            Which::Interrupt => code::INTERRUPTED,
            Which::Terminate => code::TERMINATED,
        }
    }
}

pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub fn new() -> std::io::Result<Signals> {
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    pub async fn next(&mut self) -> Which {
        tokio::select! {
            _ = self.interrupt.recv() => Which::Interrupt,
            _ = self.terminate.recv() => Which::Terminate,
        }
    }
}
