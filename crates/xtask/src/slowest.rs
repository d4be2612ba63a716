//! The ten slowest tests of the last run, from the JUnit file that nextest writes.

use crate::metadata::Metadata;
use crate::problem::{self, Problem};
use std::path::Path;

/// How many tests are worth a look.
const SHOWN: usize = 10;

#[derive(Debug, PartialEq)]
struct Test {
    seconds: f64,
    /// Crate, and test binary if it is not the crate's own.
    binary: String,
    name: String,
}

/// Where nextest puts the file under the default profile; it does not follow `CARGO_TARGET_DIR`.
const DEFAULT_FILE: &str = "target/nextest/default/junit.xml";

pub fn run_default() -> Result<(), Problem> {
    run(&Metadata::load()?.workspace_root.join(DEFAULT_FILE))
}

pub fn run(file: &Path) -> Result<(), Problem> {
    for test in slowest(&problem::read(file)?) {
        println!("{:7.3} s  {} {}", test.seconds, test.binary, test.name);
    }
    Ok(())
}

fn slowest(junit: &str) -> Vec<Test> {
    let mut tests: Vec<Test> = junit.split("<testcase ").skip(1).filter_map(test).collect();
    tests.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| a.name.cmp(&b.name)));
    tests.truncate(SHOWN);
    tests
}

fn test(element: &str) -> Option<Test> {
    let head = element.split('>').next()?;
    Some(Test { seconds: attribute(head, "time")?.parse().ok()?, binary: attribute(head, "classname")?, name: attribute(head, "name")? })
}

fn attribute(head: &str, name: &str) -> Option<String> {
    let start = format!("{name}=\"");
    // A space before it, else `name` would be found inside `classname`.
    let from = if head.starts_with(&start) { start.len() } else { head.find(&format!(" {start}"))? + start.len() + 1 };
    let value = head[from..].split('"').next()?;
    Some(value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'").replace("&amp;", "&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_come_first_and_only_ten() {
        let case = |i: usize| format!("<testcase name=\"t{i}\" classname=\"a::suite\" timestamp=\"x\" time=\"{}.5\">\n</testcase>", i % 12);
        let junit: String = (0..12).map(case).collect();
        let found = slowest(&format!("<testsuites><testsuite name=\"a\">{junit}</testsuite></testsuites>"));
        assert_eq!(found.len(), SHOWN);
        assert_eq!(found[0], Test { seconds: 11.5, binary: "a::suite".into(), name: "t11".into() });
        assert_eq!(found[9].name, "t2");
    }

    #[test]
    fn names_are_unescaped() {
        let found = slowest("<testcase classname=\"a\" name=\"x::&lt;T&gt;\" time=\"0.1\"/>");
        assert_eq!(found[0].name, "x::<T>");
    }
}
