//! What was printed on a terminal, as text that can be read from top to bottom.
//!
//! Follows what happens inside a line; must not keep a screen: what was printed earlier stays where it is.

use std::iter::Peekable;
use std::str::Chars;

/// Characters after which a line counts as printed, so that memory is not taken for all that has no line breaks.
const PRINTED_CHARS_MAX: usize = 64 * 1024;

/// What is left to read of what was printed: lines as they were when they ended, without colours and the like. Never
/// longer than what was printed.
#[must_use]
pub fn plain(printed: &str) -> String {
    let mut text = String::with_capacity(printed.len());
    let (mut line, mut at) = (Vec::new(), 0_usize);
    let mut rest = printed.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => {
                line.push('\n');
                text.extend(line.drain(..));
                at = 0;
            }
            '\r' => at = 0,
            '\u{8}' => at = at.saturating_sub(1),
            '\u{1b}' => escape(&mut rest, &mut line, &mut at),
            c if c.is_control() && c != '\t' => {}
            c => {
                if at == PRINTED_CHARS_MAX {
                    text.extend(line.drain(..));
                    at = 0;
                }
                match line.get_mut(at) {
                    Some(covered) => *covered = c,
                    None => line.push(c),
                }
                at += 1;
            }
        }
    }
    text.extend(line);
    text
}

/// Follows what concerns the line alone, and skips everything else.
fn escape(rest: &mut Peekable<Chars<'_>>, line: &mut Vec<char>, at: &mut usize) {
    match rest.next_if(|c| !c.is_control()) {
        Some('[') => {
            let mut number = String::new();
            while let Some(c) = rest.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)) {
                number.push(c);
            }
            let count = number.parse().unwrap_or(1).max(1);
            match (rest.next_if(|c| ('\u{40}'..='\u{7e}').contains(c)), number.as_str()) {
                (Some('K'), "" | "0") => line.truncate(*at),
                (Some('K'), "2") => *line = vec![' '; *at],
                (Some('C'), _) => *at = at.saturating_add(count).min(line.len()),
                (Some('D'), _) => *at = at.saturating_sub(count),
                (Some('G'), _) => *at = (count - 1).min(line.len()),
                (Some(_) | None, _) => {}
            }
        }
        // Titles, links and the like: a text up to its end.
        Some(']' | 'P' | '^' | '_' | 'X') => {
            while let Some(c) = rest.next_if(|c| *c != '\n') {
                if c == '\u{7}' || (c == '\u{1b}' && rest.next_if_eq(&'\\').is_some()) {
                    return;
                }
            }
        }
        Some(' '..='/') => drop(rest.next_if(|c| !c.is_control())),
        Some(_) | None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use damage::damaged_text;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_read_as_it_was_when_it_ended() {
        let cases = [
            ("one\r\ntwo\r\n", "one\ntwo\n"),
            ("10%\r50%\r100%\r\n", "100%\n"),
            ("building\rdone\r\n", "doneding\n"),
            ("building\r\u{1b}[Kdone\r\n", "done\n"),
            ("building\r\u{1b}[2Kdone", "done"),
            ("ab\u{1b}[2Kc", "  c"),
            ("abc\u{1b}[1G\u{1b}[0Kd", "d"),
            ("abc\u{1b}[2DX\u{1b}[9Cd", "aXcd"),
            ("abd\u{8}c", "abc"),
            ("\u{8}a\tb", "a\tb"),
            ("\u{1b}[1;31mred\u{1b}[0m \u{1b}[?25lx\u{1b}[38;5;4m", "red x"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b\u{1b}(Bc\u{1b}=d\u{1b}Pq\u{1b}\\e", "abcde"),
            ("\u{1b}]never ended\nnext", "\nnext"),
            ("bell\u{7}\0\u{7f}\u{9b}", "bell"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
            ("\u{1b}[31\nnext", "\nnext"),
            ("中🦀\rx", "x🦀"),
        ];
        for (printed, text) in cases {
            assert_eq!(plain(printed), text, "{printed:?}");
        }
    }

    #[test]
    fn what_has_no_line_breaks_is_kept_all_the_same() {
        let long = "x".repeat(3 * PRINTED_CHARS_MAX + 7);
        assert_eq!(plain(&long), long);
    }

    proptest! {
        #[test]
        fn whatever_was_printed_is_text_and_no_more_of_it(
            printed in damaged_text("(?s)([a-z中]{0,4}|\r|\n|\u{8}|\u{1b}(\\[[0-9;?]{0,4}[A-Zm]|\\][a-z]{0,3}(\u{7}|\u{1b}\\\\)|.)){0,30}"),
        ) {
            let text = plain(&printed);
            prop_assert!(text.len() <= printed.len(), "{text:?}");
            prop_assert!(text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{text:?}");
            prop_assert_eq!(text.matches('\n').count(), printed.matches('\n').count());
            prop_assert_eq!(plain(&text), text);
        }
    }
}
