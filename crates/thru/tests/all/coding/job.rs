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
    /// Not there, although the log says that it was done, or nothing.
    pub lost: usize,
    /// Times that a line is there too often.
    pub doubled: usize,
    /// Commands of the whole job of which the log says that nobody knows how they ended.
    pub unknown: usize,
    /// Commands with a line of which the log says that they failed, as those do that are killed before their supervisor.
    pub failed: usize,
    pub in_order: bool,
}

/// What the log says of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Done,
    Failed,
    Unknown,
    Open,
}

impl Lines {
    pub fn count(desk: &Desk, events: &Events) -> Lines {
        let journal = desk.read(JOURNAL);
        let found: Vec<&str> = journal.lines().collect();
        let mut lines = Lines { unknown: unknown_commands(events), ..Lines::default() };
        for number in 1..=STEPS {
            lines.add(found.iter().filter(|found| **found == line(number)).count(), end(events, &step(number)));
        }
        for ((file, text), command) in LEFT.iter().zip([WATCH, IN_BACKGROUND]) {
            lines.add(desk.read(file).lines().filter(|found| found == text).count(), end(events, command));
        }
        // Nothing but the lines in the order of their steps; those that are missing or doubled are counted above.
        let places: Vec<Option<usize>> = found.iter().map(|found| (1..=STEPS).find(|number| line(*number) == *found)).collect();
        lines.in_order = places.iter().all(Option::is_some) && places.is_sorted();
        lines
    }

    /// What is said not to have ended well may have appended its line before.
    fn add(&mut self, times: usize, end: End) {
        self.failed += usize::from(end == End::Failed);
        self.lost += usize::from(times == 0 && matches!(end, End::Done | End::Open));
        self.doubled += times.saturating_sub(1);
    }
}

fn unknown_commands(events: &Events) -> usize {
    let commands = events.of("action.decided").into_iter().filter(|decided| decided["tool"] == "shell");
    let actions: Vec<&Value> = commands.map(|decided| &decided["action"]).collect();
    events.of("tool.unknown").into_iter().filter(|unknown| actions.contains(&&unknown["action"])).count()
}

/// How the last attempt of the command with this line ended.
fn end(events: &Events, command: &str) -> End {
    let is_it = |decided: &Value| {
        let args = decided["args"]["inline"].as_str().and_then(|args| serde_json::from_str::<Value>(args).ok());
        args.is_some_and(|args| args["command"] == command)
    };
    let decided = events.of("action.decided").into_iter().find(|decided| is_it(decided));
    let ours = events.values.iter().filter(|event| decided.is_some_and(|decided| event["data"]["action"] == decided["action"]));
    let mut ends = ours.filter_map(|event| match event["type"].as_str()? {
        "tool.finished" if event["data"]["ok"] == true => Some(End::Done),
        "tool.finished" => Some(End::Failed),
        "tool.unknown" => Some(End::Unknown),
        _ => None,
    });
    ends.next_back().unwrap_or(End::Open)
}

#[test]
fn lines_that_are_missing_doubled_or_elsewhere_are_counted() {
    let desk = desk();
    let whole: Vec<String> = (1..=STEPS).map(line).collect();
    let put = |file: &str, lines: &[String]| std::fs::write(desk.path(file), lines.join("\n") + "\n").unwrap();
    let well = || Lines { in_order: true, ..Lines::default() };
    // What the log says of the second step.
    let args = json!({ "command": step(2) }).to_string();
    let decided = json!({ "type": "action.decided", "data": { "action": "two", "tool": "shell", "args": { "inline": args } } });
    let said =
        |name: &str, ok: bool| Events::parse(&format!("{decided}\n{}\n", json!({ "type": name, "data": { "action": "two", "ok": ok } })));
    let (done, failed, unknown) = (said("tool.finished", true), said("tool.finished", false), said("tool.unknown", false));
    put(JOURNAL, &whole);
    assert_eq!(Lines::count(&desk, &done), Lines { lost: 2, ..well() }, "what the background left");
    LEFT.iter().for_each(|(file, text)| put(file, &[(*text).to_owned()]));
    assert_eq!(Lines::count(&desk, &done), well());
    assert_eq!(Lines::count(&desk, &unknown), Lines { unknown: 1, ..well() });

    put(JOURNAL, &[&whole[..1], &whole[2..]].concat());
    assert_eq!(Lines::count(&desk, &done), Lines { lost: 1, ..well() });
    assert_eq!(Lines::count(&desk, &Events::parse("")), Lines { lost: 1, ..well() });
    assert_eq!(Lines::count(&desk, &unknown), Lines { unknown: 1, ..well() });
    assert_eq!(Lines::count(&desk, &failed), Lines { failed: 1, ..well() });
    put(JOURNAL, &[&whole[..2], &whole[1..]].concat());
    assert_eq!(Lines::count(&desk, &unknown), Lines { doubled: 1, unknown: 1, ..well() });
    put(JOURNAL, &[&whole[1..], &whole[..1]].concat());
    assert_eq!(Lines::count(&desk, &done), Lines::default());
    put(JOURNAL, &[&whole[..], &["step".to_owned()]].concat());
    assert_eq!(Lines::count(&desk, &done), Lines::default());
    put(LEFT[0].0, &[LEFT[0].1, LEFT[0].1].map(str::to_owned));
    assert_eq!(Lines::count(&desk, &done), Lines { doubled: 1, ..Lines::default() });
}
