//! Limits: reached, the work waits for a person; extended, it goes on; refused, it ends and says so.

use crate::desk::{Desk, desk};
use crate::script::{held_back, say, shell, shells};
use serde_json::{Value, json};

/// Runs the script until a limit stands in the way; gives the session and what is asked.
#[track_caller]
fn at_limit(desk: &Desk, more: &[&str], limit: &str) -> (String, String) {
    let run = desk.spawn_run(more);
    let session = run.session();
    let said = run.wait();
    let closed = said.closed();
    assert_eq!((said.code, &closed["outcome"], &closed["exit_code"]), (Some(6), &json!("awaiting_input"), &json!(6)), "{closed}");
    assert_eq!(closed["open_asks"][0]["subject"]["limit"]["limit"], limit);
    let ask = desk.asked(&session);
    (session, ask)
}

fn reached(desk: &Desk, session: &str) -> (u64, u64) {
    let limit = &desk.asks(session)[0]["ask"]["subject"]["limit"];
    (limit["used"].as_u64().unwrap(), limit["allowed"].as_u64().unwrap())
}

fn line(name: &str) -> Value {
    shell(&format!("echo {name} >> effect"))
}

#[test]
fn tool_calls_that_are_used_up_are_asked_for_and_extended() {
    let desk = desk();
    desk.script(&[line("one"), line("two"), line("three"), line("four"), say("told")]);
    let (session, ask) = at_limit(&desk, &["--max-tool-calls", "1"], "tool_calls");
    assert_eq!((desk.read("effect").as_str(), reached(&desk, &session)), ("one\n", (1, 1)));
    let shown = desk.thru(&["approvals"]).stdout;
    assert!(shown.contains("The limit of tool calls is reached: 1 of 1 used. Shall it go on?"), "{shown}");
    desk.assert_refused(&["approve", &ask, "--scope", "session"], 9, &["no answer to whether a limit may be extended"]);
    desk.assert_refused(&["approve", &ask, "--args", "{}"], 9, &["no answer to whether a limit may be extended", "it stays open"]);
    desk.assert_refused(&["approve", &ask, "--amount", "0"], 2, &["0 is no amount", "whole number above zero"]);
    let status = desk.status(&session);
    assert_eq!((&status["run"]["turns"], &status["run"]["turns_allowed"]), (&json!(2), &json!(150)));
    assert!(desk.thru(&["status", &session]).stdout.contains("2 turns (2 of 150 in this run), 1 tool call"));
    assert_eq!(desk.thru(&["approve", &ask, "--amount", "2"]).code, Some(0));
    assert_eq!(desk.thru(&["resume", &session]).code, Some(6), "two more and no further");
    assert_eq!((desk.read("effect").as_str(), reached(&desk, &session)), ("one\ntwo\nthree\n", (3, 3)));
    assert_eq!(desk.thru(&["send", &session, "yes"]).code, Some(0), "as much again as at first");
    desk.resumed(&session, 0, "told\n");
    assert_eq!(desk.read("effect"), "one\ntwo\nthree\nfour\n");
    desk.events(&session).assert_completed();
    desk.assert_verified();
}

/// What fits is run, what does not waits; nothing is run beyond the limit because it came in the same reply.
#[test]
fn calls_of_one_reply_are_held_at_the_limit_too() {
    let desk = desk();
    desk.script(&[shells(&["echo one >> effect", "echo two >> effect", "echo three >> effect"]), say("told")]);
    let (session, ask) = at_limit(&desk, &["--max-tool-calls", "2"], "tool_calls");
    assert_eq!(desk.events(&session).count("tool.started"), 2);
    assert_eq!(desk.thru(&["approve", &ask]).code, Some(0));
    desk.resumed(&session, 0, "told\n");
    let mut lines: Vec<String> = desk.read("effect").lines().map(str::to_owned).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["one", "three", "two"]);
    desk.assert_verified();
}

