//! How a run can end other than well, and a session that has nothing left to do.

use crate::desk::desk;
use crate::script::{say, shell};
use serde_json::{Value, json};

/// Each end once, its exit code, and the same again from a resume that has nothing to do.
#[test]
fn every_end_has_its_exit_code_and_a_resume_repeats_it_without_a_trace() {
    let again = |script: &[Value], more: &[&str], code: i32, outcome: &str, reason: Value| {
        let desk = desk();
        desk.script(script);
        let run = desk.spawn_run(more);
        let session = run.session();
        let said = run.wait();
        assert_eq!((said.code, &said.closed()["outcome"]), (Some(code), &json!(outcome)), "{said:?}");
        let before = desk.events(&session);
        let finished = before.one("run.finished");
        assert_eq!((&finished["outcome"], &finished["reason"]), (&json!(outcome), &reason));
        let resumed = desk.thru(&["resume", &session]);
        assert_eq!(resumed.code, Some(code), "{resumed:?}");
        assert!(resumed.stderr.contains("nothing to resume") && !resumed.stderr.contains("going on with"), "{resumed:?}");
        assert_eq!(desk.events(&session), before, "a resume of a session at rest adds nothing");
        desk.assert_verified();
        resumed.stdout
    };
    let loops = [json!({ "calls": [{ "tool": "shell", "args": { "command": "echo {i} >> effect" } }], "repeat": 9 })];
    assert_eq!(again(&[say("fine")], &[], 0, "completed", Value::Null), "fine\n");
    again(&loops, &["--max-turns", "2", "--on-ask", "deny"], 6, "limit", json!("turn_limit"));
    let refused = [json!({ "fail": { "class": "permanent", "times": 99 } })];
    assert_eq!(again(&refused, &[], 1, "failed", json!("model_failed")), "");
    let empty = [json!({ "thinking": "hm", "repeat": 9 })];
    assert_eq!(again(&empty, &[], 1, "failed", json!("empty_reply")), "");
}

#[test]
fn a_bad_call_is_told_to_the_model_and_the_run_goes_on() {
    let desk = desk();
    let calls =
        json!([{ "tool": "fly" }, { "tool": "shell", "args": { "cmd": "x" } }, { "tool": "read_file", "args": { "path": "absent" } }]);
    desk.script(&[json!({ "calls": calls }), shell("exit 3"), say("understood")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert!(events.of("action.withdrawn").iter().all(|withdrawn| withdrawn["reason"] == "invalid"));
    assert_eq!(events.of("tool.finished").last().unwrap()["exit"], 3);
}

/// Words that were said on the way, or in an earlier run, are not the answer of a run that failed.
#[test]
fn a_run_that_failed_has_no_final_answer() {
    let desk = desk();
    let refused = json!({ "fail": { "class": "permanent", "times": 99 } });
    desk.script(&[say("the first answer"), json!({ "text": "I begin.", "calls": [{ "tool": "list_files" }] }), refused]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let said = desk.thru(&["run", "--session", &session, "And more"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{}", said.stderr);
}
