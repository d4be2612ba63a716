//! What is said of models and of keys.

use super::en;
use throughline::Vain;
use throughline::settings::{Because, Candidate, Why, Wish};

/// Texts of `--help` about models.
#[derive(Clone, Copy, Debug)]
pub enum ModelsHelp {
    Models,
    After,
    Test,
    Name,
    BaseUrl,
}

/// What is said of models.
#[derive(Clone, Copy, Debug)]
pub enum ModelsLine<'a> {
    Entry {
        name: &'a str,
        file: &'a str,
        is_default: bool,
    },
    Provider {
        name: &'a str,
        key: Option<&'a str>,
        has_key: bool,
    },
    Answered {
        name: &'a str,
        text: &'a str,
        millis: u64,
        tokens: u64,
    },
    /// It was set once.
    Named {
        model: &'a str,
        why: &'a Why,
    },
    Found {
        model: &'a str,
        because: Because,
        millis: u64,
    },
    PassedOver {
        name: &'a str,
        why: &'a Vain,
    },
    /// What a run would do that names no model.
    Unnamed {
        wish: &'a Wish,
        candidates: &'a [Candidate],
    },
}

/// Texts of `--help` about keys.
#[derive(Clone, Copy, Debug)]
pub enum AuthHelp {
    Auth,
    After,
    Set,
    List,
    Remove,
    Name,
}

/// What is said of keys.
#[derive(Clone, Copy, Debug)]
pub enum AuthLine<'a> {
    Ask { name: &'a str },
    Kept { name: &'a str, hidden_by_variable: bool },
    Forgotten { name: &'a str },
    Key { name: &'a str, in_file: bool },
    NoKeys,
}

#[must_use]
pub fn auth_line(what: &AuthLine<'_>) -> String {
    en::auth_line(what)
}

#[must_use]
pub fn models_line(what: &ModelsLine<'_>) -> String {
    en::models_line(what)
}

/// Why what was tried did not do.
#[must_use]
pub fn vain(why: &Vain) -> String {
    en::vain(why)
}

#[must_use]
pub fn models_help(text: ModelsHelp) -> &'static str {
    en::models_help(text)
}

#[must_use]
pub fn auth_help(text: AuthHelp) -> &'static str {
    en::auth_help(text)
}
