//! One breach of one rule, printed as one line with the reason of the rule.

use crate::problem::Problem;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offence {
    /// A file, a file with a line, or a crate.
    pub place: String,
    pub what: String,
    /// Why the rule exists; a rule nobody can explain is not kept.
    pub why: &'static str,
}

impl Offence {
    pub fn new(place: impl Into<String>, what: impl Into<String>, why: &'static str) -> Offence {
        Offence { place: place.into(), what: what.into(), why }
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.place, self.what, self.why)
    }
}

/// Prints all offences in a stable order; none is success.
pub fn report(command: &'static str, mut offences: Vec<Offence>) -> Result<(), Problem> {
    offences.sort();
    offences.dedup();
    for offence in &offences {
        println!("{offence}");
    }
    match offences.len() {
        0 => {
            println!("{command}: offences 0");
            Ok(())
        }
        count => Err(Problem::Offences { command, count }),
    }
}
