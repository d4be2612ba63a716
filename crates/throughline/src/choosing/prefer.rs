//! Which of the models that a provider lists is asked. Pure: names in, names out.
//!
//! Names of models age, so what is known of a provider is only how it names its general ones; which of them is the newest,
//! their numbers say.

use models::Offered;
use std::cmp::Reverse;

/// Stands for a version in a pattern.
const VERSION: char = '#';
/// Digits of a number that is rather a date.
const DATE_DIGITS_MIN: usize = 4;

/// Why none of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The provider lists nothing.
    Empty,
    /// None of them calls tools.
    NoTools,
    /// There are so many, and none has a name that is known.
    Unknown(usize),
}

/// Names worth asking, the best one first.
pub fn preferred(general: &[&str], offered: &[Offered]) -> Result<Vec<String>, Unfit> {
    let able: Vec<&str> = offered.iter().filter(|one| one.tools != Some(false)).map(|one| one.model.as_str()).collect();
    match able[..] {
        [] if offered.is_empty() => return Err(Unfit::Empty),
        [] => return Err(Unfit::NoTools),
        // Whoever has only one has it for this.
        [only] => return Ok(vec![only.to_owned()]),
        _ if general.is_empty() => return Ok(able.into_iter().map(str::to_owned).collect()),
        _ => {}
    }
    let names: Vec<String> = general.iter().flat_map(|pattern| newest_first(pattern, &able)).collect();
    if names.is_empty() { Err(Unfit::Unknown(able.len())) } else { Ok(names) }
}

/// Each version once: under the name that moves on by itself, else under its newest date.
fn newest_first(pattern: &str, names: &[&str]) -> Vec<String> {
    let mut found: Vec<(Numbers, &str)> = names.iter().filter_map(|name| Some((numbers(pattern, name)?, *name))).collect();
    found.sort_by_key(|(numbers, name)| (Reverse(numbers.version.clone()), !numbers.date.is_empty(), Reverse(numbers.date.clone()), *name));
    found.dedup_by(|later, earlier| later.0.version == earlier.0.version);
    found.into_iter().map(|(_, name)| name.to_owned()).collect()
}

#[derive(Debug, PartialEq, Eq)]
struct Numbers {
    version: Vec<u32>,
    date: Vec<u32>,
}

/// The numbers of a name that has this pattern; a date may stand after the version and at the end.
fn numbers(pattern: &str, name: &str) -> Option<Numbers> {
    let Some((before, after)) = pattern.split_once(VERSION) else {
        return Some(Numbers { version: Vec::new(), date: date_of(name.strip_prefix(pattern)?)? });
    };
    let rest = name.strip_prefix(before)?;
    let run = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').map_or(rest, |end| &rest[..end]);
    let run = run.trim_end_matches(['.', '-']);
    let mut version = parsed(run)?;
    let at = run.split(['.', '-']).position(|number| number.len() >= DATE_DIGITS_MIN).unwrap_or(version.len());
    let mut date = version.split_off(at);
    date.extend(date_of(rest.strip_prefix(run)?.strip_prefix(after)?)?);
    (!version.is_empty()).then_some(Numbers { version, date })
}

/// What may follow a name without making it another model.
fn date_of(tail: &str) -> Option<Vec<u32>> {
    match tail.strip_prefix('-') {
        None => tail.is_empty().then(Vec::new),
        Some("latest") => Some(Vec::new()),
        Some(date) if date.split('-').next().is_some_and(|first| first.len() >= DATE_DIGITS_MIN) => parsed(date),
        Some(_) => None,
    }
}

