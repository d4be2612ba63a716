//! Lines that a person types at the terminal, read by a thread of its own, because reading blocks.
//!
//! Must not read while another program has the terminal: a process that does is stopped whole, with the work it drives.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use std::io::Stdin;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Bytes read at once; a terminal hands out one line, and none is longer than this.
const READ_MAX: usize = 4_096;
/// How often a process in the background looks whether what is typed is for it again.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

pub fn lines() -> UnboundedReceiver<String> {
    let (send, receive) = unbounded_channel();
    std::thread::spawn(move || {
        let (input, mut begun) = (std::io::stdin(), Vec::new());
        while let Some(bytes) = typed(&input) {
            begun.extend_from_slice(&bytes);
            // Nobody listens any more.
            if whole_lines(&mut begun).into_iter().any(|line| send.send(line).is_err()) {
                return;
            }
        }
        if !begun.is_empty() {
            drop(send.send(text(&begun)));
        }
    });
    receive
}

/// What was typed next; none when the person has gone.
fn typed(input: &Stdin) -> Option<Vec<u8>> {
    let mut bytes = vec![0; READ_MAX];
    loop {
        let waited = if is_for_this_process(input) {
            poll(&mut [PollFd::new(input, PollFlags::IN)], None)
        } else {
            // Nothing but the end of the terminal.
            poll(&mut [PollFd::new(input, PollFlags::empty())], Some(&LOOK_EVERY))
        };
        // It may have gone to the background while nothing was typed.
        let read = match waited {
            Ok(1..) if is_for_this_process(input) => read(input, &mut bytes),
            Ok(_) => continue,
            Err(error) => Err(error),
        };
        match read {
            Ok(0) => return None,
            Ok(count) => {
                bytes.truncate(count);
                return Some(bytes);
            }
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Whether this process is in the foreground of its terminal; one that is not its own stops nobody.
fn is_for_this_process(input: &Stdin) -> bool {
    tcgetpgrp(input).map_or(true, |front| front == getpgrp())
}

/// Takes the lines that have ended, and leaves what has not.
fn whole_lines(begun: &mut Vec<u8>) -> Vec<String> {
    let end = begun.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
    let ended: Vec<u8> = begun.drain(..end).collect();
    ended.split_inclusive(|byte| *byte == b'\n').map(text).collect()
}

/// What is not text is shown as such, and does not cost the rest of the line.
fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_are_the_same_however_they_are_cut(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'\r')], 0..40), size in 1usize..9) {
            let (mut begun, mut lines) = (Vec::new(), Vec::new());
            for piece in bytes.chunks(size) {
                begun.extend_from_slice(piece);
                lines.extend(whole_lines(&mut begun));
            }
            let mut at_once = bytes.clone();
            prop_assert_eq!(&lines, &whole_lines(&mut at_once));
            prop_assert_eq!(&begun, &at_once);
            prop_assert_eq!(lines.len(), bytes.iter().filter(|byte| **byte == b'\n').count());
            prop_assert!(lines.iter().all(|line| !line.contains('\n')));
            prop_assert!(bytes.ends_with(&begun) && !begun.contains(&b'\n'));
        }
    }

    #[test]
    fn lines_are_taken_when_they_have_ended_and_bad_bytes_are_replaced() {
        let mut begun = b"one\ntw\xffo\r\n\nthr".to_vec();
        assert_eq!(whole_lines(&mut begun), ["one", "tw\u{fffd}o", ""]);
        assert_eq!(whole_lines(&mut begun), [""; 0]);
        begun.extend_from_slice(b"ee\n");
        assert_eq!((whole_lines(&mut begun), begun), (vec!["three".to_owned()], Vec::new()));
    }
}
