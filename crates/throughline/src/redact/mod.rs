//! Values that must never be stored: taken out of everything that comes from a model, a tool or a person, before the
//! machine sees it, so that state, log, blobs and hashes agree.
//!
//! Owns the forms in which a value is recognised. Must not decide what is secret: that is told.

mod forms;
mod live;
mod ports;
#[cfg(test)]
mod tests;

pub use live::RedactedLive;
pub use ports::{RedactedModel, RedactedTools};

use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Bytes that a value must have to be looked for: shorter ones would be found in ordinary words.
const SECRET_BYTES_MIN: usize = 8;

/// What is known to be secret, shared by everything that looks for it.
#[derive(Clone, Debug, Default)]
pub struct Redactor(Arc<RwLock<Known>>);

#[derive(Debug, Default)]
struct Known {
    values: BTreeMap<String, String>,
    search: Option<Search>,
}

#[derive(Debug)]
struct Search {
    automaton: AhoCorasick,
    /// Each form with what stands in its place.
    forms: Vec<(String, String)>,
}

impl Redactor {
    /// From now on this value is taken out, under this name.
    pub fn learn(&self, name: &str, value: &str) {
        let is_known = |known: &Known| known.values.get(name).is_some_and(|old| old == value);
        if value.len() < SECRET_BYTES_MIN || is_known(&self.0.read().unwrap_or_else(PoisonError::into_inner)) {
            return;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // An earlier value of the same name stays secret.
        let name = (0..).map(|number| if number == 0 { name.to_owned() } else { format!("{name} {number}") });
        let free = name.into_iter().find(|name| !known.values.contains_key(name) || known.values[name] == value);
        if let Some(free) = free {
            known.values.insert(free, value.to_owned());
        }
        known.search = Search::new(&known.values);
    }

    /// The text with every known value replaced by its name.
    #[must_use]
    pub fn redact(&self, text: String) -> String {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        match &known.search {
            Some(search) if search.automaton.is_match(&text) => search.replace(&text),
            Some(_) | None => text,
        }
    }

    /// Whether the text holds a known value.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.search.as_ref().is_some_and(|search| search.automaton.is_match(text))
    }

    /// Bytes of the longest form of all.
    #[must_use]
    pub fn longest(&self) -> usize {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.search.as_ref().map_or(0, |search| search.forms.iter().map(|(form, _)| form.len()).max().unwrap_or(0))
    }

    /// Bytes at the end of the text that may be the beginning of a value.
    #[must_use]
    pub fn open_end(&self, text: &str) -> usize {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.search.as_ref().map_or(0, |search| search.open_end(text))
    }
}

impl Search {
    fn new(values: &BTreeMap<String, String>) -> Option<Search> {
        let mut forms: Vec<(String, String)> = Vec::new();
        for (name, value) in values {
            let sign = format!("[secret {name}]");
            forms.extend(forms::of(value).into_iter().map(|form| (form, sign.clone())));
        }
        // The longest first, so that no shorter form leaves a rest.
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(forms.iter().map(|(form, _)| form));
        automaton.ok().map(|automaton| Search { automaton, forms })
    }

    fn replace(&self, text: &str) -> String {
        let mut replaced = String::with_capacity(text.len());
        self.automaton.replace_all_with(text, &mut replaced, |found, _, replaced| {
            if let Some((_, sign)) = self.forms.get(found.pattern().as_usize()) {
                replaced.push_str(sign);
            }
            true
        });
        replaced
    }

    fn open_end(&self, text: &str) -> usize {
        let begins = |form: &String| {
            (1..form.len().min(text.len() + 1)).rev().find(|length| form.is_char_boundary(*length) && text.ends_with(&form[..*length]))
        };
        self.forms.iter().filter_map(|(form, _)| begins(form)).max().unwrap_or(0)
    }
}
