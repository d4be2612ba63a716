//! Pure crates: what they decide depends on their arguments alone.

use crate::metadata::Metadata;
use crate::offence::Offence;
use crate::source::{Source, closing, words};

const WHY: &str = "a machine replays the log: time, chance, the outside and the order of a hash map must not reach it";

const PURE: &[&str] = &["contract", "agent", "views"];

/// Not even through somebody else.
const FORBIDDEN_CRATES: &[&str] = &["tokio", "rusqlite", "rand", "getrandom"];

const FORBIDDEN_WORDS: &[&str] = &["async", ".await", "SystemTime", "Instant", "HashMap", "HashSet", "rand"];

/// Modules of the standard library that reach outside. `std::thread_local!` is another name and passes.
const FORBIDDEN_MODULES: &[&str] = &["fs", "net", "process", "env", "thread"];

pub fn check_dependencies(metadata: &Metadata) -> Vec<Offence> {
    let reached = |pure: &&str| {
        let found = metadata.closure(pure).into_iter().filter(|package| FORBIDDEN_CRATES.contains(&package.name.as_str()));
        found.map(|package| Offence::new(*pure, format!("reaches {}", package.name), WHY)).collect::<Vec<_>>()
    };
    PURE.iter().flat_map(reached).collect()
}

pub fn check_source(source: &Source) -> Vec<Offence> {
    if !source.crate_name().is_some_and(|name| PURE.contains(&name)) {
        return Vec::new();
    }
    let product = source.product();
    let words = FORBIDDEN_WORDS.iter().flat_map(|word| words(&product, word).map(move |at| (at, (*word).to_owned())));
    words.chain(outside(&product)).map(|(at, word)| Offence::new(source.at(at), format!("`{word}` in a pure crate"), WHY)).collect()
}

/// Every mention of a forbidden module, by its path or in a list such as `std::{fs, io}`.
fn outside(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for at in words(code, "std::") {
        let after = at + "std::".len();
        let names = if code[after..].starts_with('{') { list(&code[after + 1..closing(code, after) - 1]) } else { vec![&code[after..]] };
        for name in names {
            let name: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if FORBIDDEN_MODULES.contains(&name.as_str()) {
                found.push((at, format!("std::{name}")));
            }
        }
    }
    found
}

/// The entries of a list in braces, without splitting lists inside it.
fn list(inner: &str) -> Vec<&str> {
    let mut depth = 0usize;
    inner
        .split(|c: char| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::tests::fake;

    fn found(path: &str, raw: &str) -> Vec<String> {
        check_source(&Source::new(path, raw)).into_iter().map(|offence| format!("{} {}", offence.place, offence.what)).collect()
    }

    #[test]
    fn each_planted_word_is_found_with_its_line() {
        for word in
            ["async fn x() {}", "x.await", "std::fs::read", "use std::{io, process::{self, Command}, fmt};", "HashSet<u8>", "rand::x()"]
        {
            let said = found("crates/agent/src/a.rs", &format!("//! Docs.\n{word}\n"));
            assert_eq!(said.len(), 1, "{word}: {said:?}");
            assert!(said[0].starts_with("crates/agent/src/a.rs:2 "), "{said:?}");
        }
    }

    #[test]
    fn comments_tests_other_crates_and_longer_names_pass() {
        let clean = "//! No HashMap here.\nuse std::{fmt, collections::BTreeMap};\nstd::thread_local! {}\nfn operand() { \"std::fs\"; }\n";
        assert_eq!(found("crates/contract/src/a.rs", clean), Vec::<String>::new());
        assert_eq!(found("crates/contract/src/a.rs", "#[cfg(test)]\nmod tests { use std::fs; }"), Vec::<String>::new());
        assert_eq!(found("crates/journal/src/a.rs", "use std::fs;"), Vec::<String>::new());
    }

    #[test]
    fn a_forbidden_crate_is_found_through_another() {
        let edges = [("agent", "uuid@1.0.0", None), ("uuid@1.0.0", "getrandom@0.3.0", None), ("agent", "tokio@1.0.0", Some("dev"))];
        let offences = check_dependencies(&fake(&["agent"], &["uuid@1.0.0", "getrandom@0.3.0", "tokio@1.0.0"], &edges));
        assert_eq!(offences.iter().map(|offence| offence.what.as_str()).collect::<Vec<_>>(), ["reaches getrandom"]);
    }
}
