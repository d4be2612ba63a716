//! Our own sentences by the name of their file, so that their wording may change; anything else as it is.

use contract::text::Text;

macro_rules! sentences {
    ($($name:literal)*) => {
        /// Name and wording; the first that fits counts, so whoever has more wording of its own stands first.
        const SENTENCES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../prompts/", $name, ".md"))),)*];
    };
}

sentences! {
    "unknown_outcome" "empty_reply" "last_reply" "reply_too_large"
    "withdrawn_limit" "withdrawn_never_decided" "withdrawn_never_started" "withdrawn_too_many" "withdrawn_newer_message"
    "withdrawn_stopped" "withdrawn_rule" "withdrawn_expired" "withdrawn_lapsed" "withdrawn_not_alone"
    "deferred_running" "deferred_waiting" "deferred_unknown" "deferred_not_started" "backgrounded"
    "denied_with_message" "denied" "declined_with_message" "declined" "edited"
    "stopping_stopped" "stopping_newer_message" "timer_stopped" "timer_fired" "timer_target_ended" "repeating"
    "happened" "not_happened"
}

const REASONS: &[(&str, &str)] = &[
    ("died", include_str!("../../../prompts/reason_died.md")),
    ("other boot", include_str!("../../../prompts/reason_other_boot.md")),
    ("other machine", include_str!("../../../prompts/reason_other_machine.md")),
    ("changed", include_str!("../../../prompts/reason_changed.md")),
    ("lost", include_str!("../../../prompts/reason_lost.md")),
];

/// What a model reads from us, in short.
pub fn note(text: &Text) -> String {
    let shown = text.shown();
    let found = SENTENCES.iter().find_map(|(name, sentence)| Some((*name, filled(sentence.trim_end(), &shown)?)));
    let Some((name, values)) = found else { return shown };
    let name = name.strip_prefix("withdrawn_").unwrap_or(name).replace('_', " ").replace("unknown outcome", "unknown");
    let name = name.replace("reply too large", "too large");
    let mut named: Vec<String> = Vec::new();
    for value in values.iter().filter(|value| !value.is_empty() && !is_number_of_ours(&name)).map(|value| reason(value)) {
        if !named.contains(&value) {
            named.push(value);
        }
    }
    if named.is_empty() { format!("<{name}>") } else { format!("<{name}: {}>", named.join(" ")) }
}

/// Limits may change without any scene changing.
fn is_number_of_ours(name: &str) -> bool {
    ["too large", "never started", "too many"].contains(&name)
}

fn reason(value: &str) -> String {
    let found = REASONS.iter().find(|(_, sentence)| sentence.trim_end() == value);
    found.map_or_else(|| note(&Text::from(value)), |(name, _)| (*name).to_owned())
}

/// The values of the placeholders if the text is this sentence, also with something after it.
fn filled(sentence: &str, text: &str) -> Option<Vec<String>> {
    let mut values = Vec::new();
    let mut pieces = sentence.split('{');
    let mut rest = text.strip_prefix(pieces.next()?)?;
    for piece in pieces {
        let (_, literal) = piece.split_once('}')?;
        let end = if literal.is_empty() { rest.len() } else { rest.find(literal)? };
        values.push(rest[..end].to_owned());
        rest = &rest[end + literal.len()..];
    }
    values.push(rest.trim().to_owned());
    Some(values)
}
