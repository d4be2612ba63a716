//! Which of our crates may use which: one direction, by level.

use crate::metadata::{Metadata, Package};
use crate::offence::Offence;
use std::collections::BTreeSet;

const WHY: &str = "crates depend in one direction, by level, so that each can be read and tested without those above it";

/// Every crate with the crates it may use. A new crate is placed here before it is used.
const ALLOWED: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("damage", &[]),
    ("provider", &[]),
    ("terminal", &[]),
    ("web", &[]),
    ("commandline", &["contract"]),
    ("conformance", &["contract"]),
    ("agent", &["contract"]),
    ("journal", &["contract"]),
    ("models", &["contract", "web"]),
    ("tools", &["commandline", "contract", "terminal", "web"]),
    ("views", &["contract"]),
    ("runtime", &["agent", "contract"]),
    ("throughline", &["agent", "contract", "journal", "models", "runtime", "tools", "views"]),
    ("thru", &["contract", "throughline"]),
    ("histories", &["agent", "contract", "runtime"]),
    ("testkit", &["agent", "contract", "journal", "runtime", "views"]),
    ("xtask", &["contract", "histories"]),
    ("bench", &["agent", "contract", "journal", "throughline"]),
];

/// What tests of any crate may use besides.
const FOR_TESTS: &[&str] = &["conformance", "damage", "histories", "provider", "testkit"];
/// Tests of the real binary look into its log, past the library.
const FOR_TESTS_OF_THRU: &[&str] = &["agent", "journal"];

pub fn check(metadata: &Metadata) -> Vec<Offence> {
    let ours: BTreeSet<&str> = metadata.ours().map(|package| package.name.as_str()).collect();
    metadata.ours().flat_map(|package| check_crate(package, &ours)).collect()
}

fn check_crate(package: &Package, ours: &BTreeSet<&str>) -> Vec<Offence> {
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == package.name) else {
        return vec![Offence::new(&package.name, "this crate has no level in crates/xtask/src/tidy/edges.rs", WHY)];
    };
    let forbidden = package.dependencies.iter().filter(|dependency| {
        let name = dependency.name.as_str();
        let for_thru = package.name == "thru" && FOR_TESTS_OF_THRU.contains(&name);
        let for_tests = dependency.is_dev() && (FOR_TESTS.contains(&name) || for_thru);
        ours.contains(name) && !allowed.contains(&name) && !for_tests
    });
    forbidden.map(|dependency| Offence::new(&package.name, format!("may not depend on {}", dependency.name), WHY)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::tests::fake;

    fn said(edges: &[(&str, &str, Option<&str>)]) -> Vec<String> {
        let metadata = fake(&["contract", "agent", "journal", "runtime", "testkit", "thru"], &["serde@1.0.0"], edges);
        check(&metadata).into_iter().map(|offence| format!("{}: {}", offence.place, offence.what)).collect()
    }

    #[test]
    fn an_edge_that_is_not_listed_is_found() {
        assert_eq!(said(&[("runtime", "journal", None)]), ["runtime: may not depend on journal"]);
        assert_eq!(said(&[("contract", "agent", Some("build"))]), ["contract: may not depend on agent"]);
        assert_eq!(said(&[("agent", "journal", Some("dev"))]), ["agent: may not depend on journal"]);
        assert_eq!(said(&[("agent", "testkit", None)]), ["agent: may not depend on testkit"]);
    }

    #[test]
    fn listed_edges_test_edges_and_foreign_crates_pass() {
        let edges = [("runtime", "agent", None), ("agent", "testkit", Some("dev")), ("contract", "serde@1.0.0", None)];
        assert_eq!(said(&edges), Vec::<String>::new());
    }

    #[test]
    fn a_crate_without_a_level_is_found() {
        let offences = check(&fake(&["sidecar"], &[], &[]));
        assert_eq!((offences.len(), offences[0].place.as_str()), (1, "sidecar"));
    }
}
