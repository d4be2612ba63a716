//! A part of a long text: whole lines from one on, as many as a model is shown at once.
//!
//! Must not hold more than that, however long the text is.

use contract::limits::TEXT_END_BYTES_MAX;
use std::io::{self, BufRead, Read};

/// Bytes of text given at once, counted as they are stored: with a note they still fit into the two ends that a model is
/// shown of a result, so nothing is left out between them.
pub(crate) const SHOWN_BYTES_MAX: usize = 2 * TEXT_END_BYTES_MAX - 1_024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Portion {
    pub text: String,
    /// Some bytes were no UTF-8 and are replaced.
    pub is_mended: bool,
    pub end: End,
}

/// Why a portion ends where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// There is no more, or no more was asked for.
    Here,
    Before {
        line: u64,
    },
    Inside {
        line: u64,
    },
}

/// The text from this line on; `Err` in it is the number of lines when there are not so many.
pub(crate) fn portion(text: &mut impl BufRead, from_line: u64, lines: u64) -> io::Result<Result<Portion, u64>> {
    let skipped = skip_lines(text, from_line - 1)?;
    if from_line > 1 && text.fill_buf()?.is_empty() {
        return Ok(Err(skipped));
    }
    take_lines(text, from_line, lines).map(Ok)
}

/// Gives the number of lines skipped, which is less at the end of the text; a last line need not be ended.
fn skip_lines(text: &mut impl BufRead, lines: u64) -> io::Result<u64> {
    let mut skipped = 0;
    while skipped < lines && text.skip_until(b'\n')? > 0 {
        skipped += 1;
    }
    Ok(skipped)
}

fn take_lines(text: &mut impl BufRead, from_line: u64, lines: u64) -> io::Result<Portion> {
    let mut portion = Portion { text: String::new(), is_mended: false, end: End::Here };
    let (mut room, mut line, mut taken) = (SHOWN_BYTES_MAX, Vec::new(), 0);
    while taken < lines {
        line.clear();
        // One byte more than fits tells a line that is too long from one that just fits.
        if Read::take(&mut *text, room as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let shown = String::from_utf8_lossy(&line);
        let stored: usize = shown.chars().map(stored_char).sum();
        // A cut falls between lines, unless the first line alone is too long.
        if stored > room && taken > 0 {
            return Ok(Portion { end: End::Before { line: from_line + taken }, ..portion });
        }
        portion.is_mended |= matches!(shown, std::borrow::Cow::Owned(_));
        if stored > room {
            let mut left = room;
            let fits = shown.chars().take_while(|c| left.checked_sub(stored_char(*c)).inspect(|rest| left = *rest).is_some());
            portion.text = fits.collect();
            return Ok(Portion { end: End::Inside { line: from_line }, ..portion });
        }
        portion.text.push_str(&shown);
        room -= stored;
        taken += 1;
    }
    Ok(portion)
}

/// Bytes of a character inside a JSON string.
fn stored_char(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        c if c < ' ' => 6,
        c => c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::text::{Room, Text};
    use proptest::prelude::*;

    fn part(text: &str, from_line: u64, lines: u64) -> Result<Portion, u64> {
        portion(&mut text.as_bytes(), from_line, lines).unwrap()
    }

    #[test]
    fn lines_are_whole_and_counted_from_one() {
        let given = |text: &str, end| Ok(Portion { text: text.to_owned(), is_mended: false, end });
        assert_eq!(part("a\nb\nc", 1, u64::MAX), given("a\nb\nc", End::Here));
        assert_eq!(part("a\nb\nc", 2, 1), given("b\n", End::Here));
        assert_eq!(part("a\r\nb", 1, 1), given("a\r\n", End::Here));
        assert_eq!(part("a\nb\n", 3, 1), Err(2));
        assert_eq!(part("", 1, 1), given("", End::Here));
        assert_eq!(part("", 2, 1), Err(0));
        let line = format!("{}\n", "x".repeat(98));
        let fits = SHOWN_BYTES_MAX / 100;
        assert_eq!(part(&line.repeat(1_000), 1, u64::MAX), given(&line.repeat(fits), End::Before { line: fits as u64 + 1 }));
        let exact = "x".repeat(SHOWN_BYTES_MAX);
        assert_eq!(part(&exact, 1, 1), given(&exact, End::Here));
        assert_eq!(part(&format!("{exact}y"), 1, 1), given(&exact, End::Inside { line: 1 }));
        let long = format!("a\n{exact}");
        assert_eq!(part(&long, 1, u64::MAX), given("a\n", End::Before { line: 2 }));
        assert_eq!(part(&long, 2, u64::MAX), given(&exact, End::Here));
    }

    proptest! {
        /// What is given is shown to the model whole: nothing of it is left out between the two ends of a result.
        #[test]
        fn a_portion_is_never_cut_again(unit in "[a-zé中🦀\"\n\u{1}]{1,7}", times in 1usize..5_000) {
            let portion = part(&unit.repeat(times), 1, u64::MAX).unwrap();
            let shown = Text::cut(portion.text.clone(), Room::SHOWN).text;
            prop_assert_eq!((shown.omitted(), shown.shown()), (0, portion.text));
        }
    }
}
