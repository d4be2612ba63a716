//! Names that say nothing about what is inside.

use crate::metadata::Metadata;
use crate::offence::Offence;
use crate::source::{Source, is_name_byte, words};

const WHY: &str = "a place with an empty name collects what belongs elsewhere; name it by a noun of the domain";

const EMPTY: &[&str] = &["core", "common", "utils", "util", "helpers", "types", "misc"];

pub fn check_crates(metadata: &Metadata) -> Vec<Offence> {
    let named_so = metadata.ours().filter(|package| EMPTY.contains(&package.name.as_str()));
    named_so.map(|package| Offence::new(&package.name, "empty name for a crate", WHY)).collect()
}

pub fn check_source(source: &Source) -> Vec<Offence> {
    let path = source.path.strip_suffix(".rs").unwrap_or(&source.path);
    let parts = path.split('/').filter(|part| EMPTY.contains(part));
    let mut offences: Vec<Offence> = parts.map(|part| Offence::new(&source.path, format!("empty name `{part}`"), WHY)).collect();
    for at in words(&source.code, "mod") {
        let rest = source.code[at + "mod".len()..].trim_start();
        let name: String = rest.bytes().take_while(|byte| is_name_byte(*byte)).map(char::from).collect();
        if EMPTY.contains(&name.as_str()) {
            offences.push(Offence::new(source.at(at), format!("empty name `{name}` for a module"), WHY));
        }
    }
    offences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::tests::fake;

    #[test]
    fn empty_names_are_found_wherever_they_stand() {
        let count = |path: &str, raw: &str| check_source(&Source::new(path, raw)).len();
        assert_eq!(count("crates/a/src/utils.rs", "//! x"), 1);
        assert_eq!(count("crates/a/src/misc/b.rs", "//! x"), 1);
        assert_eq!(count("crates/a/src/lib.rs", "pub mod helpers { }"), 1);
        assert_eq!(count("crates/a/src/lib.rs", "mod model; use core::fmt; // mod util"), 0);
        assert_eq!(check_crates(&fake(&["common", "agent"], &[], &[])).len(), 1);
    }
}
