//! The binary that people use has none of the features that exist for tests: not by default, and not because a build with
//! them was put in its place.

use crate::files::TextFile;
use crate::offence::Offence;

const WHY: &str = "planted bugs and places to die are for the explorer and the crash runs; nobody ships them";

const FOR_TESTS_ONLY: &[&str] = &["planted", "crash-points"];

/// Prints each feature that a default build of the binary switches on.
pub const TREE: [&str; 8] = ["tree", "-p", "thru", "--edges", "normal,build,features", "--prefix", "none", "--no-dedupe"];

pub fn check(tree: &str) -> Vec<Offence> {
    let switched_on = |line: &str| FOR_TESTS_ONLY.iter().any(|feature| line.contains(&format!("feature \"{feature}\"")));
    let found = tree.lines().filter(|line| switched_on(line));
    found.map(|line| Offence::new("thru", format!("the default build has {}", line.trim()), WHY)).collect()
}

/// Every target of the Makefile that builds the binary with such a feature has a target folder of its own.
pub fn check_makefile(file: &TextFile) -> Vec<Offence> {
    if file.path != "Makefile" {
        return Vec::new();
    }
    let mut target = "";
    let mut found = Vec::new();
    for line in file.text.lines() {
        if let Some((name, _)) = line.split_once(':').filter(|_| !line.starts_with(['\t', '#', '.'])) {
            target = name;
        }
        let built = line.starts_with('\t') && line.contains("-p thru") && FOR_TESTS_ONLY.iter().any(|feature| line.contains(feature));
        let own_folder = format!("{target}: export CARGO_TARGET_DIR");
        if built && !file.text.lines().any(|line| line.starts_with(&own_folder)) {
            found.push(Offence::new("Makefile", format!("`make {target}` leaves it where people look for theirs: {}", line.trim()), WHY));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_for_tests_in_the_place_of_the_binary_is_found() {
        let makefile = |text: &str| check_makefile(&TextFile { path: "Makefile".to_owned(), text: text.to_owned() }).len();
        let recipe = "crash: needed ## Kill it\n\tcargo build -p thru --features crash-points\n";
        assert_eq!(makefile(recipe), 1);
        assert_eq!(makefile(&format!("crash: export CARGO_TARGET_DIR := x/crash\n{recipe}")), 0);
        assert_eq!(makefile(&format!("other: export CARGO_TARGET_DIR := x/crash\n{recipe}")), 1);
        assert_eq!(makefile("run:\n\tcargo build -p thru\n"), 0);
    }

    #[test]
    fn a_planted_feature_is_found() {
        let tree = "thru v0.1.0\ncontract feature \"planted\"\ntools feature \"default\"\ntools feature \"crash-points\"\n";
        assert_eq!(check(tree).len(), 2);
        assert_eq!(check("thru v0.1.0\ntools feature \"default\"\n"), []);
    }
}
