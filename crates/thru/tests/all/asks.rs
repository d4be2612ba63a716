//! What is asked is shown whole, answered once by whoever is first, and only then done.

use crate::asking::ASK;
use crate::desk::desk;
use crate::script::{held_back, say, shell, shells};
use contract::port::Clock;
use serde_json::json;
use testkit::until::until;
use throughline::SystemClock;

/// Leaves one line each time it runs.
const LEAVES_A_LINE: &str = "echo ran >> effect";

#[test]
fn a_call_that_is_asked_about_parks_with_4_and_is_shown_whole() {
    let desk = desk();
    let long: String = (0..1_500).map(|number| format!("echo line-{number} >> effect\n")).collect();
    desk.script(&[shell(&long), say("told")]);
    let said = desk.run(ASK);
    assert_eq!((said.code, said.stdout.as_str()), (Some(4), ""), "{}", said.stderr);
    for told in ["May shell run? (medium risk)", "thru approve ask_", "waiting for you", "go on with: thru resume ses_"] {
        assert!(said.stderr.contains(told), "{told} in {}", said.stderr);
    }
    let session = said.stderr.trim_end().rsplit(' ').next().unwrap();
    let listed = desk.thru(&["approvals"]).stdout;
    for shown in [&said.stderr, &listed, &desk.thru(&["status", session]).stdout] {
        let lines = shown.lines().filter(|line| line.trim().starts_with("echo line-")).count();
        assert_eq!(lines, 1_500, "every line of the command, none shortened:\n{shown}");
    }
    let ask = &desk.asks(session)[0];
    assert_eq!(ask["args"], json!({ "command": long }).to_string());
    assert_eq!(ask["ask"]["subject"]["tool"]["tool"], "shell");
    let events = desk.events(session);
    assert_eq!((events.count("ask.opened"), events.count("tool.started"), events.count("run.finished")), (1, 0, 0));
    assert_eq!((desk.read("effect").as_str(), desk.status(session)["standing"]["parked"]["asks"][0].as_str()), ("", Some("tool")));
    desk.assert_verified();
}

#[test]
fn json_ends_with_what_is_asked_and_quiet_says_it_too() {
    let desk = desk();
    desk.script(&[shell(LEAVES_A_LINE), say("told")]);
    let told = desk.run(&[ASK, &["--json"]].concat());
    let closed = told.closed();
    assert_eq!((told.code, &closed["outcome"], &closed["exit_code"]), (Some(4), &json!("awaiting_input"), &json!(4)));
    assert_eq!(closed["open_asks"][0]["subject"]["tool"]["call"], "call_0_0");
    let quiet = desk.run(&[ASK, &["--quiet"]].concat());
    assert_eq!((quiet.code, quiet.stdout.as_str()), (Some(4), ""));
    assert!(quiet.stderr.contains(LEAVES_A_LINE) && quiet.stderr.contains("thru approve ask_"), "{}", quiet.stderr);
    assert_eq!(desk.thru(&["approvals", "--json"]).stdout.lines().count(), 2, "of both sessions");
    desk.assert_verified();
}

#[test]
fn what_is_approved_runs_once_when_it_is_resumed() {
    let desk = desk();
    desk.script(&[shell(LEAVES_A_LINE), say("told")]);
    let (session, ask) = desk.parked(ASK);
    let yes = desk.thru(&["approve", &ask]);
    assert_eq!(yes.code, Some(0), "{}", yes.stderr);
    assert!(yes.stdout.contains(&format!("nobody drives the session: thru resume {session}")), "{}", yes.stdout);
    assert_eq!(desk.read("effect"), "", "nobody drives it, so nothing runs yet");
    desk.assert_refused(&["approve", &ask], 9, &["local has said yes already", "nothing was changed"]);
    desk.assert_refused(&["deny", &ask], 9, &["local has said yes already"]);
    assert_eq!(desk.thru(&["approvals"]).stdout, "nothing waits for you\n");
    desk.resumed(&session, 0, "told\n");
    desk.assert_refused(&["approve", &ask], 9, &["local has said yes already"]);
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("tool.started"), events.count("ask.answered"), events.count("model.requested")), (1, 1, 2));
    assert_eq!(desk.read("effect"), "ran\n");
    desk.assert_verified();
}

