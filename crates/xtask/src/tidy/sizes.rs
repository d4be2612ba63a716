//! How long files, functions and crates may be. Tests do not count.

use crate::offence::Offence;
use crate::ratchet::{Figures, Ratchet, compare};
use crate::source::{Source, is_name_byte, item_end, lines_of, words};
use std::collections::BTreeMap;

const FILE_LINES_WISHED: usize = 500;
const FILE_LINES_MAX: usize = 800;
const FUNCTION_LINES_MAX: usize = 70;
const CRATE_LINES_MAX: usize = 8_000;

const WHY_FILE: &str = "a file is read in one go";
const WHY_CRATE: &str = "a crate is held in one head; split it by a noun of the domain";

pub fn check(sources: &[Source], ratchet: &Ratchet) -> Vec<Offence> {
    let mut offences = Vec::new();
    let (mut files, mut functions) = (Figures::new(), Figures::new());
    let mut crates: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let lines = source.product_lines();
        *crates.entry(source.crate_name().unwrap_or_default()).or_default() += lines;
        if lines > FILE_LINES_MAX {
            offences.push(Offence::new(&source.path, format!("{lines} lines, at most {FILE_LINES_MAX}"), WHY_FILE));
        } else if lines > FILE_LINES_WISHED {
            files.insert(source.path.clone(), lines);
        }
        functions.extend(long_functions(source));
    }
    for (name, lines) in crates.into_iter().filter(|(_, lines)| *lines > CRATE_LINES_MAX) {
        offences.push(Offence::new(name, format!("{lines} lines, at most {CRATE_LINES_MAX}"), WHY_CRATE));
    }
    offences.extend(compare("lines", &format!("more than {FILE_LINES_WISHED} need an entry"), &ratchet.files, &files));
    offences.extend(compare("function lines", &format!("at most {FUNCTION_LINES_MAX}"), &ratchet.functions, &functions));
    offences
}

/// Functions over the limit by `path::name`; of two with one name the longer counts.
fn long_functions(source: &Source) -> Figures {
    let code = source.product();
    let mut long = Figures::new();
    for start in words(&code, "fn") {
        let rest = code[start + "fn".len()..].trim_start();
        let name: String = rest.bytes().take_while(|byte| is_name_byte(*byte)).map(char::from).collect();
        // A function pointer has no name, a promise in a trait has no body.
        let (end, has_body) = item_end(&code, start);
        if name.is_empty() || !has_body {
            continue;
        }
        let lines = lines_of(&code, &(start..end));
        if lines > FUNCTION_LINES_MAX {
            let figure = long.entry(format!("{}::{name}", source.path)).or_default();
            *figure = lines.max(*figure);
        }
    }
    long
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(source: Source, ratchet: &Ratchet) -> Vec<String> {
        check(&[source], ratchet).into_iter().map(|offence| format!("{}: {}", offence.place, offence.what)).collect()
    }

    fn file(body: &str) -> Source {
        Source::new("crates/a/src/b.rs", body)
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let none = Ratchet::default();
        assert_eq!(said(file(&"x\n".repeat(801)), &none), ["crates/a/src/b.rs: 801 lines, at most 800"]);
        assert_eq!(said(file(&"x\n".repeat(501)), &none), ["crates/a/src/b.rs: lines 501, more than 500 need an entry"]);
        let tests = format!("x\n#[cfg(test)]\nmod tests {{\n{}}}\n", "x\n".repeat(900));
        assert_eq!(said(file(&tests), &none), Vec::<String>::new());
    }

    #[test]
    fn a_long_function_is_found_unless_it_is_listed() {
        let long = format!(
            "trait T {{ fn promised(&self, f: fn(u8) -> [u8; 2]); }}\npub fn long() {{\n{}}}\nfn short() {{}}\n",
            "x;\n".repeat(69)
        );
        assert_eq!(said(file(&long), &Ratchet::default()), ["crates/a/src/b.rs::long: function lines 71, at most 70"]);
        let listed = Ratchet { functions: [("crates/a/src/b.rs::long".to_owned(), 71)].into(), ..Ratchet::default() };
        assert_eq!(said(file(&long), &listed), Vec::<String>::new());
    }

    #[test]
    fn a_crate_that_is_too_large_is_found() {
        let sources: Vec<Source> = (0..17).map(|i| Source::new(&format!("crates/a/src/f{i}.rs"), &"x\n".repeat(500))).collect();
        let offences = check(&sources, &Ratchet::default());
        assert_eq!((offences.len(), offences[0].what.as_str()), (1, "8500 lines, at most 8000"));
    }
}
