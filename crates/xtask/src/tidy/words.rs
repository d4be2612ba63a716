//! Words of unfinished work. They are joined from halves here, or this file would be its own first offender.

use crate::offence::Offence;
use crate::source::{Source, words};

const WHY: &str = "unfinished work is not merged; what is left belongs to the tracker";
const WHY_IGNORE: &str = "a test that does not run proves nothing; delete it or make it run";

/// Found anywhere, also in comments and texts.
const IN_TEXT: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("for", " now"), concat!("For", " now")];

/// Found in code only.
const IN_CODE: &[&str] = &[concat!("to", "do!"), concat!("unimple", "mented!")];

const IGNORED: &str = "#[ignore";

pub fn check(source: &Source) -> Vec<Offence> {
    let find = |text: &str, word: &str, why: &'static str| -> Vec<Offence> {
        words(text, word).map(|at| Offence::new(source.at(at), format!("`{word}`"), why)).collect()
    };
    let in_text = IN_TEXT.iter().flat_map(|word| find(&source.raw, word, WHY));
    let in_code = IN_CODE.iter().flat_map(|word| find(&source.code, word, WHY));
    in_text.chain(in_code).chain(find(&source.code, IGNORED, WHY_IGNORE)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_planted_word_is_found() {
        for word in IN_TEXT {
            assert_eq!(check(&Source::new("a.rs", &format!("fn a() {{}} // {word}: later"))).len(), 1, "{word}");
        }
        for word in IN_CODE {
            assert_eq!(check(&Source::new("a.rs", &format!("fn a() {{ {word}() }}"))).len(), 1, "{word}");
        }
        assert_eq!(check(&Source::new("a.rs", "#[test]\n#[ignore = \"slow\"]\nfn a() {}"))[0].place, "a.rs:2");
    }

    #[test]
    fn words_inside_others_and_quoted_attributes_pass() {
        assert_eq!(check(&Source::new("a.rs", "let mask = \"#[ignore]\"; // TODOS, the word before nowhere: for nowadays")), []);
    }
}
