//! A whole job with every tool, and the four ways to be told of it.

use crate::desk::{Desk, TASK, desk};
use crate::events::Events;
use crate::script::{call, say};
use serde_json::{Value, json};

const ANSWER: &str = "The poem has three words.";

fn with_all_tools() -> Desk {
    let desk = desk();
    std::fs::write(desk.path("poem.txt"), "a small poem\n").unwrap();
    desk.script(&[
        json!({ "text": "I look first.", "calls": [{ "tool": "list_files" }, { "tool": "read_file", "args": { "path": "poem.txt" } }], "usage": { "input": 7, "output": 3 } }),
        json!({ "calls": [{ "tool": "shell", "args": { "command": "wc -w < poem.txt" } }, { "tool": "search_text", "args": { "pattern": "small" } }] }),
        call("write_file", json!({ "path": "words.txt", "content": "words: 3\n" })),
        call("edit_file", json!({ "path": "words.txt", "old": "words", "new": "all words" })),
        say(ANSWER),
    ]);
    desk
}

#[test]
fn piped_stdout_holds_the_answer_alone_and_stderr_the_story() {
    let desk = with_all_tools();
    let said = desk.run(&[]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), format!("{ANSWER}\n").as_str()), "{}", said.stderr);
    assert_eq!(desk.read("words.txt"), "all words: 3\n");
    for told in ["session ses_", TASK, "I look first.", "shell: exit 0: 3", "edit_file: ok", "done · ", "6 tool calls", "10 tokens"] {
        assert!(said.stderr.contains(told), "{told} in\n{}", said.stderr);
    }
    assert_eq!(desk.spooled(), Vec::<String>::new(), "an outcome that is stored needs no spool");
    assert_eq!(desk.living(), []);
    desk.assert_verified();
}

#[test]
fn a_variable_that_is_no_text_reaches_the_command() {
    use std::os::unix::ffi::OsStrExt;
    let desk = desk();
    desk.script(&[call("shell", json!({ "command": "printf %s \"$ODD\" | od -An -tx1" })), say("Done.")]);
    let odd = std::ffi::OsStr::from_bytes(b"a\xff");
    let output = desk.command(&desk.run_args(&[])).env("ODD", odd).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("exit 0: 61 ff"), "{told}");
}

#[test]
fn quiet_says_the_answer_and_nothing_else() {
    let desk = with_all_tools();
    let said = desk.run(&["--quiet"]);
    assert_eq!((said.code, said.stdout, said.stderr), (Some(0), format!("{ANSWER}\n"), String::new()));
}

#[test]
fn json_is_the_log_between_an_opening_and_a_closing_line() {
    let desk = with_all_tools();
    let said = desk.run(&["--json"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{said:?}");
    let mut told = Events::parse(&said.stdout);
    let (opened, closed) = (told.values.remove(0), told.values.pop().unwrap());
    told.lines = told.lines[1..told.lines.len() - 1].to_vec();
    assert_eq!(opened["type"], "stream.opened");
    assert_eq!(
        (&closed["type"], &closed["outcome"], &closed["exit_code"]),
        (&json!("stream.closed"), &json!("completed"), &json!(0)),
        "{closed}"
    );
    assert_eq!((&closed["tokens"], &closed["open_asks"]), (&json!({ "input": 7, "output": 3, "total": 10 }), &json!([])));
    let session = opened["session"].as_str().unwrap();
    assert_eq!(closed["resume"], format!("thru resume {session}"));
    assert_eq!(told, desk.events(session), "what was told is what is stored, byte for byte");
    told.assert_completed();
    assert_eq!((told.count("action.decided"), told.count("tool.started"), told.count("tool.finished")), (6, 6, 6));
    let tools: Vec<&Value> = told.of("action.decided").iter().map(|decided| &decided["tool"]).collect();
    assert_eq!(tools, ["list_files", "read_file", "shell", "search_text", "write_file", "edit_file"]);
    assert!(told.of("tool.finished").iter().all(|finished| finished["ok"] == true));
}

#[test]
fn events_start_where_one_says_and_tell_the_story_without_json() {
    let desk = with_all_tools();
    let session = Events::parse(&desk.run(&["--json"]).stdout).values[0]["session"].as_str().unwrap().to_owned();
    let all = desk.events(&session);
    let late = Events::parse(&desk.thru(&["events", &session, "--json", "--from", "30"]).stdout);
    assert_eq!(late.lines, all.lines[29..]);
    let story = desk.thru(&["events", &session]);
    assert_eq!(story.code, Some(0));
    assert!(story.stdout.contains(ANSWER) && story.stdout.contains("[1] session"), "{}", story.stdout);
}
