//! Text of others on its way to a terminal.

/// Characters of a text that fit into a line of the story.
const EXCERPT_CHARS_MAX: usize = 100;

/// Text of a model, a tool or a stranger must not move the cursor or recolour what comes after it.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// The beginning of a text on one line, with control characters made harmless.
pub fn excerpt(text: &str) -> String {
    let flat: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(EXCERPT_CHARS_MAX + 1).collect();
    if flat.chars().count() > EXCERPT_CHARS_MAX { flat.chars().take(EXCERPT_CHARS_MAX).chain("…".chars()).collect() } else { flat }
}
