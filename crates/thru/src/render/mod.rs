//! What is written to the terminal: the story line by line, canonical events as JSON, or the final answer alone.

mod asks;
mod beyond;
mod deltas;
mod live;
mod story;
mod tally;
mod text;
mod tools;

pub use asks::{Where, card, details};
pub use deltas::Deltas;
pub use live::LiveText;
pub use story::Story;
pub use tally::Tally;
pub use text::{excerpt, harmless, set_off};

use crate::args::Show;
use crate::fault::Fault;
use contract::port::Stored;
use contract::units::Version;
use std::io::{IsTerminal, Write};

/// Prints a fault as one line on stderr, for scripts as the outcome on stdout too, and returns its exit code.
pub fn fault(fault: &Fault, json: bool) -> u8 {
    if json {
        let Fault { kind, message, hint, code } = fault;
        let closed = serde_json::json!({ "type": "stream.closed", "outcome": kind, "exit_code": code, "message": message, "hint": hint });
        out(closed.to_string().as_bytes());
    }
    let mut err = std::io::stderr().lock();
    // When stderr is gone the exit code is all that is left to say.
    drop(writeln!(err, "thru: {}; {}", fault.message, fault.hint));
    fault.code
}

/// Where lines go. A reader that went away is not an error: the work matters, not the story.
#[derive(Debug)]
pub struct Screen {
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Json,
    /// The story on stdout, for a person at a terminal.
    Terminal,
    /// The story on stderr, so that stdout holds the final answer only.
    Piped,
    Quiet,
}

impl Screen {
    pub fn new(show: Show) -> Screen {
        let how = if show.json {
            How::Json
        } else if show.quiet {
            How::Quiet
        } else if std::io::stdout().is_terminal() {
            How::Terminal
        } else {
            How::Piped
        };
        Screen { how }
    }

    /// Shows events; those up to `earlier` are known, and only what later ones say of them is needed.
    pub fn events(&self, stored: &[Stored], earlier: Version, story: &mut Story) {
        for one in stored {
            let line = story.tell(&one.event);
            if one.event.version <= earlier {
                continue;
            }
            match self.how {
                How::Json => out(&one.bytes),
                How::Terminal | How::Piped => line.iter().for_each(|line| self.story(line)),
                How::Quiet => {}
            }
        }
    }

    /// A line that is not an event, such as the summary.
    pub fn story(&self, line: &str) {
        match self.how {
            How::Terminal => out(line.as_bytes()),
            How::Piped => drop(writeln!(std::io::stderr().lock(), "{line}")),
            How::Json | How::Quiet => {}
        }
    }

    /// What a person must hear however quiet they wanted it: the work is not done.
    pub fn notice(&self, line: &str) {
        match self.how {
            How::Terminal => out(line.as_bytes()),
            How::Piped | How::Quiet => drop(writeln!(std::io::stderr().lock(), "{line}")),
            How::Json => {}
        }
    }

    /// Whether each event is told in words.
    pub fn tells_story(&self) -> bool {
        matches!(self.how, How::Terminal | How::Piped)
    }

    /// Whether a person sits in front of it and can answer in place.
    pub fn is_interactive(&self) -> bool {
        self.how == How::Terminal && std::io::stdin().is_terminal()
    }

    pub fn json(&self, value: &serde_json::Value) {
        if self.how == How::Json {
            out(value.to_string().as_bytes());
        }
    }

    /// The final answer, where the story has not told it on the same stream already.
    pub fn answer(&self, answer: &str) {
        match self.how {
            How::Piped | How::Quiet => out(answer.as_bytes()),
            How::Json | How::Terminal => {}
        }
    }
}

/// One line on stdout.
pub fn out(line: &[u8]) {
    let mut out = std::io::stdout().lock();
    drop(out.write_all(line).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()));
}
