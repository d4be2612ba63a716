//! The events of a session as `thru events --json` prints them.

use serde_json::Value;

#[derive(PartialEq)]
pub struct Events {
    pub lines: Vec<String>,
    pub values: Vec<Value>,
}

impl std::fmt::Debug for Events {
    /// Names alone: whole events would bury a failure.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl Events {
    /// Parses JSON lines; every one must be whole.
    pub fn parse(text: &str) -> Events {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let values = lines.iter().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect();
        Events { lines, values }
    }

    pub fn names(&self) -> Vec<&str> {
        self.values.iter().map(|event| event["type"].as_str().unwrap()).collect()
    }

    pub fn count(&self, name: &str) -> usize {
        self.names().iter().filter(|found| **found == name).count()
    }

    /// Data of all events of one type.
    pub fn of(&self, name: &str) -> Vec<&Value> {
        self.values.iter().filter(|event| event["type"] == name).map(|event| &event["data"]).collect()
    }

    /// Data of the only event of this type.
    #[track_caller]
    pub fn one(&self, name: &str) -> &Value {
        let found = self.of(name);
        assert_eq!(found.len(), 1, "one {name} in {:?}", self.names());
        found[0]
    }

    /// Texts of the model, in order.
    pub fn said(&self) -> Vec<&str> {
        let parts = self.of("model.completed").into_iter().flat_map(|reply| reply["parts"].as_array().unwrap());
        parts.filter_map(|part| part["text"]["inline"].as_str()).collect()
    }

    /// Place of the first event of this type.
    #[track_caller]
    pub fn place(&self, name: &str) -> usize {
        self.names().iter().position(|found| *found == name).unwrap_or_else(|| panic!("no {name} in {:?}", self.names()))
    }

    /// Versions count from 1 without a gap, and every cause is an event that came before.
    pub fn assert_whole(&self) {
        let mut seen = Vec::new();
        for (expected, event) in (1..).zip(&self.values) {
            assert_eq!(event["version"].as_u64(), Some(expected), "{event}");
            let cause = event.get("causation");
            assert!(cause.is_none_or(|cause| seen.contains(&cause)), "{event}");
            seen.push(&event["id"]);
        }
    }

    /// The run ended well, once.
    #[track_caller]
    pub fn assert_completed(&self) {
        self.assert_whole();
        assert_eq!(self.one("run.finished")["outcome"], "completed");
        assert_eq!(self.names().last(), Some(&"run.finished"));
    }
}
