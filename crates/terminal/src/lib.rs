//! Terminals for programs that want one: both ends of them, and what was printed as text.
//!
//! Must not know who runs on them, and must not interpret what goes through while it does.

mod plain;

pub use plain::plain;

use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{InputModes, LocalModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// Wide enough for the lines of most programs, and as high as the screen of a person.
const SIZE: Winsize = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
/// What is printed is read as text from top to bottom, by a model: there is no screen to draw on. A program that believes
/// this prints lines; one that cannot do without a screen says so.
const KIND: (&str, &str) = ("TERM", "dumb");
/// Variables by which the terminal of somebody else would be taken for this one.
const OF_OTHERS: [&str; 3] = ["TERM", "COLUMNS", "LINES"];
/// Bytes of a line that a terminal keeps until it is ended; the kernel drops the others.
const LINE_BYTES_MAX: usize = 4_095;
/// Whoever opens a terminal with these does not become the one that it controls, and leaves it to no other program.
const FLAGS: OpenptFlags = OpenptFlags::RDWR.union(OpenptFlags::NOCTTY).union(OpenptFlags::CLOEXEC);

/// What interrupts a program when it is typed.
const INTERRUPT: u8 = 0x03;
/// What ends the input when it is typed.
pub const END: u8 = 0x04;

/// A new one: the end at which somebody types and reads.
pub fn open() -> io::Result<OwnedFd> {
    let ours = openpt(FLAGS)?;
    unlockpt(&ours)?;
    Ok(ours)
}

/// The end that a program gets.
pub fn other_end(ours: &OwnedFd) -> io::Result<OwnedFd> {
    let theirs = ioctl_tiocgptpeer(ours, FLAGS)?;
    tcsetwinsize(&theirs, SIZE)?;
    let mut modes = tcgetattr(&theirs)?;
    modes.input_modes |= InputModes::IUTF8;
    tcsetattr(&theirs, OptionalActions::Now, &modes)?;
    Ok(theirs)
}

/// Makes an environment that of a program on such a terminal.
pub fn suit(env: &mut Vec<(OsString, OsString)>) {
    env.retain(|(name, _)| !OF_OTHERS.iter().any(|other| name == other));
    env.push((KIND.0.into(), KIND.1.into()));
}

/// The length of the line that is begun when this was typed behind `begun` bytes; none when it would be too long.
#[must_use]
pub fn begun_after(ours: impl AsFd, begun: usize, typed: &str) -> Option<usize> {
    // A program that takes every key at once has no lines.
    if !tcgetattr(ours).is_ok_and(|modes| modes.local_modes.contains(LocalModes::ICANON)) {
        return Some(0);
    }
    typed.bytes().try_fold(begun, |begun, byte| match byte {
        b'\n' | b'\r' | END | INTERRUPT => Some(0),
        _ => Some(begun + 1).filter(|begun| *begun <= LINE_BYTES_MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::termios::{isatty, tcgetwinsize};
    use std::io::{Read, Write};

    #[test]
    fn what_is_typed_at_one_end_is_read_at_the_other() {
        let ours = open().unwrap();
        let mut theirs = std::fs::File::from(other_end(&ours).unwrap());
        let mut ours = std::fs::File::from(ours);
        assert!(isatty(&theirs));
        let size = tcgetwinsize(&theirs).unwrap();
        assert_eq!((size.ws_col, size.ws_row), (120, 40));
        ours.write_all(b"typed\n\x04").unwrap();
        let mut read = String::new();
        theirs.read_to_string(&mut read).unwrap();
        assert_eq!(read, "typed\n");
        theirs.write_all(b"printed\n").unwrap();
        drop(theirs);
        let mut shown = Vec::new();
        let end = ours.read_to_end(&mut shown).unwrap_err();
        assert_eq!(end.raw_os_error(), Some(rustix::io::Errno::IO.raw_os_error()), "so a terminal says that nobody is left");
        assert_eq!(plain(&String::from_utf8(shown).unwrap()), "typed\nprinted\n");
    }

    #[test]
    fn a_line_is_counted_until_it_ends_and_not_where_there_are_none() {
        let ours = open().unwrap();
        let theirs = other_end(&ours).unwrap();
        let after = |begun, typed: &str| begun_after(&ours, begun, typed);
        assert_eq!(
            (after(0, "ab"), after(2, "c\nd"), after(7, "\r"), after(7, "\u{4}"), after(7, "x\u{3}")),
            (Some(2), Some(1), Some(0), Some(0), Some(0))
        );
        assert_eq!(
            (after(LINE_BYTES_MAX - 1, "x"), after(LINE_BYTES_MAX, "x"), after(LINE_BYTES_MAX, "\n")),
            (Some(LINE_BYTES_MAX), None, Some(0))
        );
        let mut modes = tcgetattr(&theirs).unwrap();
        modes.make_raw();
        tcsetattr(&theirs, OptionalActions::Now, &modes).unwrap();
        assert_eq!(after(LINE_BYTES_MAX, "x"), Some(0));
    }

    #[test]
    fn an_environment_names_this_terminal_only() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let mut env = vec![pair("TERM", "xterm"), pair("A", "b"), pair("COLUMNS", "7"), pair("LINES", "8")];
        suit(&mut env);
        assert_eq!(env, [pair("A", "b"), pair("TERM", "dumb")]);
    }
}
