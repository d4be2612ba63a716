//! The default build of the binary has none of the features that exist for tests.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planted_feature_is_found() {
        let tree = "thru v0.1.0\ncontract feature \"planted\"\ntools feature \"default\"\ntools feature \"crash-points\"\n";
        assert_eq!(check(tree).len(), 2);
        assert_eq!(check("thru v0.1.0\ntools feature \"default\"\n"), []);
    }
}