#[test]
fn nothing_is_asked_that_is_not_there() {
    let desk = desk();
    let nobody = "ask_00000000000000000000000000";
    desk.script(&[say("fine")]);
    desk.assert_refused(&["approve", nobody], 8, &["no session"]);
    assert_eq!(desk.run(ASK).code, Some(0));
    for command in ["approve", "deny"] {
        desk.assert_refused(&[command, nobody], 8, &[nobody, "nothing was changed"]);
        desk.assert_refused(&[command, "nonsense"], 2, &["ask_"]);
    }
    assert_eq!(desk.thru(&["approvals", "--json"]).stdout, "");
}

#[test]
fn an_answer_from_another_process_reaches_a_run_that_waits() {
    let desk = desk();
    desk.script(&[shell(LEAVES_A_LINE), say("told")]);
    let run = desk.spawn_run(&[ASK, &["--on-ask", "wait"]].concat());
    run.until_event("ask.opened");
    let session = run.session();
    let yes = desk.thru(&["approve", &desk.asked(&session), "--json"]);
    let told: serde_json::Value = serde_json::from_str(&yes.stdout).unwrap();
    assert_eq!((&told["session"], &told["answer"]), (&json!(session), &json!("yes")));
    assert!(told["driven_by"].as_str().is_some_and(|host| host.starts_with("hst_")), "{told}");
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("owner.taken"), events.count("tool.started")), (1, 1), "nobody had to resume it");
    assert_eq!(desk.read("effect"), "ran\n");
    desk.assert_verified();
}

#[test]
fn of_many_who_answer_at_once_one_is_heard_and_it_runs_once() {
    let desk = desk();
    desk.script(&[shell(LEAVES_A_LINE), say("told")]);
    let (session, ask) = desk.parked(ASK);
    let answers: Vec<_> = (0..8).map(|_| desk.spawn(&["approve", &ask])).collect();
    let mut codes: Vec<_> = answers.into_iter().map(|answer| answer.wait().code.unwrap()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 9, 9, 9, 9, 9, 9, 9]);
    desk.resumed(&session, 0, "told\n");
    let events = desk.events(&session);
    assert_eq!((events.count("ask.answered"), events.count("tool.started")), (1, 1));
    assert_eq!(desk.read("effect"), "ran\n");
    desk.assert_verified();
}

#[test]
fn the_same_key_is_the_same_answer_and_another_ask_needs_its_own() {
    let desk = desk();
    desk.script(&[shell(LEAVES_A_LINE), shell("echo more >> effect"), say("told")]);
    let (session, ask) = desk.parked(ASK);
    let approve = |ask: &str| desk.thru(&["approve", ask, "--key", "k", "--json"]);
    let both = [desk.spawn(&["approve", &ask, "--key", "k"]), desk.spawn(&["approve", &ask, "--key", "k"])];
    assert_eq!(both.map(|answer| answer.wait().code), [Some(0), Some(0)], "at once");
    let (first, second) = (approve(&ask), approve(&ask));
    assert_eq!((first.code, second.code, &first.stdout), (Some(0), Some(0), &second.stdout));
    desk.assert_refused(&["approve", &ask, "--key", "other"], 9, &["already"]);
    desk.assert_refused(&["deny", &ask, "--key", "k"], 9, &["already"]);
    assert_eq!(desk.thru(&["resume", &session]).code, Some(4));
    assert_eq!(approve(&desk.asked(&session)).code, Some(0), "the same key on another ask is another answer");
    assert_eq!(approve(&ask).stdout, first.stdout, "also when more was said since");
    desk.resumed(&session, 0, "told\n");
    assert_eq!((desk.events(&session).count("ask.answered"), desk.read("effect").as_str()), (2, "ran\nmore\n"));
    desk.assert_verified();
}