/// A call that was refused was not made, and one whose end nobody saw may have used all that it could.
#[test]
fn the_end_counts_what_status_and_limits_count() {
    let desk = desk();
    let slow = json!({ "text": "told", "delay_ms": 600_000 });
    desk.script(&[shell("echo ran >> effect"), slow]);
    let run = desk.spawn_run(&["--deny", "shell"]);
    let session = run.session();
    desk.until_count(&session, "model.requested", 2);
    run.kill();
    desk.script(&[shell("echo ran >> effect"), say("told")]);
    let closed = desk.thru(&["resume", &session, "--json"]).closed();
    let status = desk.status(&session);
    assert_eq!((&closed["tool_calls"], &closed["tokens"]["total"]), (&status["tool_calls"], &status["tokens"]), "{closed}");
    assert_eq!(closed["turns"], status["turns"]);
    let told = desk.thru(&["resume", &session]).stderr;
    let tokens = status["tokens"].as_u64().unwrap();
    assert!(tokens > 0 && told.contains(&format!("0 tool calls · {tokens} tokens")), "{told}");
}

#[test]
fn tokens_that_are_used_up_are_asked_for() {
    let desk = desk();
    let first = json!({ "calls": [{ "tool": "list_files" }], "usage": { "input": 30_000, "output": 20_000 } });
    desk.script(&[first, say("told")]);
    let (session, ask) = at_limit(&desk, &["--max-tokens", "50000"], "tokens");
    assert_eq!(reached(&desk, &session), (50_000, 50_000));
    assert_eq!(desk.thru(&["approve", &ask, "--amount", "50000"]).code, Some(0));
    desk.resumed(&session, 0, "told\n");
    assert_eq!(desk.status(&session)["tokens"], 50_000);
    desk.assert_verified();
}

#[test]
fn money_that_is_used_up_is_asked_for() {
    let desk = desk();
    desk.script(&[json!({ "calls": [{ "tool": "list_files" }], "cost": 0.6 }), json!({ "text": "told", "cost": 0.6 })]);
    let (session, ask) = at_limit(&desk, &["--max-cost", "1.00"], "cost");
    assert_eq!(reached(&desk, &session), (600_000, 1_000_000), "another call like the last would not fit");
    let shown = desk.thru(&["approvals"]).stdout;
    assert!(shown.contains("The next step may go beyond the limit of money: 0.6000 of 1.0000 used. Shall it go on?"), "{shown}");
    desk.assert_refused(&["approve", &ask, "--amount", "10m"], 2, &["10m is no amount", "as in 0.50", "it stays open"]);
    assert_eq!(desk.thru(&["approve", &ask, "--amount", "0.50"]).code, Some(0));
    desk.resumed(&session, 0, "told\n");
    assert_eq!(desk.status(&session)["cost_micros"], 1_200_000);
    desk.assert_verified();
}

/// The command goes on while a person is asked; nothing else begins.
#[test]
fn time_that_is_used_up_is_asked_for_and_the_command_goes_on() {
    let desk = desk();
    desk.script(&[shell(&held_back(7)), say("told")]);
    let run = desk.spawn_run(&["--timeout", "1s", "--on-ask", "wait"]);
    run.until_event("ask.opened");
    let session = run.session();
    assert_eq!(desk.events(&session).one("ask.opened")["ask"]["subject"]["limit"]["limit"], "wall_time");
    desk.go();
    desk.until_count(&session, "tool.finished", 1);
    assert_eq!(desk.events(&session).count("model.requested"), 1, "nothing begins before the answer");
    assert_eq!(desk.thru(&["approve", &desk.asked(&session), "--amount", "10m"]).code, Some(0));
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("tool.started"), &events.one("tool.finished")["exit"]), (1, &json!(7)));
    assert_eq!(desk.read("effect"), "began\nended\n");
    desk.assert_verified();
}

#[test]
fn a_limit_that_is_not_extended_ends_the_work_as_a_limit() {
    for words in [&["deny"][..], &["send"]] {
        let desk = desk();
        desk.script(&[line("one"), line("two"), say("never said")]);
        let (session, ask) = at_limit(&desk, &["--max-tool-calls", "1"], "tool_calls");
        let said = match words {
            ["deny"] => desk.thru(&["deny", &ask]),
            _ => desk.thru(&["send", &session, "no"]),
        };
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        desk.resumed(&session, 6, "");
        let events = desk.events(&session);
        let finished = events.one("run.finished");
        assert_eq!((&finished["outcome"], &finished["reason"]), (&json!("limit"), &json!("budget")));
        assert_eq!((desk.read("effect").as_str(), events.count("model.requested")), ("one\n", 2));
        desk.assert_verified();
    }
}

