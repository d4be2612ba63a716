//! What is asked about and what is not: modes, rules on the command line, and what an approval for the session adds.

use crate::asking::{ASK, AUTO};
use crate::desk::{Desk, desk};
use crate::script::{call, say, shell};
use serde_json::json;

/// Plays one shell command and says whether it ran, was asked about, or was refused by a rule.
fn fate(command: &str, more: &[&str]) -> &'static str {
    let desk = desk();
    desk.script(&[shell(command), say("told")]);
    let run = desk.spawn_run(more);
    let session = run.session();
    let code = run.wait().code;
    let events = desk.events(&session);
    desk.assert_verified();
    match (code, events.count("tool.finished"), events.count("ask.opened")) {
        (Some(0), 1, 0) => "ran",
        (Some(4), 0, 1) => "asked",
        (Some(5), 0, 0) if events.one("action.withdrawn")["reason"] == "rule" => "refused",
        other => panic!("{other:?} {events:?}"),
    }
}

#[test]
fn a_pattern_allows_one_simple_command_and_nothing_behind_it() {
    let allowed = [ASK, &["--allow", "shell(echo *)"]].concat();
    for command in ["echo a", "echo a b"] {
        assert_eq!(fate(command, &allowed), "ran", "{command}");
    }
    for command in ["echo a; rm x", "echo a && rm x", "echo $(rm x)", "echo a > x", "echo", "ls", "echo a\nrm x"] {
        assert_eq!(fate(command, &allowed), "asked", "{command}");
    }
    assert_eq!(fate("ls; ls", &[ASK, &["--allow", "shell"]].concat()), "ran");
}

/// Whoever mistypes a rule would rely on it in vain.
#[test]
fn a_rule_about_no_tool_is_refused_before_anything_starts() {
    let desk = desk();
    desk.script(&[say("told")]);
    for (flag, rule) in [("--deny", "shel(*)"), ("--allow", "nosuchtool")] {
        let said = desk.run(&[flag, rule]);
        crate::input::assert_fault(&said, 3, &[rule, "names no tool", "shell", "nothing was started"]);
    }
    assert!(!desk.home.exists());
    assert_eq!(desk.run(&["--deny", "process_*", "--allow", "*"]).code, Some(0), "a pattern may name several");
}

#[test]
fn a_rule_that_denies_wins_over_every_mode_and_rule() {
    for mode in ["ask", "auto", "full"] {
        let rules = ["--mode", mode, "--allow", "shell", "--deny", "shell(*rm *)"];
        assert_eq!(fate("touch x; rm x", &rules), "refused", "{mode}");
        assert_eq!(fate("ls", &rules), "ran", "{mode}");
    }
}

#[test]
fn the_mode_says_from_which_risk_on_a_person_is_asked() {
    let asked_about = |mode: &[&str]| -> Vec<&'static str> {
        let write = call("write_file", json!({ "path": "x", "content": "x" }));
        let network = call("shell", json!({ "command": "ls", "network": true }));
        let calls =
            [("list_files", call("list_files", json!({}))), ("write_file", write), ("shell", shell("ls")), ("shell with network", network)];
        let asked = |tool: &serde_json::Value| {
            let desk = desk();
            desk.script(&[tool.clone(), say("told")]);
            match desk.run(mode).code {
                Some(0) => false,
                Some(4) => true,
                other => panic!("{tool}: {other:?}"),
            }
        };
        calls.iter().filter(|(_, tool)| asked(tool)).map(|(name, _)| *name).collect()
    };
    assert_eq!(asked_about(ASK), ["write_file", "shell", "shell with network"]);
    assert_eq!(asked_about(AUTO), ["shell with network"]);
    assert_eq!(asked_about(&[AUTO, &["--unsafe-no-sandbox"]].concat()), ["shell", "shell with network"]);
    assert_eq!(asked_about(&["--mode", "full"]), [""; 0]);
}

#[test]
fn without_a_mode_a_command_is_asked_about_where_no_sandbox_holds_it() {
    let run = |more: &[&str]| {
        let desk = desk();
        desk.script(&[shell("echo ran >> effect"), say("told")]);
        let start = ["run", "--model", "script:job.jsonl", "-C", desk.work.to_str().unwrap(), "Do it"];
        let said = desk.thru(&[&start[..], more].concat());
        (said.code, desk.read("effect"))
    };
    assert_eq!(run(&[]), (Some(0), "ran\n".to_owned()));
    assert_eq!(run(&["--unsafe-no-sandbox"]), (Some(4), String::new()));
}

fn asks_after_approval(desk: &Desk, scope: &str) -> Vec<String> {
    let (session, ask) = desk.parked(ASK);
    assert_eq!(desk.thru(&["approve", &ask, "--scope", scope]).code, Some(0));
    while desk.thru(&["resume", &session]).code == Some(4) {
        assert_eq!(desk.thru(&["approve", &desk.asked(&session)]).code, Some(0));
    }
    let events = desk.events(&session);
    events.assert_completed();
    desk.assert_verified();
    let asked = |opened: &&serde_json::Value| opened["ask"]["subject"]["tool"]["call"].as_str().unwrap().to_owned();
    events.of("ask.opened").iter().map(asked).collect()
}

#[test]
fn an_approval_for_the_session_covers_equal_calls_only() {
    for (scope, asked) in [("session", vec!["call_0_0", "call_2_0"]), ("once", vec!["call_0_0", "call_1_0", "call_2_0"])] {
        let desk = desk();
        // A star in what was approved is a star, not any text.
        desk.script(&[shell("echo * >> effect"), shell("echo * >> effect"), shell("echo x >> effect"), say("told")]);
        assert_eq!(asks_after_approval(&desk, scope), asked, "{scope}");
        assert_eq!(desk.read("effect").lines().count(), 3, "{scope}: each ran once");
    }
}

/// The end of the input of a command is nothing that a rule could name.
#[test]
fn what_no_rule_can_name_is_not_approved_for_the_session() {
    let desk = desk();
    let server = call("shell", json!({ "command": "cat; echo over > effect", "background": true }));
    let close = call("process_input", json!({ "call": "call_0_0", "text": "", "close": true }));
    desk.script(&[server, close, say("told")]);
    let (session, ask) = desk.parked(&[ASK, &["--allow", "shell"]].concat());
    assert_eq!(desk.asks(&session)[0]["rule"], json!(null));
    let before = desk.events(&session);
    desk.assert_refused(&["approve", &ask, "--scope", "session"], 9, &["no rule can name", "it stays open", "nothing was changed"]);
    assert_eq!(desk.events(&session), before);
    assert_eq!(desk.thru(&["approve", &ask]).code, Some(0));
    // The command may end before or after the model has answered, so what is said last is not the point.
    assert_eq!(desk.thru(&["resume", &session]).code, Some(0));
    desk.until_effect("over\n");
}