/// Nobody answers: the call is not run, the model is told, and it counts as a refusal.
#[test]
fn an_ask_that_nobody_answers_in_time_expires() {
    let desk = desk();
    desk.script(&[shell(LEAVES_A_LINE), say("told")]);
    let run = desk.spawn_run(&[ASK, &["--ask-timeout", "1s", "--on-ask", "wait"]].concat());
    run.until_event("ask.opened");
    let session = run.session();
    let ask = desk.events(&session).one("ask.opened")["ask"]["ask"].as_str().unwrap().to_owned();
    assert_eq!(run.wait().code, Some(5));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!(events.one("ask.expired")["ask"], json!(ask));
    assert_eq!((&events.one("action.withdrawn")["reason"], events.count("tool.started")), (&json!("expired"), 0));
    desk.assert_refused(&["approve", &ask], 9, &["nobody answered in time"]);
    assert_eq!(desk.read("effect"), "");
    desk.assert_verified();
}

/// The time is in the ask, not in a process: an answer that comes too late is refused although nobody noted the expiry.
#[test]
fn an_answer_after_the_time_is_refused_also_when_nobody_drives() {
    let desk = desk();
    desk.script(&[shell(LEAVES_A_LINE), say("told")]);
    let (session, ask) = desk.parked(&[ASK, &["--ask-timeout", "1s"]].concat());
    let end = desk.asks(&session)[0]["ask"]["until"].as_u64().unwrap();
    until("the end of the time", || (SystemClock.now().0 >= end).then_some(()));
    desk.assert_refused(&["approve", &ask], 9, &["nobody answered in time"]);
    desk.resumed(&session, 5, "told\n");
    assert_eq!((desk.events(&session).count("ask.expired"), desk.read("effect").as_str()), (1, ""));
    desk.assert_verified();
}

/// What else runs is not held up, and what is asked survives a kill.
#[test]
fn an_ask_survives_a_kill_and_is_answered_while_nobody_drives() {
    let desk = desk();
    desk.script(&[shells(&[&held_back(0), "echo asked >> effect"]), say("told")]);
    let run = desk.spawn_run(&[ASK, &["--allow", &format!("shell({})", held_back(0)), "--on-ask", "wait"]].concat());
    run.until_event("ask.opened");
    let session = run.session();
    desk.until_effect("began\n");
    run.kill();
    assert_eq!(desk.thru(&["approve", &desk.asked(&session)]).code, Some(0));
    let resume = desk.spawn(&["resume", &session]);
    desk.until_effect("began\nasked\n");
    desk.go();
    assert_eq!(resume.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("tool.started"), events.count("tool.adopted"), events.count("ask.opened")), (2, 1, 1));
    assert_eq!(desk.read("effect"), "began\nasked\nended\n");
    desk.assert_verified();
}

/// What an earlier process was told in the story is shown whole to whoever comes later.
#[test]
fn what_is_still_asked_is_shown_whole_after_a_resume() {
    let desk = desk();
    desk.script(&[shell(LEAVES_A_LINE), say("told")]);
    let (session, ask) = desk.parked(ASK);
    let resumed = desk.thru(&["resume", &session]);
    assert_eq!(resumed.code, Some(4), "{}", resumed.stderr);
    for told in ["May shell run? (medium risk)\n", &format!("{ask} in {session}"), LEAVES_A_LINE] {
        assert!(resumed.stderr.contains(told), "{told} in {}", resumed.stderr);
    }
}

/// Events are read by the thousand; what is asked in between two reads of old ones is not asked any more.
#[test]
fn what_was_answered_long_ago_is_not_shown_as_asked() {
    let desk = desk();
    let look = json!({ "calls": [{ "tool": "read_file", "args": { "path": "absent-{i}" } }], "repeat": 198 });
    desk.script(&[look, shell(LEAVES_A_LINE), say("told")]);
    let (session, ask) = desk.parked(&[ASK, &["--max-turns", "1000"]].concat());
    let opened = desk.events(&session).lines.len();
    assert!((990..=1_000).contains(&opened), "{opened}");
    for _ in opened..1_000 {
        assert_eq!(desk.thru(&["send", &session, "?"]).code, Some(0));
    }
    assert_eq!(desk.thru(&["approve", &ask]).code, Some(0));
    let resumed = desk.resumed(&session, 0, "told\n");
    assert!(!resumed.stderr.contains("thru approve ask_"), "{}", resumed.stderr);
    assert_eq!(desk.read("effect"), "ran\n");
}
