//! Text of others on its way to a terminal.

/// Characters of a text that fit into a line of the story.
const EXCERPT_CHARS_MAX: usize = 100;
/// Stands where something was that cannot be shown as it is.
const REPLACED: char = '\u{fffd}';

/// Text of a model, a tool or a stranger must not move the cursor, recolour what comes after it, or look like another
/// text than it is.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if (c.is_control() && c != '\n' && c != '\t') || is_hidden(c) { REPLACED } else { c }).collect()
}

/// The beginning of a text on one line, made harmless.
pub fn excerpt(text: &str) -> String {
    let flat = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let flat: String = flat.map(|c| if is_hidden(c) { REPLACED } else { c }).take(EXCERPT_CHARS_MAX + 1).collect();
    if flat.chars().count() > EXCERPT_CHARS_MAX { flat.chars().take(EXCERPT_CHARS_MAX).chain("…".chars()).collect() } else { flat }
}

/// The lines of a harmless text, all but the first set off, so that they cannot pass for lines of the program.
pub fn set_off(text: &str) -> Vec<String> {
    let harmless = harmless(text);
    let mut lines = harmless.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    std::iter::once(first).chain(lines.map(|line| format!("    {line}"))).collect()
}

/// Whether a character shows nothing itself but changes the order of others, breaks the line or hides between them.
/// The joiners U+200C and U+200D are not among them: scripts and emoji are not readable without.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // direction
        | '\u{2028}' | '\u{2029}' // end of a line
        | '\u{00ad}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' // nothing
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Characters that steer a terminal or hide, among others.
    fn any_text() -> impl Strategy<Value = String> {
        let odd = prop::sample::select(
            "\u{1b}\u{9b}\r\u{7}\u{8}\u{7f}\u{85}\u{202e}\u{2066}\u{2028}\u{200b}\u{feff}\u{ad}\u{e0041}\u{200d}\n\t "
                .chars()
                .collect::<Vec<_>>(),
        );
        prop::collection::vec(prop_oneof![odd, any::<char>()], 0..150).prop_map(String::from_iter)
    }

    fn is_shown_as_it_is(text: &str) -> bool {
        text.chars().all(|c| (!c.is_control() || c == '\n' || c == '\t') && !is_hidden(c))
    }

    proptest! {
        #[test]
        fn whatever_is_harmless_is_left_alone_and_nothing_else_stays(text in any_text()) {
            let shown = harmless(&text);
            prop_assert!(is_shown_as_it_is(&shown), "{shown:?}");
            prop_assert_eq!(shown.chars().count(), text.chars().count(), "each stands where it stood");
            prop_assert!(text.chars().zip(shown.chars()).all(|(was, is)| was == is || is == REPLACED));
            prop_assert_eq!(harmless(&shown), shown.clone());
            prop_assert!(!is_shown_as_it_is(&text) || shown == text);
        }

        #[test]
        fn an_excerpt_is_one_short_line(text in any_text()) {
            let short = excerpt(&text);
            prop_assert!(is_shown_as_it_is(&short) && !short.contains(['\n', '\t']), "{short:?}");
            prop_assert!(short.chars().count() <= EXCERPT_CHARS_MAX + 1);
        }

        #[test]
        fn no_line_of_others_begins_where_ours_do(text in any_text()) {
            let lines = set_off(&text);
            prop_assert!(lines.iter().all(|line| is_shown_as_it_is(line) && !line.contains('\n')));
            prop_assert!(lines[1..].iter().all(|line| line.starts_with("    ")));
        }
    }

    #[test]
    fn what_would_change_how_a_text_looks_is_replaced_where_it_stood() {
        let shown = "rm \u{fffd}x\u{fffd}";
        for (from, to) in [('\u{202e}', '\u{202c}'), ('\u{2066}', '\u{2069}'), ('\u{200b}', '\u{feff}'), ('\u{200e}', '\u{200f}')] {
            let hidden = format!("rm {from}x{to}");
            assert_eq!((harmless(&hidden).as_str(), excerpt(&hidden).as_str()), (shown, shown), "{hidden:?}");
        }
        for c in ['\u{1b}', '\r', '\u{061c}', '\u{2060}', '\u{2028}', '\u{00ad}', '\u{e0041}'] {
            assert_eq!(harmless(&format!("a{c}b")), "a\u{fffd}b", "{c:?}");
        }
    }

    #[test]
    fn what_scripts_and_emoji_need_stays() {
        for text in ["می\u{200c}خواهم", "👩\u{200d}💻", "a\tb\nc", "naïve 确认"] {
            assert_eq!(harmless(text), text);
        }
    }

    #[test]
    fn further_lines_are_set_off() {
        assert_eq!(set_off("Which?\nMay shell run?\n\u{1b}[2J"), ["Which?", "    May shell run?", "    \u{fffd}[2J"]);
        assert_eq!(set_off(""), [""]);
    }
}
