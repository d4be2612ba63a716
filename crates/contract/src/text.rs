//! Text that may grow: inline while short, else a blob with both ends at hand.
//!
//! Machines never need more than the ends. Whoever makes a long text puts the blob first.

use crate::id::Sha256;
use crate::limits::{TEXT_END_BYTES_MAX, TEXT_INLINE_BYTES_MAX, TEXT_SMALL_END_BYTES_MAX, TEXT_SMALL_INLINE_BYTES_MAX};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Text {
    Inline(String),
    Blob { sha256: Sha256, bytes: u64, head: String, tail: String },
}

/// A text cut for an event, and the blob that must be stored before the event names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub text: Text,
    pub blob: Option<Vec<u8>>,
}

/// How much of a text may stand in an event. Lengths are those of the stored form, in which a quote takes two bytes
/// and a control character six, so that a limit on appends can be kept by counting texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub inline_bytes_max: usize,
    pub end_bytes_max: usize,
}

impl Room {
    /// For what a model or a person is shown of: messages, replies, results.
    pub const SHOWN: Room = Room { inline_bytes_max: TEXT_INLINE_BYTES_MAX, end_bytes_max: TEXT_END_BYTES_MAX };
    /// For what comes many times in one append: arguments, previews, opaque parts.
    pub const SMALL: Room = Room { inline_bytes_max: TEXT_SMALL_INLINE_BYTES_MAX, end_bytes_max: TEXT_SMALL_END_BYTES_MAX };
}

impl Text {
    /// Cuts `whole` if it is too long to stand in an event.
    #[must_use]
    pub fn cut(whole: String, room: Room) -> Cut {
        if stored_len(whole.chars()) <= room.inline_bytes_max {
            return Cut { text: Text::Inline(whole), blob: None };
        }
        let head_end = fitting(whole.chars(), room.end_bytes_max);
        let tail_len = fitting(whole[head_end..].chars().rev(), room.end_bytes_max);
        let text = Text::Blob {
            sha256: Sha256::of(whole.as_bytes()),
            bytes: whole.len() as u64,
            head: whole[..head_end].to_owned(),
            tail: whole[whole.len() - tail_len..].to_owned(),
        };
        Cut { text, blob: Some(whole.into_bytes()) }
    }

    /// Bytes of the whole text.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Text::Inline(text) => text.len() as u64,
            Text::Blob { bytes, .. } => *bytes,
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes between head and tail that only the blob has.
    #[must_use]
    pub fn omitted(&self) -> u64 {
        match self {
            Text::Inline(_) => 0,
            Text::Blob { bytes, head, tail, .. } => bytes.saturating_sub((head.len() + tail.len()) as u64),
        }
    }

    /// The text as far as the event holds it, its ends joined by a mark that names the blob.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Text::Inline(text) => text.clone(),
            Text::Blob { sha256, head, tail, .. } => match self.omitted() {
                0 => format!("{head}{tail}"),
                omitted => format!("{head}\n[… {omitted} bytes · sha256:{sha256} …]\n{tail}"),
            },
        }
    }
}

impl From<&str> for Text {
    /// For short texts that are known to fit, such as those of this program itself.
    fn from(text: &str) -> Text {
        Text::cut(text.to_owned(), Room::SHOWN).text
    }
}

/// Bytes of a character inside a JSON string.
fn stored_char(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        c if c < ' ' => 6,
        c => c.len_utf8(),
    }
}

fn stored_len(chars: impl Iterator<Item = char>) -> usize {
    chars.map(stored_char).sum()
}

/// Bytes of the longest run of characters that takes at most `room` bytes when stored.
fn fitting(chars: impl Iterator<Item = char>, room: usize) -> usize {
    let mut stored = 0;
    let fits = chars.take_while(|c| {
        stored += stored_char(*c);
        stored <= room
    });
    fits.map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_text_stays_inline() {
        let cut = Text::cut("x".repeat(TEXT_INLINE_BYTES_MAX), Room::SHOWN);
        assert_eq!(cut.blob, None);
        assert_eq!(cut.text.len(), TEXT_INLINE_BYTES_MAX as u64);
    }

    #[test]
    fn a_long_text_keeps_both_ends_and_names_its_blob() {
        let whole = format!("{}{}{}", "a".repeat(9_000), "b".repeat(9_000), "c".repeat(9_000));
        let cut = Text::cut(whole.clone(), Room::SHOWN);
        assert_eq!(cut.blob.as_deref(), Some(whole.as_bytes()));
        let shown = cut.text.shown();
        assert!(shown.starts_with("aaa") && shown.ends_with("ccc"));
        assert!(shown.contains(&Sha256::of(whole.as_bytes()).to_string()));
        assert_eq!(cut.text.omitted(), 27_000 - 2 * TEXT_END_BYTES_MAX as u64);
    }

    proptest! {
        #[test]
        fn ends_never_split_a_character_nor_overlap(unit in "[a-zé中🦀\"\n\u{1}]{1,7}", times in 1usize..9_000) {
            let whole = unit.repeat(times);
            let cut = Text::cut(whole.clone(), Room::SHOWN);
            if let Text::Blob { bytes, head, tail, .. } = &cut.text {
                prop_assert!(whole.starts_with(head.as_str()) && whole.ends_with(tail.as_str()));
                prop_assert!((head.len() + tail.len()) as u64 <= *bytes);
                for end in [head, tail] {
                    prop_assert!(serde_json::to_string(end).unwrap().len() <= TEXT_END_BYTES_MAX + 2);
                }
            } else {
                prop_assert_eq!(cut.text.shown(), whole);
            }
        }
    }
}
