//! Words that answer an ask when a person types them as a message.

use unicode_normalization::UnicodeNormalization;

const YES: &[&str] = &["yes", "y", "ok", "confirm", "approve", "是", "确认", "确定", "通过", "批准"];
const NO: &[&str] = &["no", "n", "cancel", "deny", "reject", "否", "不", "不行", "取消", "拒绝", "否决"];

/// Punctuation that changes nothing at the end of a word; a question mark does.
const FINAL: &str = ".!,;:。！，；：…~";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Yes,
    No,
}

/// What the text says if it is one of the words and nothing else: compatibility forms, case, surrounding space and final
/// punctuation do not matter.
#[must_use]
pub fn word(text: &str) -> Option<Word> {
    let plain: String = text.nfkc().collect::<String>().to_lowercase();
    let plain = plain.trim().trim_end_matches(|c: char| FINAL.contains(c)).trim_end();
    if YES.contains(&plain) {
        return Some(Word::Yes);
    }
    NO.contains(&plain).then_some(Word::No)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_bare_word_counts() {
        for yes in ["yes", "Yes.", "OK", " ok ", "ＯＫ！", "y", "确认", "确认。", "通过", "批准 ", "Approve!"] {
            assert_eq!(word(yes), Some(Word::Yes), "{yes}");
        }
        for no in ["no", "No!", "N", "取消", "不", "不行。", "拒绝", "deny"] {
            assert_eq!(word(no), Some(Word::No), "{no}");
        }
        for neither in
            ["do NOT run that", "yes but in staging", "okay then", "", ".", "y e s", "no, wait", "ok?", "好吗？", "不是", "yes\nno"]
        {
            assert_eq!(word(neither), None, "{neither}");
        }
    }
}
