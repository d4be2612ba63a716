//! The job that is killed: every kind of step, each with an effect that can be counted.

use super::counter::SAID;
use serde_json::{Value, json};
use std::io;
use std::path::Path;

/// The key of the job, which also names its session.
pub const KEY: &str = "crash";
/// Rules under which only [`ASKED`] is asked about.
pub const ALLOWED: [&str; 2] = ["shell(count *)", "shell(exec sh hold.sh)"];
/// The file that is written once and edited once.
pub const NOTES: &str = "notes.txt";
const WRITTEN: &str = "tally\n";
/// An edit that was made twice would show.
const EDIT: [&str; 2] = ["tally", "tally+"];
pub const EDITED: &str = "tally+\n";

/// Every command of the job with the step that it has counted.
pub const COMMANDS: [(&str, &str); 11] = [
    ("one", "count one"),
    ("two", "count two"),
    ("three", "count three"),
    (HELD, "exec sh hold.sh"),
    ("up", "count up after held within 3"),
    (ASKED, "env count asked"),
    ("beside", "count beside after poked within 3"),
    (SPEAKS, "count speaks and say"),
    (HEARS, "count hears"),
    ("last", "count last"),
    ("least", "count least"),
];
/// Runs in the background until it is signalled.
pub const HELD: &str = "held";
/// Waits for a person.
pub const ASKED: &str = "asked";
/// Says something to the session while it runs.
pub const SPEAKS: &str = "speaks";
/// Only done when the model was told what was said.
pub const HEARS: &str = "hears";
/// Counted by the background command when it gets a signal, under the name of that signal.
pub const SIGNALS: [(&str, &str); 2] = [("USR1", "poked"), ("TERM", "ended")];

/// Ends at TERM, or by itself when nobody signals it: three seconds, so that nobody waits long for it.
const HOLD: &str = "trap 'count ended; exit 3' TERM
trap 'count poked' USR1
count held
i=0
while [ $i -lt 30 ]; do sleep 0.1 & wait; i=$((i+1)); done
";

/// The replies of the scripted model.
pub fn script() -> Vec<Value> {
    let shell = |step: &str| json!({ "tool": "shell", "args": { "command": command(step) } });
    let held = json!({ "tool": "shell", "args": { "command": command(HELD), "background": true } });
    let signal = |name: &str| json!({ "tool": "process_signal", "args": { "call": "call_1_0", "signal": name } });
    let write = json!({ "tool": "write_file", "args": { "path": NOTES, "content": WRITTEN } });
    let read = json!({ "tool": "read_file", "args": { "path": NOTES } });
    let edit = json!({ "tool": "edit_file", "args": { "path": NOTES, "old": EDIT[0], "new": EDIT[1] } });
    vec![
        json!({ "text": "Three at once.", "calls": [shell("one"), shell("two"), shell("three")] }),
        json!({ "calls": [held, write] }),
        json!({ "calls": [shell("up"), read, edit] }),
        json!({ "calls": [signal("USR1")] }),
        json!({ "calls": [shell(ASKED), shell("beside")] }),
        json!({ "calls": [signal("TERM")] }),
        json!({ "calls": [{ "tool": "wait_for", "args": { "call": "call_1_0", "seconds": 5 } }] }),
        json!({ "calls": [shell(SPEAKS)] }),
        json!({ "when": SAID, "text": "I change the plan.", "calls": [shell(HEARS)] }),
        json!({ "calls": [{ "tool": "wait_for", "args": { "seconds": 0.02 } }] }),
        json!({ "calls": [shell("last"), shell("least")] }),
        json!({ "text": "done" }),
    ]
}

/// Puts what the job needs into its folder, and the script beside it.
pub fn lay_out(work: &Path, script_file: &Path) -> io::Result<()> {
    std::fs::create_dir_all(work)?;
    std::fs::write(work.join("hold.sh"), HOLD)?;
    let lines: String = script().iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(script_file, lines)
}

fn command(step: &str) -> &'static str {
    COMMANDS.iter().find(|(name, _)| *name == step).map_or("", |(_, command)| command)
}
