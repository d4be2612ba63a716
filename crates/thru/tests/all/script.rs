//! Lines of a scripted model, and the commands that tests hold back with a file instead of a duration.

use serde_json::{Value, json};

/// A reply that calls one tool.
pub fn call(tool: &str, args: Value) -> Value {
    json!({ "calls": [{ "tool": tool, "args": args }] })
}

pub fn shell(command: &str) -> Value {
    call("shell", json!({ "command": command }))
}

/// The last words of a run.
pub fn say(text: &str) -> Value {
    json!({ "text": text })
}

/// A reply that answers out of turn when the newest message matches.
pub fn answers(pattern: &str, text: &str) -> Value {
    json!({ "when": pattern, "text": text })
}

/// A reply that runs several commands beside each other.
pub fn shells(commands: &[&str]) -> Value {
    let calls: Vec<Value> = commands.iter().map(|command| json!({ "tool": "shell", "args": { "command": command } })).collect();
    json!({ "calls": calls })
}

/// Waits until the test makes the file `name`, prints that name and leaves it in `effect`.
pub fn held_by(name: &str) -> String {
    format!("while [ ! -e {name} ]; do sleep 0.02; done; echo {name} | tee -a effect")
}

/// Leaves a line in `effect` when it begins, waits until the test makes the file `go`, leaves another line, ends with `exit`.
pub fn held_back(exit: u8) -> String {
    format!("echo began | tee -a effect; while [ ! -e go ]; do sleep 0.02; done; echo ended | tee -a effect; exit {exit}")
}