/// A message to work that waits at its limit is kept for later; it does not lift the limit.
#[test]
fn a_message_does_not_lift_a_limit() {
    let desk = desk();
    desk.script(&[line("one"), line("two"), say("told")]);
    let (session, ask) = at_limit(&desk, &["--max-tool-calls", "1"], "tool_calls");
    assert_eq!(desk.thru(&["send", &session, "please go on"]).code, Some(0));
    assert_eq!(desk.thru(&["resume", &session]).code, Some(6), "neither does resuming it");
    assert_eq!((desk.asked(&session), desk.read("effect").as_str()), (ask.clone(), "one\n"));
    assert_eq!(desk.thru(&["approve", &ask]).code, Some(0));
    desk.resumed(&session, 0, "told\n");
    let events = desk.events(&session);
    assert_eq!(events.one("action.withdrawn")["reason"], "newer_message", "the model decides anew with the message in view");
    desk.assert_verified();
}

/// The same call with the same result again and again: first the model is told, then a person is asked.
#[test]
fn a_model_that_repeats_itself_is_corrected_and_then_a_person_is_asked() {
    let desk = desk();
    let again = json!({ "calls": [{ "tool": "shell", "args": { "command": "echo x >> effect; echo same" } }], "repeat": 6 });
    desk.script(&[again, say("told")]);
    let (session, ask) = at_limit(&desk, &[], "loop");
    assert_eq!((desk.read("effect").lines().count(), reached(&desk, &session)), (5, (5, 5)));
    let events = desk.events(&session);
    let nudged: Vec<usize> =
        events.of("model.requested").iter().enumerate().filter(|(_, asked)| !asked["nudge"].is_null()).map(|(place, _)| place).collect();
    assert_eq!(nudged, [3], "told once, after the third");
    assert_eq!(desk.thru(&["approve", &ask]).code, Some(0));
    desk.resumed(&session, 0, "told\n");
    assert_eq!(desk.read("effect").lines().count(), 6);
    desk.assert_verified();
}

/// A run that has used its turns waits; more are given, and when no more are given it says what it has.
#[test]
fn turns_that_are_used_up_are_asked_for_and_at_last_the_model_must_answer() {
    let desk = desk();
    desk.script(&[line("one"), line("two"), line("three"), line("four"), say("what I have")]);
    let (session, ask) = at_limit(&desk, &["--max-turns", "1"], "turns");
    assert_eq!((desk.read("effect").as_str(), reached(&desk, &session)), ("one\n", (1, 1)));
    let shown = desk.thru(&["approvals"]).stdout;
    assert!(shown.contains("The limit of turns is reached: 1 of 1 used. Shall it go on?"), "{shown}");
    assert_eq!(desk.thru(&["approve", &ask, "--amount", "2"]).code, Some(0));
    assert_eq!(desk.thru(&["resume", &session]).code, Some(6), "two more and no further");
    assert_eq!((desk.read("effect").as_str(), reached(&desk, &session)), ("one\ntwo\nthree\n", (3, 3)));
    assert_eq!(desk.thru(&["send", &session, "yes"]).code, Some(0), "as much again as at first");
    assert_eq!(desk.thru(&["resume", &session]).code, Some(6));
    assert_eq!(desk.thru(&["deny", &desk.asked(&session)]).code, Some(0));
    desk.resumed(&session, 6, "what I have\n");
    let events = desk.events(&session);
    let finished = events.one("run.finished");
    assert_eq!((&finished["outcome"], &finished["reason"]), (&json!("limit"), &json!("turn_limit")));
    assert_eq!(desk.read("effect"), "one\ntwo\nthree\nfour\n");
    desk.assert_verified();
}

