//! The checked-in size of the search. A change that makes the search smaller must say so in the same commit.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Distinct durable states over all scenarios.
    pub states: usize,
    pub edges: usize,
    pub invariants: usize,
    /// Distinct durable states of each scenario.
    pub scenarios: BTreeMap<String, usize>,
}

impl Figures {
    /// Where the figures are checked in.
    #[must_use]
    pub fn path() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("explore.toml")
    }

    /// # Errors
    /// When the text is not what [`Figures::to_toml`] writes.
    pub fn from_toml(text: &str) -> Result<Figures, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    #[must_use]
    pub fn to_toml(&self) -> String {
        let Figures { states, edges, invariants, scenarios } = self;
        let mut text = String::from("# Written by `explore --write`; the search fails when it is smaller than this.\n");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "states = {states}\nedges = {edges}\ninvariants = {invariants}\n\n[scenarios]");
        for (name, states) in scenarios {
            let _ = writeln!(text, "\"{name}\" = {states}");
        }
        text
    }

    /// A line for each figure that is lower here than in `expected`.
    #[must_use]
    pub fn lower_than(&self, expected: &Figures) -> Vec<String> {
        let totals = [
            ("states", self.states, expected.states),
            ("edges", self.edges, expected.edges),
            ("invariants", self.invariants, expected.invariants),
        ];
        let totals = totals.into_iter().map(|(name, found, expected)| (name.to_owned(), found, expected));
        let scenarios = expected.scenarios.iter().map(|(name, expected)| {
            let found = self.scenarios.get(name).copied().unwrap_or_default();
            (format!("states of scenario `{name}`"), found, *expected)
        });
        let lower = totals.chain(scenarios).filter(|(_, found, expected)| found < expected);
        lower.map(|(name, found, expected)| format!("{name}: {found}, checked in are {expected}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Figures;

    /// Distinct durable states that a search must reach, whatever is checked in.
    const GOAL: usize = 50_000;

    fn figures(states: usize) -> Figures {
        Figures { states, edges: 9, invariants: 3, scenarios: [("one, two".to_owned(), states)].into() }
    }

    #[test]
    fn figures_survive_their_text() {
        assert_eq!(Figures::from_toml(&figures(5).to_toml()), Ok(figures(5)));
    }

    #[test]
    fn a_smaller_search_and_a_missing_scenario_are_told() {
        assert!(figures(5).lower_than(&figures(5)).is_empty());
        assert!(figures(6).lower_than(&figures(5)).is_empty());
        assert_eq!(figures(4).lower_than(&figures(5)).len(), 2);
        let without = Figures { scenarios: [].into(), ..figures(5) };
        assert_eq!(without.lower_than(&figures(5)), ["states of scenario `one, two`: 0, checked in are 5"]);
    }

    #[test]
    fn the_checked_in_figures_name_every_scenario_and_meet_the_goal() {
        let text = std::fs::read_to_string(Figures::path()).unwrap();
        let checked_in = Figures::from_toml(&text).unwrap();
        let names: Vec<String> = crate::scenario::all().iter().map(|scenario| scenario.name.to_owned()).collect();
        assert!(names.iter().all(|name| checked_in.scenarios.contains_key(name)), "{names:?}");
        assert_eq!(names.len(), checked_in.scenarios.len());
        assert!(checked_in.states >= GOAL, "{checked_in:?}");
    }
}
