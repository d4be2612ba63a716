//! The binary says nothing of its own: each sentence stands in the catalogue, where it can be read, changed and tested.

use crate::offence::Offence;
use crate::source::{Source, closing, words};

const WHY: &str = "no sentence is born inside logic; it belongs to crates/thru/src/catalog/";

const BINARY: &str = "crates/thru/src/";
const CATALOGUE: &str = "crates/thru/src/catalog/";

const PRINTING: &[&str] = &["println!", "eprintln!", "print!", "eprint!", "write!", "writeln!"];

/// From this many words on a text is a sentence.
const SENTENCE_WORDS: usize = 2;

pub fn check(source: &Source) -> Vec<Offence> {
    let in_logic = source.path.starts_with(BINARY) && !source.path.starts_with(CATALOGUE) && source.path != "crates/thru/src/catalog.rs";
    if !in_logic {
        return Vec::new();
    }
    let product = source.product();
    let mut offences = Vec::new();
    for name in PRINTING {
        for at in words(&product, name) {
            let inside = at..closing_of_macro(&product, at + name.len());
            let literals = source.literals.iter().filter(|literal| inside.contains(&literal.start));
            let sentences = literals.filter(|literal| word_count(&source.raw[(*literal).clone()]) >= SENTENCE_WORDS);
            offences.extend(sentences.map(|literal| Offence::new(source.at(literal.start), format!("a sentence inside `{name}`"), WHY)));
        }
    }
    offences
}

fn closing_of_macro(code: &str, after_name: usize) -> usize {
    match code[after_name..].find(['(', '[', '{']) {
        Some(open) => closing(code, after_name + open),
        None => code.len(),
    }
}

/// Words of two letters or more, without what a placeholder or an escape stands for.
fn word_count(literal: &str) -> usize {
    let mut text = String::new();
    let (mut depth, mut escaped) = (0usize, false);
    for c in literal.chars() {
        match c {
            _ if escaped => {
                escaped = false;
                text.push(' ');
            }
            '\\' => escaped = true,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => text.push(c),
            _ => {}
        }
    }
    text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() >= 2).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, code: &str) -> usize {
        check(&Source::new(path, code)).len()
    }

    #[test]
    fn a_sentence_in_logic_is_found() {
        let logic = "crates/thru/src/run.rs";
        assert_eq!(found(logic, "fn a() { println!(\"nothing to do\"); }"), 1);
        assert_eq!(found(logic, "fn a() { writeln!(out, r#\"the {name} is\"#, name = f(x))?; }"), 1);
        assert_eq!(found(logic, "fn a() { println!(\"{first} {second}\\n\\t- {third}\"); let x = \"not printed here\"; }"), 0);
        assert_eq!(found(logic, "#[cfg(test)]\nmod tests { fn a() { println!(\"for a test\"); } }"), 0);
    }

    #[test]
    fn the_catalogue_and_other_crates_may_speak() {
        assert_eq!(found("crates/thru/src/catalog/run.rs", "fn a() { println!(\"nothing to do\"); }"), 0);
        assert_eq!(found("crates/xtask/src/main.rs", "fn a() { println!(\"nothing to do\"); }"), 0);
    }
}
