//! What may be shipped: licences, banned crates, single versions, sources and their number.
//!
//! Everything comes from `cargo metadata` and lock files, so the check needs no network and no other tool.

mod licence;
mod npm;

use crate::files::text_files;
use crate::metadata::Metadata;
use crate::offence::{Offence, report};
use crate::problem::Problem;
use crate::ratchet::{Figures, Ratchet, compare};
use std::collections::{BTreeMap, BTreeSet};

const BANNED: &[&str] = &["openssl", "openssl-sys", "native-tls", "aws-lc-rs", "aws-lc-sys", "sqlx", "async-trait"];
const ONE_VERSION: &[&str] = &["rustls", "tokio", "rusqlite", "serde_json"];
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

const WHY_LICENCE: &str = "only licences of the allow-list may be shipped";
const WHY_BANNED: &str = "TLS is rustls with ring, SQL is rusqlite, port traits return boxed futures";
const WHY_VERSION: &str = "two versions do not share their types or their state";
const WHY_SOURCE: &str = "everybody must be able to fetch the same crates from the public registry";

/// The binary, and its entry in the ratchet.
const BINARY: &str = "thru";
const COUNT: &str = "third_party_crates";

pub fn run() -> Result<(), Problem> {
    let metadata = Metadata::load()?;
    let ratchet = Ratchet::load(&metadata.workspace_root)?;
    let mut offences = check(&metadata, &ratchet.dependencies);
    for file in text_files(&metadata.workspace_root)? {
        if file.path.rsplit('/').next() == Some("package-lock.json") {
            offences.extend(npm::check(&file)?);
        }
    }
    println!("deps: {} third-party crates in {BINARY}", count(&metadata));
    report("deps", offences)
}

fn check(metadata: &Metadata, listed: &Figures) -> Vec<Offence> {
    let mut offences = Vec::new();
    for package in &metadata.packages {
        let place = format!("{} {}", package.name, package.version);
        match &package.license {
            Some(expression) if licence::is_allowed(expression) => {}
            Some(expression) => offences.push(Offence::new(&place, format!("licence `{expression}`"), WHY_LICENCE)),
            None => offences.push(Offence::new(&place, "names no licence", WHY_LICENCE)),
        }
        if BANNED.contains(&package.name.as_str()) {
            offences.push(Offence::new(&place, "is banned", WHY_BANNED));
        }
        let ours = metadata.workspace_members.contains(&package.id);
        match &package.source {
            Some(source) if source == REGISTRY => {}
            None if ours => {}
            other => offences.push(Offence::new(&place, format!("comes from {}", other.as_deref().unwrap_or("a folder")), WHY_SOURCE)),
        }
    }
    offences.extend(versions(metadata));
    let found = Figures::from([(COUNT.to_owned(), count(metadata))]);
    offences.extend(compare("count", "write it down", listed, &found));
    offences
}

fn versions(metadata: &Metadata) -> Vec<Offence> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in metadata.packages.iter().filter(|package| ONE_VERSION.contains(&package.name.as_str())) {
        found.entry(&package.name).or_default().insert(&package.version);
    }
    let several = found.into_iter().filter(|(_, versions)| versions.len() > 1);
    several
        .map(|(name, versions)| Offence::new(name, format!("has versions {}", Vec::from_iter(versions).join(", ")), WHY_VERSION))
        .collect()
}

/// Crates of others that are compiled into the binary or run to build it, on any target.
fn count(metadata: &Metadata) -> usize {
    metadata.closure(BINARY).iter().filter(|package| package.source.is_some()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::tests::fake;

    fn listed(count: usize) -> Figures {
        Figures::from([(COUNT.to_owned(), count)])
    }

    fn said(metadata: &Metadata, count: usize) -> Vec<String> {
        check(metadata, &listed(count)).into_iter().map(|offence| format!("{}: {}", offence.place, offence.what)).collect()
    }

    #[test]
    fn a_planted_banned_crate_fails() {
        for banned in BANNED {
            let theirs = format!("{banned}@1.0.0");
            let metadata = fake(&["thru"], &[&theirs], &[("thru", &theirs, None)]);
            assert_eq!(said(&metadata, 1), [format!("{banned} 1.0.0: is banned")]);
        }
    }

    #[test]
    fn a_second_version_fails_where_one_is_demanded() {
        let twice = ["tokio@1.0.0", "tokio@2.0.0", "getrandom@0.2.0", "getrandom@0.3.0"];
        assert_eq!(said(&fake(&["thru"], &twice, &[]), 0), ["tokio: has versions 1.0.0, 2.0.0"]);
    }

    #[test]
    fn licence_and_source_are_checked() {
        let mut metadata = fake(&["thru"], &["a@1.0.0", "b@1.0.0", "c@1.0.0"], &[]);
        for package in &mut metadata.packages {
            match package.name.as_str() {
                "a" => package.license = Some("GPL-3.0".into()),
                "b" => package.license = None,
                "c" => package.source = Some("git+https://example.invalid/c".into()),
                _ => {}
            }
        }
        let expected = ["a 1.0.0: licence `GPL-3.0`", "b 1.0.0: names no licence", "c 1.0.0: comes from git+https://example.invalid/c"];
        assert_eq!(said(&metadata, 0), expected);
    }

    #[test]
    fn the_number_of_crates_may_not_grow_and_a_smaller_one_is_written_down() {
        let metadata = fake(&["thru"], &["a@1.0.0", "b@1.0.0"], &[("thru", "a@1.0.0", None), ("thru", "b@1.0.0", Some("dev"))]);
        assert_eq!(said(&metadata, 1), Vec::<String>::new());
        assert!(said(&metadata, 0)[0].contains("grew from 0 to 1"));
        assert!(said(&metadata, 2)[0].contains("shrank from 2 to 1"));
    }
}
