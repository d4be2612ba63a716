//! A small project with a history of its own, cloned into the working folder: what a job finds there and what it must leave.

use crate::desk::Desk;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What tests the project.
pub const TESTS: &str = "python3 -m unittest -q";

/// Each edit is of another length than what it replaces: Python takes a compiled file for current by size and second.
pub struct Edit {
    pub path: &'static str,
    pub old: &'static str,
    pub new: &'static str,
}

pub const PARSE: Edit = Edit { path: "tally/parse.py", old: "line.split(\" \")", new: "line.split(maxsplit=2)" };
pub const REPORT: Edit = Edit {
    path: "tally/report.py",
    old: "        sums[month(day)] = amount\n",
    new: "        sums[month(day)] = sums.get(month(day), 0) + amount\n",
};
pub const CHANGES: Edit =
    Edit { path: "CHANGES.md", old: "# Changes\n", new: "# Changes\n\n## 0.2\n\nSums are right, and entries may have several words.\n" };

/// What `git diff` says when all three are made and nothing else is touched.
const DIFF: &str = "\
diff --git a/CHANGES.md b/CHANGES.md
--- a/CHANGES.md
+++ b/CHANGES.md
@@ -1,5 +1,9 @@
 # Changes
 
+## 0.2
+
+Sums are right, and entries may have several words.
+
 ## 0.1
 
 Reads entries and sums them up by month.
diff --git a/tally/parse.py b/tally/parse.py
--- a/tally/parse.py
+++ b/tally/parse.py
@@ -5,7 +5,7 @@ from decimal import Decimal
 
 def parse(line):
     \"\"\"The day, the amount and the words of an entry.\"\"\"
-    day, amount, words = line.split(\" \")
+    day, amount, words = line.split(maxsplit=2)
     return day, Decimal(amount), words
 
 
diff --git a/tally/report.py b/tally/report.py
--- a/tally/report.py
+++ b/tally/report.py
@@ -10,5 +10,5 @@ def totals(entries):
     \"\"\"The sum of every month.\"\"\"
     sums = {}
     for day, amount, _ in entries:
-        sums[month(day)] = amount
+        sums[month(day)] = sums.get(month(day), 0) + amount
     return sums
";

const README: &str = "# tally\n\nSums up what was spent. `python3 -m unittest` tests it.\n";
const IGNORED: &str = "__pycache__/\nbuild/\n*.log\n";
const CHANGES_BEFORE: &str = "# Changes\n\n## 0.1\n\nReads entries and sums them up by month.\n";
const PARSE_BEFORE: &str = r#""""Reads entries such as `2024-03-05 12.50 coffee beans`."""

from decimal import Decimal


def parse(line):
    """The day, the amount and the words of an entry."""
    day, amount, words = line.split(" ")
    return day, Decimal(amount), words


def entries(text):
    """Every entry of a text; empty lines are none."""
    return [parse(line) for line in text.splitlines() if line]
"#;
const REPORT_BEFORE: &str = r#""""Sums entries up."""


def month(day):
    """The month of a day."""
    return day[:7]


def totals(entries):
    """The sum of every month."""
    sums = {}
    for day, amount, _ in entries:
        sums[month(day)] = amount
    return sums
"#;
/// Ends once the version that the job writes down is there.
const WATCH: &str = r#""""Says when a version is released."""

import pathlib
import sys
import time

print("watching", flush=True)
while sys.argv[1] not in pathlib.Path("CHANGES.md").read_text():
    time.sleep(0.01)
print("released", flush=True)
with open("watch.log", "a") as log:
    log.write("released\n")
"#;
const TEST: &str = r#"import unittest
from decimal import Decimal

from tally.parse import entries, parse
from tally.report import totals

MARCH = """
2024-03-05 12.50 coffee

2024-03-09 4.00 milk
2024-04-01 1.25 bread
"""


class Tests(unittest.TestCase):
    def test_an_entry_has_three_parts(self):
        self.assertEqual(parse("2024-03-05 12.50 coffee"), ("2024-03-05", Decimal("12.50"), "coffee"))

    def test_words_may_be_several(self):
        self.assertEqual(parse("2024-03-05 12.50 coffee beans")[2], "coffee beans")

    def test_a_month_is_the_sum_of_its_entries(self):
        self.assertEqual(totals(entries(MARCH)), {"2024-03": Decimal("16.50"), "2024-04": Decimal("1.25")})
"#;

/// Every commit with the files that it brings.
const HISTORY: [(&str, &[(&str, &str)]); 4] = [
    ("Begin", &[("README.md", README), (".gitignore", IGNORED)]),
    ("Read entries", &[("tally/__init__.py", ""), ("tally/parse.py", PARSE_BEFORE)]),
    ("Sum them up by month", &[("tally/report.py", REPORT_BEFORE), ("CHANGES.md", CHANGES_BEFORE)]),
    ("Say what is wrong", &[("tests/__init__.py", ""), ("tests/test_tally.py", TEST), ("tools/watch.py", WATCH)]),
];

/// Makes the project in a folder that is not there yet.
pub fn make(folder: &Path) {
    fs::create_dir(folder).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    for (subject, files) in HISTORY {
        for (path, content) in files {
            put(&folder.join(path), content);
        }
        git(folder, &["add", "."]);
        git(folder, &["commit", "-q", "-m", subject]);
    }
}

/// Clones the project into the working folder of the desk, and leaves there what a build would: ignored, and out of date.
pub fn check_out(project: &Path, desk: &Desk) {
    git(&desk.work, &["clone", "-q", project.to_str().unwrap(), "."]);
    put(&desk.path("build/tally/report.py"), REPORT_BEFORE);
}

/// What is wrong with the checkout after the job, if anything.
pub fn faults(desk: &Desk) -> Vec<String> {
    let mut faults = Vec::new();
    let diff = git(&desk.work, &["diff", "--no-color", "--no-ext-diff"]);
    let diff: String = diff.lines().filter(|line| !line.starts_with("index ")).map(|line| format!("{line}\n")).collect();
    if diff != DIFF {
        faults.push(format!("the diff is\n{diff}"));
    }
    let status = git(&desk.work, &["status", "--porcelain"]);
    let expected = format!(" M {}\n M {}\n M {}\n?? journal.txt\n", CHANGES.path, PARSE.path, REPORT.path);
    if status != expected {
        faults.push(format!("the status is\n{status}"));
    }
    let subjects = git(&desk.work, &["log", "--reverse", "--format=%s"]);
    if !subjects.lines().eq(HISTORY.map(|(subject, _)| subject)) {
        faults.push(format!("the history is\n{subjects}"));
    }
    let mut tests = Command::new("sh");
    let tested = tests.args(["-c", TESTS]).current_dir(&desk.work).output().unwrap();
    if !tested.status.success() {
        faults.push(format!("the tests of the project fail:\n{}", String::from_utf8_lossy(&tested.stderr)));
    }
    faults
}

fn put(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Git as it is without anybody's settings.
fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=tally", "-c", "user.email=tally@example.invalid", "-c", "commit.gpgsign=false"]).args(args);
    command.current_dir(folder).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
