//! What a case can be found guilty of.

use std::fmt;
use std::io;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Something that the log calls done, or that had to be done, is not there.
    Lost(String),
    /// Something happened twice.
    Doubled(String),
    /// The work did not come to its end.
    Stuck(String),
    /// Another promise is broken, or the proof itself does not work.
    Wrong(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Wrong(error.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, what) = match self {
            Fault::Lost(what) => ("lost", what),
            Fault::Doubled(what) => ("doubled", what),
            Fault::Stuck(what) => ("stuck", what),
            Fault::Wrong(what) => ("wrong", what),
        };
        write!(f, "{kind}: {what}")
    }
}
