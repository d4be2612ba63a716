//! One thing that can go wrong with the job, by a name under which it can be repeated.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// The program dies at its k-th point, counted over its run and the resume that follows the ask.
    Point(u64),
    /// Every supervisor dies at its k-th point.
    Supervisor(u64),
    /// The program dies at its k-th point, and every supervisor of that process at its own.
    Both(u64, u64),
    /// The program dies at its k-th point, and whoever recovers at the j-th.
    Recovery(u64, u64),
    /// Somebody is killed at some moment, and perhaps again.
    Random(u64),
    /// Of two processes on one data folder the first or the second is killed.
    Pair(u64),
    /// The write-ahead log ends after so many bytes.
    Cut(u64),
    /// A byte of the write-ahead log is another.
    WalFlip(u64),
    /// The write-ahead log ends after that frame, and the job goes on.
    Rewound(u64),
    /// A byte of the database is another.
    Flip(u64),
    /// No file may become longer than so many KiB.
    Full(u64),
    /// The data folder cannot be written: before the job, while it waits, and after it.
    ReadOnly(u64),
}

impl Case {
    fn parts(self) -> (&'static str, u64, Option<u64>) {
        match self {
            Case::Point(at) => ("point", at, None),
            Case::Supervisor(at) => ("supervisor", at, None),
            Case::Both(at, supervisor) => ("both", at, Some(supervisor)),
            Case::Recovery(at, again) => ("recovery", at, Some(again)),
            Case::Random(number) => ("random", number, None),
            Case::Pair(which) => ("pair", which, None),
            Case::Cut(bytes) => ("cut", bytes, None),
            Case::WalFlip(at) => ("walflip", at, None),
            Case::Rewound(frame) => ("rewound", frame, None),
            Case::Flip(at) => ("flip", at, None),
            Case::Full(kib) => ("full", kib, None),
            Case::ReadOnly(when) => ("readonly", when, None),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            (name, first, None) => write!(f, "{name}:{first}"),
            (name, first, Some(second)) => write!(f, "{name}:{first}:{second}"),
        }
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(text: &str) -> Result<Case, String> {
        let bad = || format!("`{text}` is no case such as point:17 or recovery:17:4");
        let mut parts = text.split(':');
        let name = parts.next().ok_or_else(bad)?;
        let numbers: Vec<u64> = parts.map(str::parse).collect::<Result<_, _>>().map_err(|_| bad())?;
        Ok(match (name, numbers.as_slice()) {
            ("point", [at]) => Case::Point(*at),
            ("supervisor", [at]) => Case::Supervisor(*at),
            ("both", [at, supervisor]) => Case::Both(*at, *supervisor),
            ("recovery", [at, again]) => Case::Recovery(*at, *again),
            ("random", [number]) => Case::Random(*number),
            ("pair", [which]) => Case::Pair(*which),
            ("cut", [bytes]) => Case::Cut(*bytes),
            ("walflip", [at]) => Case::WalFlip(*at),
            ("rewound", [frame]) => Case::Rewound(*frame),
            ("flip", [at]) => Case::Flip(*at),
            ("full", [kib]) => Case::Full(*kib),
            ("readonly", [when]) => Case::ReadOnly(*when),
            _ => return Err(bad()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_printed_means_the_same_case() {
        let cases = [
            Case::Point(17),
            Case::Supervisor(2),
            Case::Both(3, 4),
            Case::Recovery(5, 6),
            Case::Random(7),
            Case::Pair(1),
            Case::Cut(8),
            Case::WalFlip(9),
            Case::Rewound(10),
            Case::Flip(11),
            Case::Full(12),
            Case::ReadOnly(0),
        ];
        for case in cases {
            assert_eq!(case.to_string().parse(), Ok(case));
        }
        for bad in ["", "point", "point:", "point:1:2", "recovery:1", "point:x"] {
            assert!(bad.parse::<Case>().is_err(), "{bad}");
        }
    }
}