fn parsed(numbers: &str) -> Option<Vec<u32>> {
    numbers.split(['.', '-']).map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Preset;
    use proptest::prelude::*;

    fn offered(names: &[&str]) -> Vec<Offered> {
        names.iter().map(|&model| Offered { model: model.to_owned(), tools: None }).collect()
    }

    fn of(preset: &str, names: &[&str]) -> Result<Vec<String>, Unfit> {
        preferred(Preset::named(preset).unwrap().general, &offered(names))
    }

    #[test]
    fn the_newest_general_model_comes_first_whatever_it_is_called() {
        for (preset, names, best) in [
            ("openai", &["gpt-3.5-turbo", "gpt-5.1-2025-11-13", "gpt-5-mini", "gpt-10", "gpt-5.1", "gpt-4o", "gpt-image-1"][..], "gpt-10"),
            ("openai", &["gpt-4o", "gpt-4o-mini", "whisper-1", "gpt-4o-2024-08-06"], "gpt-4o"),
            ("openai", &["text-embedding-3-large", "o3", "o1", "o4-mini"], "o3"),
            (
                "anthropic",
                &["claude-opus-4-5-20251101", "claude-sonnet-4-20250514", "claude-sonnet-4-5-20250929", "claude-3-7-sonnet-20250219"],
                "claude-sonnet-4-5-20250929",
            ),
            (
                "anthropic",
                &["claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20241022", "claude-3-haiku-20240307"],
                "claude-3-5-sonnet-20241022",
            ),
            ("deepseek", &["deepseek-flash", "deepseek-v4-pro"], "deepseek-v4-pro"),
            ("deepseek", &["deepseek-reasoner", "deepseek-chat"], "deepseek-chat"),
            (
                "ark",
                &["doubao-seed-1-6-flash-250615", "doubao-seed-1-6-250615", "doubao-seed-1-6-251015", "doubao-1-5-pro-32k-250115"],
                "doubao-seed-1-6-251015",
            ),
            ("openrouter", &["openai/gpt-5.1", "anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4"], "anthropic/claude-sonnet-4.5"),
            ("moonshot", &["moonshot-v1-8k", "kimi-k2-0711-preview", "kimi-k2-0905-preview"], "kimi-k2-0905-preview"),
            ("qwen", &["qwen-plus", "qwen3-max-2025-09-23", "qwen3-max", "qwen-vl-max"], "qwen3-max"),
            ("zhipu", &["glm-4.5-air", "glm-4.6", "glm-4.5"], "glm-4.6"),
        ] {
            let found = of(preset, names).unwrap();
            assert_eq!(found[0], best, "{preset}: {found:?}");
        }
    }

    #[test]
    fn a_model_that_cannot_be_asked_has_others_after_it() {
        let names = ["gpt-5", "gpt-5-2025-08-07", "gpt-6", "gpt-6-2026-01-01", "gpt-4o", "gpt-5-codex"];
        assert_eq!(of("openai", &names).unwrap(), ["gpt-6", "gpt-5", "gpt-4o"], "each version once");
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        assert_eq!(of("openai", &["llama-70b", "mistral-large"]), Err(Unfit::Unknown(2)));
        assert_eq!(of("openai", &["llama-70b"]).unwrap(), ["llama-70b"], "there is no choice");
        assert_eq!(of("openai", &[]), Err(Unfit::Empty));
        assert_eq!(of("ollama", &["b:1", "a:2"]).unwrap(), ["b:1", "a:2"], "in the order of the list");
        let deaf = |model: &str| Offered { model: model.to_owned(), tools: Some(false) };
        assert_eq!(preferred(&[], &[deaf("a"), deaf("b")]), Err(Unfit::NoTools));
        let mut some = offered(&["gpt-5"]);
        some.push(deaf("gpt-6"));
        assert_eq!(preferred(&["gpt-#"], &some).unwrap(), ["gpt-5"]);
    }

    #[test]
    fn a_pattern_is_a_whole_name() {
        let found = |pattern, name| numbers(pattern, name).map(|found| (found.version, found.date));
        assert_eq!(found("gpt-#", "gpt-5.1-2025-11-13"), Some((vec![5, 1], vec![2025, 11, 13])));
        assert_eq!(found("gpt-#", "gpt-4-0613"), Some((vec![4], vec![613])));
        assert_eq!(found("claude-#-sonnet", "claude-3-7-sonnet-latest"), Some((vec![3, 7], vec![])));
        for other in ["gpt-", "gpt-4o", "gpt-5-mini", "gpt--5", "gpt-5x", "a-gpt-5", "gpt-2025", "gpt-5:free", "gpt-99999999999"] {
            assert_eq!(found("gpt-#", other), None, "{other}");
        }
        for other in ["qwen-max-1", "qwen-maxi", "qwen-max-", "qwen-max-preview"] {
            assert_eq!(found("qwen-max", other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn what_is_preferred_was_offered(names in prop::collection::vec("[a-z]{0,3}-?#?[0-9.-]{0,9}(-max)?(-[0-9-]{0,10})?|\\PC{0,12}", 0..8)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            for preset in crate::settings::PRESETS {
                if let Ok(found) = preferred(preset.general, &offered(&names)) {
                    prop_assert!(!found.is_empty() && found.iter().all(|name| names.contains(&name.as_str())), "{found:?}");
                }
            }
        }
    }
}
