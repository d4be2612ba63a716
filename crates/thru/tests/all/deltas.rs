//! What is said right now, for scripts: beside the log and never instead of it.

use crate::desk::{Said, desk};
use crate::events::Events;
use crate::script::say;
use serde_json::{Value, json};

/// The events among the lines, and the deltas of each model call and command in the order they came. Each must stand
/// between the beginning and the end of what it is of.
fn told(said: &Said) -> (Vec<String>, Vec<(String, String)>) {
    let lines = Events::parse(&said.stdout);
    let mut events = Vec::new();
    let mut deltas: Vec<(String, String)> = Vec::new();
    let mut open: Vec<Value> = Vec::new();
    for (line, value) in lines.lines.iter().zip(&lines.values) {
        match value["type"].as_str().unwrap() {
            "stream.opened" | "stream.closed" => {}
            "stream.delta" => {
                let source = value.get("request").or(value.get("action")).unwrap();
                assert!(open.contains(source), "{line} comes while what it is of is open");
                let of = value["of"].as_str().unwrap();
                if value["offset"] == 0 {
                    deltas.push((of.to_owned(), String::new()));
                }
                let (begun, text) = deltas.last_mut().unwrap();
                assert_eq!((begun.as_str(), value["offset"].as_u64()), (of, Some(text.len() as u64)), "nothing is missing");
                text.push_str(value["text"].as_str().unwrap());
            }
            name => {
                match name {
                    "model.requested" => open.push(value["id"].clone()),
                    "tool.started" => open.push(value["data"]["action"].clone()),
                    "model.completed" | "tool.finished" => open.clear(),
                    _ => {}
                }
                events.push(line.clone());
            }
        }
    }
    (events, deltas)
}

#[test]
fn deltas_stand_between_the_beginning_and_the_end_of_what_they_are_of() {
    let desk = desk();
    let call = json!({ "tool": "shell", "args": { "command": "echo printed" } });
    let first = json!({ "thinking": "one command", "text": "I look at it.", "chunk_ms": 1, "calls": [call] });
    desk.script(&[first, say("Done.")]);
    let said = desk.run(&["--json=deltas"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{said:?}");
    let (events, deltas) = told(&said);
    assert_eq!(events, desk.events(&desk.only_session()).lines, "the events are the log, byte for byte");
    let pieces = said.stdout.lines().filter(|line| line.contains("\"of\":\"text\"")).count();
    assert_eq!(pieces, 5, "four words and a last one, each as it came");
    let of_model: Vec<(&str, &str)> =
        deltas.iter().map(|(of, text)| (of.as_str(), text.as_str())).filter(|(of, _)| *of != "output").collect();
    assert_eq!(of_model, [("thinking", "one command"), ("text", "I look at it."), ("text", "Done.")]);
}

/// What happened before the process came is in the log; what is said from then on is told.
#[test]
fn a_resumed_run_tells_what_is_said_from_then_on() {
    let desk = desk();
    desk.script(&[json!({ "text": "a b c d e f g h", "chunk_ms": 1 })]);
    desk.killed_at_line(&desk.run_args(&["--json=deltas"]), 8);
    let resumed = desk.thru(&["resume", "--last", "--json=deltas"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    let (_, deltas) = told(&resumed);
    assert_eq!(deltas, [("text".to_owned(), "a b c d e f g h".to_owned())], "the call is made again, and whole");
    desk.events(&desk.only_session()).assert_completed();
}

#[test]
fn plain_json_has_no_deltas_and_another_word_is_refused() {
    let desk = desk();
    desk.script(&[say("Done.")]);
    let plain = desk.run(&["--json"]);
    assert!(plain.code == Some(0) && !plain.stdout.contains("stream.delta"), "{plain:?}");
    let other = desk.run(&["--json=words"]);
    assert!(other.code == Some(2) && other.stderr.contains("deltas"), "{other:?}");
}
