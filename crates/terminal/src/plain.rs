//! What was printed on a terminal, as text that can be read from top to bottom.
//!
//! Follows what happens inside a line; must not keep a screen: what was printed earlier stays where it is.

use std::iter::Peekable;
use std::str::Chars;

/// Characters after which a line counts as printed, so that memory is not taken for all that has no line breaks.
const PRINTED_CHARS_MAX: usize = 4 * 1024;

/// What is left to read of what was printed: lines as they were when they ended, without colours and the like. Never
/// longer than what was printed.
#[must_use]
pub fn plain(printed: &str) -> String {
    let mut text = String::with_capacity(printed.len());
    let mut line = Line::default();
    let mut rest = printed.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => {
                line.end(&mut text);
                text.push('\n');
            }
            '\r' => line.at = 0,
            '\u{8}' => line.at = line.at.saturating_sub(1),
            '\u{1b}' => escape(&mut rest, &mut line),
            c if c.is_control() && c != '\t' => {}
            c => {
                if line.at == PRINTED_CHARS_MAX {
                    line.end(&mut text);
                }
                line.put(c);
            }
        }
    }
    line.end(&mut text);
    text
}

/// The line that is being printed. Each step takes the same time however long it is, since whoever prints chooses the steps.
#[derive(Default)]
struct Line {
    /// Each with how often the line had been erased when it was printed; what was there before the last time is a blank.
    cells: Vec<(usize, char)>,
    erased: usize,
    /// Where the next one goes, never behind the end.
    at: usize,
}

impl Line {
    fn put(&mut self, c: char) {
        let cell = (self.erased, c);
        match self.cells.get_mut(self.at) {
            Some(covered) => *covered = cell,
            None => self.cells.push(cell),
        }
        self.at += 1;
    }

    fn erase(&mut self) {
        self.cells.truncate(self.at);
        self.erased += 1;
    }

    fn end(&mut self, text: &mut String) {
        let erased = std::mem::take(&mut self.erased);
        text.extend(self.cells.drain(..).map(|(when, c)| if when == erased { c } else { ' ' }));
        self.at = 0;
    }
}

/// Follows what concerns the line alone, and skips everything else.
fn escape(rest: &mut Peekable<Chars<'_>>, line: &mut Line) {
    match rest.next_if(|c| !c.is_control()) {
        Some('[') => {
            let mut number = String::new();
            while let Some(c) = rest.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)) {
                number.push(c);
            }
            let count = number.parse().unwrap_or(1).max(1);
            match (rest.next_if(|c| ('\u{40}'..='\u{7e}').contains(c)), number.as_str()) {
                (Some('K'), "" | "0") => line.cells.truncate(line.at),
                (Some('K'), "2") => line.erase(),
                (Some('C'), _) => line.at = line.at.saturating_add(count).min(line.cells.len()),
                (Some('D'), _) => line.at = line.at.saturating_sub(count),
                (Some('G'), _) => line.at = (count - 1).min(line.cells.len()),
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

    #[test]
    fn a_line_is_erased_however_often_and_wherever_something_was_printed_since() {
        let wide = "x".repeat(PRINTED_CHARS_MAX);
        let again = "\ry\u{1b}[9999C\u{8}z\u{1b}[2K".repeat(100_000);
        let blank = " ".repeat(PRINTED_CHARS_MAX - 1);
        assert_eq!(plain(&format!("{wide}{again}\ra")), format!("a{blank}"));
        assert_eq!(plain(&format!("{wide}{again}\nab\u{1b}[2K\u{8}\u{1b}[2Kc\u{1b}[2K")), format!("{blank} \n  "));
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
