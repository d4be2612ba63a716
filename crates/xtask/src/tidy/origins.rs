//! Nothing in the repository knows the machine it was written on, or a registry that others cannot reach.

use crate::files::TextFile;
use crate::offence::Offence;
use crate::source::line_number;

const WHY_PATH: &str = "a path of one machine means nothing on another";
const WHY_SOURCE: &str = "everybody must be able to fetch the same crates from the public registry";

/// Joined from halves, or this file would be its own first offender.
const MACHINE_FOLDERS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ho", "me/"), concat!("/ro", "ot/")];

const REGISTRY: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

pub fn check(file: &TextFile) -> Vec<Offence> {
    let mut offences = Vec::new();
    for folder in MACHINE_FOLDERS {
        for (at, _) in file.text.match_indices(folder).filter(|(at, _)| is_start_of_path(&file.text, *at)) {
            let place = format!("{}:{}", file.path, line_number(&file.text, at));
            offences.push(Offence::new(place, format!("`{folder}` is a folder of one machine"), WHY_PATH));
        }
    }
    if file.path == "Cargo.lock" {
        for (number, line) in (1..).zip(file.text.lines()).filter(|(_, line)| line.starts_with("source = ") && *line != REGISTRY) {
            offences.push(Offence::new(format!("{}:{number}", file.path), line.to_owned(), WHY_SOURCE));
        }
    }
    offences
}

/// Whether an absolute path begins here; `$HOME/…` and `https://host/…` do not.
fn is_start_of_path(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    !before.is_some_and(|c| c.is_alphanumeric() || "_-.~}/*".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&TextFile { path: path.into(), text: text.into() }).into_iter().map(|offence| offence.place).collect()
    }

    #[test]
    fn a_path_of_one_machine_is_found_with_its_line() {
        for folder in MACHINE_FOLDERS {
            assert_eq!(found("a.md", &format!("first\nsee \"{folder}x\"")), ["a.md:2"]);
            assert_eq!(found("a.md", &format!("$BASE{folder}x https://host{folder}x")), Vec::<String>::new());
        }
    }

    #[test]
    fn a_foreign_source_in_the_lock_file_is_found() {
        let lock = format!("[[package]]\n{REGISTRY}\n[[package]]\nsource = \"git+https://example.invalid/x\"\n");
        assert_eq!(found("Cargo.lock", &lock), ["Cargo.lock:4"]);
    }
}
