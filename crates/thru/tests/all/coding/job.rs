//! The job of the scripted model in the checkout: it looks, mends what is wrong in two goes, and leaves a line a step.

use super::checkout::{CHANGES, Edit, PARSE, REPORT, TESTS};
use crate::desk::{Desk, desk};
use crate::events::Events;
use crate::script::{call, say, shell};
use serde_json::{Value, json};

/// Commands that each append one line to [`JOURNAL`], one after the other.
pub const STEPS: usize = 8;
pub const JOURNAL: &str = "journal.txt";
pub const DONE: &str = "Both are mended.";
/// What background commands leave, each in a file of its own and once.
pub const LEFT: [(&str, &str); 2] = [("watch.log", "released"), ("passed.log", "passed")];

const WATCH: &str = "python3 -u tools/watch.py \"## 0.2\"";
const IN_BACKGROUND: &str = "python3 -m unittest -q && echo passed >> passed.log";
/// The calls that start them, by the number of their reply.
const WATCH_CALL: &str = "call_8_0";
/// More than a command in the background takes; reaching it fails the job.
const WAIT_S: u64 = 60;

/// Every reply of the model.
pub fn script() -> Vec<Value> {
    let read = |path: &str| json!({ "tool": "read_file", "args": { "path": path } });
    let edit = |edit: &Edit| call("edit_file", json!({ "path": edit.path, "old": edit.old, "new": edit.new }));
    let in_background = |command: &str| call("shell", json!({ "command": command, "background": true }));
    let search = json!({ "tool": "search_text", "args": { "pattern": "def totals", "glob": "*.py" } });
    let mut lines = vec![
        json!({ "text": "I look around.", "calls": [{ "tool": "list_files" }, search] }),
        json!({ "calls": [read(PARSE.path), read("tests/test_tally.py")] }),
        shell(TESTS),
        edit(&PARSE),
        shell(TESTS),
        json!({ "text": "One is left.", "calls": [read(REPORT.path)] }),
        edit(&REPORT),
        shell(TESTS),
        in_background(WATCH),
        call("wait_for", json!({ "call": WATCH_CALL, "seconds": WAIT_S, "until": "^watching" })),
    ];
    lines.extend((1..=STEPS).map(|number| shell(&step(number))));
    lines.push(edit(&CHANGES));
    lines.push(call("wait_for", json!({ "call": WATCH_CALL, "seconds": WAIT_S })));
    let tests_call = format!("call_{}_0", lines.len());
    lines.push(in_background(IN_BACKGROUND));
    lines.push(call("wait_for", json!({ "call": tests_call, "seconds": WAIT_S })));
    lines.push(shell("git diff --stat"));
    lines.push(say(DONE));
    lines
}

fn step(number: usize) -> String {
    format!("echo {} >> {JOURNAL}", line(number))
}

fn line(number: usize) -> String {
    format!("step {number}")
}

/// What became of the lines that commands append.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Not there, although the log does not say that nobody knows.
    pub lost: usize,
    /// Times that a line is there too often.
    pub doubled: usize,
    /// Commands whose outcome nobody knows.
    pub unknown: usize,
    pub in_order: bool,
}

impl Lines {
    pub fn count(desk: &Desk, events: &Events) -> Lines {
        let unknown = unknown_commands(events);
        let journal = desk.read(JOURNAL);
        let found: Vec<&str> = journal.lines().collect();
        let mut lines = Lines { unknown: unknown.len(), ..Lines::default() };
        for number in 1..=STEPS {
            lines.add(found.iter().filter(|found| **found == line(number)).count(), unknown.contains(&step(number)));
        }
        let background = [WATCH, IN_BACKGROUND];
        for ((file, text), command) in LEFT.iter().zip(background) {
            let times = desk.read(file).lines().filter(|found| found == text).count();
            lines.add(times, unknown.contains(&command.to_owned()));
        }
        // Nothing but the lines in the order of their steps; those that are missing or doubled are counted above.
        let places: Vec<Option<usize>> = found.iter().map(|found| (1..=STEPS).find(|number| line(*number) == *found)).collect();
        lines.in_order = places.iter().all(Option::is_some) && places.is_sorted();
        lines
    }

    fn add(&mut self, times: usize, is_unknown: bool) {
        match times {
            0 => self.lost += usize::from(!is_unknown),
            _ => self.doubled += times - 1,
        }
    }
}

/// Command lines of which the log says that nobody knows what became of them.
fn unknown_commands(events: &Events) -> Vec<String> {
    let command = |action: &Value| {
        let decided = events.of("action.decided").into_iter().find(|decided| decided["action"] == *action)?;
        let args: Value = serde_json::from_str(decided["args"]["inline"].as_str()?).ok()?;
        args["command"].as_str().map(str::to_owned)
    };
    events.of("tool.unknown").into_iter().filter_map(|unknown| command(&unknown["action"])).collect()
}

#[test]
fn lines_that_are_missing_doubled_or_elsewhere_are_counted() {
    let desk = desk();
    let whole: Vec<String> = (1..=STEPS).map(line).collect();
    let put = |file: &str, lines: &[String]| std::fs::write(desk.path(file), lines.join("\n") + "\n").unwrap();
    let well = Lines { in_order: true, ..Lines::default() };
    // The log says of the second step that nobody knows, or nothing.
    let decided =
        json!({ "type": "action.decided", "data": { "action": "two", "args": { "inline": json!({ "command": step(2) }).to_string() } } });
    let unknown = Events::parse(&format!("{decided}\n{}\n", json!({ "type": "tool.unknown", "data": { "action": "two" } })));
    let silent = Events::parse("");
    put(JOURNAL, &whole);
    assert_eq!(Lines::count(&desk, &silent), Lines { lost: 2, in_order: true, ..Lines::default() }, "what the background left");
    LEFT.iter().for_each(|(file, text)| put(file, &[(*text).to_owned()]));
    assert_eq!(Lines::count(&desk, &silent), well);
    assert_eq!(Lines::count(&desk, &unknown), Lines { unknown: 1, in_order: true, ..Lines::default() });

    put(JOURNAL, &[&whole[..1], &whole[2..]].concat());
    assert_eq!(Lines::count(&desk, &silent), Lines { lost: 1, in_order: true, ..Lines::default() });
    assert_eq!(Lines::count(&desk, &unknown), Lines { unknown: 1, in_order: true, ..Lines::default() });
    put(JOURNAL, &[&whole[..2], &whole[1..]].concat());
    assert_eq!(Lines::count(&desk, &unknown), Lines { doubled: 1, unknown: 1, in_order: true, ..Lines::default() });
    put(JOURNAL, &[&whole[1..], &whole[..1]].concat());
    assert_eq!(Lines::count(&desk, &silent), Lines::default());
    put(JOURNAL, &[&whole[..], &["step".to_owned()]].concat());
    assert_eq!(Lines::count(&desk, &silent), Lines::default());
    put(LEFT[0].0, &[LEFT[0].1, LEFT[0].1].map(str::to_owned));
    assert_eq!(Lines::count(&desk, &silent), Lines { doubled: 1, ..Lines::default() });
}
