//! Known offenders with their figures. A figure may shrink, never grow, and a better one must be written down.

use crate::offence::Offence;
use crate::problem::{self, Problem};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

const FILE: &str = "crates/xtask/ratchet.toml";
const WHY: &str = "known offenders may shrink, never grow; what was won is kept";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratchet {
    /// Lines of files that are longer than wished.
    #[serde(default)]
    pub files: Figures,
    /// Lines of functions that are longer than allowed, by `path::name`.
    #[serde(default)]
    pub functions: Figures,
    #[serde(default)]
    pub dependencies: Figures,
}

pub type Figures = BTreeMap<String, usize>;

impl Ratchet {
    pub fn load(root: &Path) -> Result<Ratchet, Problem> {
        toml::from_str(&problem::read(&root.join(FILE))?).map_err(|error| Problem::malformed(FILE, error))
    }
}

/// Compares what was found with what is listed; `limit` says what the figure would have to be to need no entry.
pub fn compare(section: &str, limit: &str, listed: &Figures, found: &Figures) -> Vec<Offence> {
    let mut offences = Vec::new();
    for (name, figure) in found {
        let what = match listed.get(name) {
            None => format!("{section} {figure}, {limit}"),
            Some(known) if figure > known => format!("{section} grew from {known} to {figure}"),
            Some(known) if figure < known => format!("{section} shrank from {known} to {figure}: lower the figure in {FILE}"),
            Some(_) => continue,
        };
        offences.push(Offence::new(name, what, WHY));
    }
    for name in listed.keys().filter(|name| !found.contains_key(*name)) {
        offences.push(Offence::new(name, format!("{section} no longer an offender: remove its entry from {FILE}"), WHY));
    }
    offences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(entries: &[(&str, usize)]) -> Figures {
        entries.iter().map(|(name, figure)| ((*name).to_owned(), *figure)).collect()
    }

    #[test]
    fn a_figure_must_be_exactly_the_listed_one() {
        let listed = figures(&[("same", 5), ("grew", 5), ("shrank", 5), ("gone", 5)]);
        let found = figures(&[("same", 5), ("grew", 6), ("shrank", 4), ("new", 9)]);
        let said: Vec<String> = compare("lines", "at most 3", &listed, &found)
            .into_iter()
            .map(|offence| format!("{}: {}", offence.place, offence.what))
            .collect();
        let expected = [
            "grew: lines grew from 5 to 6".to_owned(),
            "new: lines 9, at most 3".to_owned(),
            format!("shrank: lines shrank from 5 to 4: lower the figure in {FILE}"),
            format!("gone: lines no longer an offender: remove its entry from {FILE}"),
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn the_file_is_understood_and_a_misspelt_section_is_not() {
        let ratchet: Ratchet = toml::from_str("[files]\n\"a/b.rs\" = 612\n").unwrap();
        assert_eq!(ratchet.files, figures(&[("a/b.rs", 612)]));
        assert!(toml::from_str::<Ratchet>("[file]\n").is_err());
    }
}
