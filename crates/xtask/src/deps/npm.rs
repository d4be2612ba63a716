//! The lock file of the page's packages: the same questions as for crates.

use super::licence;
use super::{WHY_LICENCE, WHY_SOURCE};
use crate::files::TextFile;
use crate::offence::Offence;
use crate::problem::Problem;
use serde::Deserialize;
use std::collections::BTreeMap;

const REGISTRY: &str = "https://registry.npmjs.org/";

#[derive(Debug, Deserialize)]
struct Lock {
    packages: BTreeMap<String, Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    resolved: Option<String>,
    license: Option<String>,
    /// Used to build or test the page only, never part of it.
    #[serde(default)]
    dev: bool,
    /// A folder of this repository.
    #[serde(default)]
    link: bool,
}

pub fn check(file: &TextFile) -> Result<Vec<Offence>, Problem> {
    let lock: Lock = serde_json::from_str(&file.text).map_err(|error| Problem::malformed(&file.path, error))?;
    let foreign = lock.packages.iter().filter(|(path, entry)| path.contains("node_modules/") && !entry.link);
    let mut offences = Vec::new();
    for (path, entry) in foreign {
        let place = format!("{} {path}", file.path);
        match &entry.resolved {
            Some(source) if source.starts_with(REGISTRY) => {}
            Some(source) => offences.push(Offence::new(&place, format!("comes from {source}"), WHY_SOURCE)),
            None => offences.push(Offence::new(&place, "names no source", WHY_SOURCE)),
        }
        if !entry.dev && !entry.license.as_deref().is_some_and(licence::is_allowed) {
            let named = entry.license.as_deref().unwrap_or("none");
            offences.push(Offence::new(&place, format!("licence `{named}`"), WHY_LICENCE));
        }
    }
    Ok(offences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_source_and_a_refused_licence_are_found() {
        let text = r#"{ "lockfileVersion": 3, "packages": {
            "": { "name": "page" },
            "node_modules/a": { "resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz", "license": "MIT" },
            "node_modules/b": { "resolved": "https://example.invalid/b.tgz", "license": "MIT" },
            "node_modules/c": { "resolved": "https://registry.npmjs.org/c/-/c-1.0.0.tgz", "license": "GPL-3.0" },
            "node_modules/d": { "resolved": "https://registry.npmjs.org/d/-/d-1.0.0.tgz", "license": "MPL-2.0", "dev": true }
        } }"#;
        let offences = check(&TextFile { path: "web/package-lock.json".into(), text: text.into() }).unwrap();
        let said: Vec<String> = offences.iter().map(|offence| format!("{}: {}", offence.place, offence.what)).collect();
        let expected = [
            "web/package-lock.json node_modules/b: comes from https://example.invalid/b.tgz",
            "web/package-lock.json node_modules/c: licence `GPL-3.0`",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_lock_file_that_cannot_be_read_is_a_problem() {
        assert!(check(&TextFile { path: "package-lock.json".into(), text: "{}".into() }).is_err());
    }
}
