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

/// Leaves a line in `effect` when it begins, waits until the test makes the file `go`, leaves another line, ends with `exit`.
pub fn held_back(exit: u8) -> String {
    format!("echo began | tee -a effect; while [ ! -e go ]; do sleep 0.02; done; echo ended | tee -a effect; exit {exit}")
}
