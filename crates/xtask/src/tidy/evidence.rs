//! Tests that a document names as evidence are there.

use crate::files::TextFile;
use crate::offence::Offence;
use crate::source::{Source, words};

const WHY: &str = "a reader looks for the test that shows it; name the one that does, or write it";
/// Documents whose words in code quotes with `::` in them are tests: the crate, perhaps modules, the function.
const DOCUMENTS: &[&str] = &["docs/security-tests.md"];

pub fn check(files: &[TextFile], sources: &[Source]) -> Vec<Offence> {
    let documents = files.iter().filter(|file| DOCUMENTS.contains(&file.path.as_str()));
    documents
        .flat_map(|document| document.text.lines().zip(1..).flat_map(|(line, number)| check_line(document, line, number, sources)))
        .collect()
}

fn check_line(document: &TextFile, line: &str, number: usize, sources: &[Source]) -> Vec<Offence> {
    let quoted = line.split('`').skip(1).step_by(2);
    let named = quoted.filter(|word| word.contains("::")).filter(|word| !is_there(word, sources));
    named.map(|word| Offence::new(format!("{}:{number}", document.path), format!("there is no test `{word}`"), WHY)).collect()
}

fn is_there(name: &str, sources: &[Source]) -> bool {
    let parts: Vec<&str> = name.split("::").collect();
    let [of, modules @ .., function] = parts.as_slice() else { return false };
    let holds = |source: &&Source| {
        let path = source.path.trim_end_matches(".rs");
        modules.iter().all(|module| path.split('/').any(|part| part == *module))
    };
    let has = |source: &Source| words(&source.code, function).any(|at| is_test(&source.code[..at]));
    sources.iter().filter(|source| source.crate_name() == Some(*of)).filter(holds).any(has)
}

/// Whether what stands before a name makes it the name of a test.
fn is_test(before: &str) -> bool {
    let before = before.trim_end();
    let Some(before) = before.strip_suffix("fn").map(str::trim_end) else { return false };
    before.strip_suffix("async").unwrap_or(before).trim_end().ends_with("test]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(document: &str) -> Vec<String> {
        let file = TextFile { path: "docs/security-tests.md".to_owned(), text: document.to_owned() };
        let code = "#[test]\nfn one() {}\n\n#[tokio::test]\nasync fn two() {}\n\nfn no_test() { one() }\n";
        let sources = [Source::new("crates/tools/tests/all/sandbox.rs", code)];
        check(&[file], &sources).into_iter().map(|offence| format!("{} {}", offence.place, offence.what)).collect()
    }

    #[test]
    fn what_is_there_passes() {
        assert_eq!(found("| x | `tools::sandbox::one` | `tools::two`, `plain` |\n"), [""; 0]);
    }

    #[test]
    fn what_is_not_there_is_named_with_its_line() {
        for name in ["tools::sandbox::three", "tools::other::one", "web::sandbox::one", "tools::sandbox::no_test"] {
            assert_eq!(found(&format!("# A\n`{name}`")), [format!("docs/security-tests.md:2 there is no test `{name}`")]);
        }
    }
}