#[test]
fn nobody_to_ask_means_one_last_answer_when_the_turns_are_used_up() {
    let desk = desk();
    desk.script(&[line("one"), line("two"), say("never said")]);
    let run = desk.spawn_run(&["--max-turns", "1", "--on-ask", "deny"]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(6));
    let events = desk.events(&session);
    assert_eq!(events.one("action.withdrawn")["reason"], "limit", "the last reply may not act");
    assert_eq!((desk.read("effect").as_str(), events.count("model.requested")), ("one\n", 2));
    desk.assert_verified();
}

/// The environment of a person who set this once.
fn set_once(desk: &Desk, text: &str) -> String {
    let config = desk.root.join("config");
    std::fs::create_dir_all(config.join("throughline")).unwrap();
    std::fs::write(config.join("throughline/config.toml"), text).unwrap();
    config.to_str().unwrap().to_owned()
}

#[test]
fn a_day_that_is_spent_is_asked_about_and_other_sessions_count() {
    let desk = desk();
    let config = set_once(&desk, "[budget]\nper_day = 1.5\n");
    let with = |args: &[&str]| desk.thru_with(args, &[("XDG_CONFIG_HOME", &config)]);
    desk.script(&[json!({ "text": "told", "cost": 1.0 })]);
    assert_eq!(with(&desk.run_args(&[])).code, Some(0), "1.0 of 1.5");
    assert_eq!(with(&desk.run_args(&[])).code, Some(0), "still below it before the call");
    let third = with(&desk.run_args(&["--json"]));
    let closed = third.closed();
    assert_eq!((third.code, &closed["open_asks"][0]["subject"]["limit"]["limit"]), (Some(6), &json!("day")), "{closed}");
    let session = closed["session"].as_str().unwrap().to_owned();
    assert_eq!(reached(&desk, &session), (2_000_000, 1_500_000));
    let shown = desk.thru(&["approvals"]).stdout;
    assert!(shown.contains("The limit of money a day is reached: 2.0000 of 1.5000 used. Shall it go on?"), "{shown}");
    let ask = desk.asked(&session);
    assert_eq!(with(&["approve", &ask, "--amount", "1.00"]).code, Some(0));
    assert_eq!(with(&["resume", &session]).code, Some(0));
    let events = desk.events(&session);
    assert_eq!((events.count("model.failed"), events.count("model.completed")), (1, 1), "nobody was asked when it was not allowed");
    let told = desk.thru(&["events", &session]).stdout;
    assert!(told.contains("not asked: 2.0000 of the 1.5000 that a day may cost are spent"), "{told}");
    desk.assert_verified();
}

#[test]
fn a_person_is_warned_of_cost_and_of_a_model_that_says_nothing() {
    let desk = desk();
    let config = set_once(&desk, "[budget]\nwarn_cost = 0.5\nslow_call = 0.05\n");
    let slow = json!({ "calls": [{ "tool": "shell", "args": { "command": "true" } }], "cost": 0.6, "delay_ms": 400 });
    desk.script(&[slow, json!({ "text": "told", "cost": 0.6 })]);
    let said = desk.thru_with(&desk.run_args(&[]), &[("XDG_CONFIG_HOME", &config)]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stderr.contains("careful: this session has cost 0.6000, more than 0.5000"), "{}", said.stderr);
    assert!(said.stderr.contains("the model has said nothing for"), "{}", said.stderr);
    let quiet = desk.thru_with(&desk.run_args(&[]), &[("XDG_CONFIG_HOME", "/nowhere")]);
    assert!(!quiet.stderr.contains("careful") && !quiet.stderr.contains("nothing for"), "{}", quiet.stderr);
}

#[test]
fn a_budget_that_cannot_be_is_refused_with_its_name_and_a_project_sets_none_by_itself() {
    let desk = desk();
    desk.script(&[say("told")]);
    let config = set_once(&desk, "[budget]\nper_day = -1\n");
    let said = desk.thru_with(&desk.run_args(&[]), &[("XDG_CONFIG_HOME", &config)]);
    crate::input::assert_fault(&said, 3, &["config.toml", "budget.per_day must be between 0 and"]);
    let file = desk.work.join(".throughline/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "[budget]\nper_day = 1000\n").unwrap();
    crate::input::assert_fault(&desk.run(&[]), 3, &["a budget", "not trusted"]);
}
