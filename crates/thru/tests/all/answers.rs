//! The ways to answer: other arguments, no, no because, no and stop, what became of it.

use crate::asking::ASK;
use crate::desk::desk;
use crate::script::{call, held_back, say, shell, shells};
use serde_json::json;
use std::fs;

const ASKED: &str = "echo asked >> effect";

#[test]
fn edited_arguments_are_what_runs() {
    let desk = desk();
    desk.script(&[shell(ASKED), say("told")]);
    let (session, ask) = desk.parked(ASK);
    let args = json!({ "command": "echo edited >> effect" }).to_string();
    assert_eq!(desk.thru(&["approve", &ask, "--args", &args]).code, Some(0));
    desk.resumed(&session, 0, "told\n");
    assert_eq!((desk.read("effect").as_str(), &desk.status(&session)["tool_calls"]), ("edited\n", &json!(1)), "it is one call");
    let events = desk.events(&session);
    events.assert_completed();
    let decided = events.of("action.decided");
    assert_eq!((decided.len(), &decided[1]["args"]["inline"]), (2, &json!(args)));
    assert_eq!((&decided[1]["replaces"], &events.one("tool.started")["action"]), (&decided[0]["action"], &decided[1]["action"]));
    assert_eq!(events.count("ask.opened"), 1, "what a person wrote is not asked about again");
    desk.assert_verified();
}

#[test]
fn edited_arguments_that_cannot_run_leave_it_asked() {
    let desk = desk();
    desk.script(&[shell(ASKED), say("told")]);
    let (session, ask) = desk.parked(&[ASK, &["--deny", "shell(*forbidden*)"]].concat());
    let before = desk.events(&session);
    for (args, code, word) in [
        ("{", 2, "cannot run"),
        ("[]", 2, "cannot run"),
        (r#"{"cmd":"x"}"#, 2, "cmd"),
        (r#"{"command":" "}"#, 2, "cannot run"),
        (r#"{"command":"echo forbidden"}"#, 5, "shell(*forbidden*)"),
    ] {
        desk.assert_refused(&["approve", &ask, "--args", args], code, &[word, "it stays open"]);
    }
    for more in [&["--args", "{}", "--scope", "session"][..], &["--args", "{}", "--amount", "1"], &["--amount", ""]] {
        desk.assert_refused(&[&["approve", &ask], more].concat(), 2, &["nothing was started"]);
    }
    desk.assert_refused(&["approve", &ask, "--amount", "5"], 9, &["no answer to whether a call may run", "it stays open"]);
    assert_eq!((desk.events(&session), desk.asked(&session)), (before, ask.clone()));
    assert_eq!(desk.thru(&["approve", &ask]).code, Some(0));
    desk.resumed(&session, 0, "told\n");
    assert_eq!(desk.read("effect"), "asked\n");
    desk.assert_verified();
}

#[test]
fn no_is_told_to_the_model_with_its_reason() {
    for (why, note) in [(None, "said no."), (Some("use the staging server"), "use the staging server")] {
        let desk = desk();
        desk.script(&[shell(ASKED), say("understood")]);
        let (session, ask) = desk.parked(ASK);
        let no: Vec<&str> = ["deny", &ask].into_iter().chain(why).collect();
        let said = desk.thru(&no);
        assert!(said.code == Some(0) && said.stdout.starts_with("no, recorded as event"), "{said:?}");
        desk.resumed(&session, 5, "understood\n");
        let events = desk.events(&session);
        events.assert_completed();
        let withdrawn = events.one("action.withdrawn");
        assert_eq!(withdrawn["reason"], "denied");
        assert!(withdrawn["note"]["inline"].as_str().unwrap().contains(note), "{withdrawn}");
        assert_eq!((events.count("tool.started"), desk.read("effect").as_str()), (0, ""));
        desk.assert_verified();
    }
}

#[test]
fn the_code_is_5_only_while_nothing_succeeded_after_the_no() {
    let desk = desk();
    desk.script(&[shell(ASKED), call("list_files", json!({})), say("found another way")]);
    let (session, ask) = desk.parked(ASK);
    assert_eq!(desk.thru(&["deny", &ask]).code, Some(0));
    desk.resumed(&session, 0, "found another way\n");
    desk.events(&session).assert_completed();
    assert_eq!(desk.read("effect"), "");
    desk.assert_verified();
}

#[test]
fn no_and_stop_ends_the_run_as_cancelled() {
    let desk = desk();
    desk.script(&[shell(ASKED), say("never said")]);
    let run = desk.spawn_run(&[ASK, &["--on-ask", "wait"]].concat());
    run.until_event("ask.opened");
    let session = run.session();
    assert_eq!(desk.thru(&["deny", &desk.asked(&session), "wrong project", "--stop"]).code, Some(0));
    assert_eq!(run.wait().code, Some(130));
    let events = desk.events(&session);
    let finished = events.one("run.finished");
    assert_eq!((&finished["outcome"], &finished["reason"]), (&json!("cancelled"), &json!("denied")));
    assert_eq!((events.count("tool.started"), events.count("model.requested")), (0, 1), "the model is not asked again");
    let story = desk.thru(&["events", &session]).stdout;
    assert!(story.contains("local said no, and stop: wrong project"), "{story}");
    let parked = desk.parked(ASK);
    assert_eq!(desk.thru(&["deny", &parked.1, "--stop"]).code, Some(0));
    desk.resumed(&parked.0, 130, "");
    assert_eq!(desk.events(&parked.0).one("run.finished")["outcome"], "cancelled");
    assert_eq!(desk.read("effect"), "");
    desk.assert_verified();
}

/// Many at once, so that an answer is told while others are still on their way.
#[test]
fn whoever_runs_it_unattended_may_say_no_to_everything() {
    let desk = desk();
    let commands: Vec<String> = (0..8).map(|number| format!("echo {number} >> effect")).collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    desk.script(&[shells(&commands), shell("echo more >> effect"), say("understood")]);
    let run = desk.spawn_run(&[ASK, &["--on-ask", "deny"]].concat());
    let session = run.session();
    assert_eq!(run.wait().code, Some(5));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("ask.answered"), events.count("action.withdrawn"), events.count("tool.started")), (9, 9, 0));
    assert_eq!(desk.read("effect"), "");
    desk.assert_verified();
}

/// What was approved was seen as the file stood then.
#[test]
fn a_file_that_changed_since_it_was_approved_is_left_alone() {
    let write = call("write_file", json!({ "path": "note.txt", "content": "new\n" }));
    let edit = call("edit_file", json!({ "path": "note.txt", "old": "old", "new": "new" }));
    for (change, found) in [(write, "mine\n"), (edit, "old and mine\n")] {
        let desk = desk();
        fs::write(desk.path("note.txt"), "old\n").unwrap();
        desk.script(&[call("read_file", json!({ "path": "note.txt" })), change.clone(), say("told")]);
        let (session, ask) = desk.parked(ASK);
        let view = &desk.asks(&session)[0];
        assert!(view["preview"].as_str().is_some_and(|preview| preview.contains("new")), "{view}");
        assert_eq!(desk.thru(&["approve", &ask]).code, Some(0));
        fs::write(desk.path("note.txt"), found).unwrap();
        desk.resumed(&session, 0, "told\n");
        assert_eq!(desk.read("note.txt"), found, "{change}");
        let events = desk.events(&session);
        let [read, finished] = events.of("tool.finished")[..] else { panic!("two ended: {:?}", events.names()) };
        assert_eq!((&read["ok"], &finished["ok"]), (&json!(true), &json!(false)));
        assert!(finished["output"]["inline"].as_str().unwrap().contains("has changed"), "{finished}");
        desk.assert_verified();
    }
}

/// Nobody saw how it ended; whoever looks at the world says whether it happened.
#[test]
fn a_person_says_what_became_of_an_unknown_outcome() {
    for (answer, verdict, note) in [("approve", "happened", "it happened"), ("deny", "not_happened", "did not happen")] {
        let desk = desk();
        let (run, session) = desk.driven(&[shell(&held_back(7)), say("told")], &["--on-unknown", "ask"]);
        desk.until_spooled("began\n");
        desk.kill_supervisors();
        let parked = run.wait();
        assert_eq!(parked.code, Some(4), "{}", parked.stderr);
        let ask = desk.asked(&session);
        assert_eq!(desk.asks(&session)[0]["ask"]["subject"]["reconcile"]["tool"], "shell");
        assert_eq!(desk.thru(&[answer, &ask]).code, Some(0));
        desk.resumed(&session, 0, "told\n");
        let events = desk.events(&session);
        events.assert_completed();
        let reconciled = events.one("tool.reconciled");
        assert_eq!((&reconciled["verdict"], events.count("tool.started")), (&json!(verdict), 1));
        assert!(reconciled["note"]["inline"].as_str().unwrap().contains(note), "{reconciled}");
        assert_eq!((desk.read("effect").as_str(), desk.living(), desk.spooled()), ("began\n", vec![], vec![]));
        desk.assert_verified();
    }
}

/// A no would say that it did not happen, which nobody knows who did not look.
#[test]
fn whoever_says_no_to_everything_does_not_say_what_became_of_an_unknown_action() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(7)), say("never said")], &["--on-unknown", "ask", "--on-ask", "deny"]);
    desk.until_spooled("began\n");
    desk.kill_supervisors();
    assert_eq!(run.wait().code, Some(4));
    let events = desk.events(&session);
    assert_eq!((events.count("ask.opened"), events.count("ask.answered"), events.count("tool.reconciled")), (1, 0, 0));
    assert_eq!(desk.asks(&session)[0]["ask"]["subject"]["reconcile"]["tool"], "shell");
    desk.assert_verified();
}

/// What was refused in an earlier run says nothing about this one.
#[test]
fn a_later_run_without_a_refusal_ends_well() {
    let desk = desk();
    desk.script(&[shell(ASKED), say("understood"), say("gladly")]);
    let (session, ask) = desk.parked(ASK);
    assert_eq!(desk.thru(&["deny", &ask]).code, Some(0));
    desk.resumed(&session, 5, "understood\n");
    desk.resumed(&session, 5, "understood\n");
    let said = desk.thru(&["run", "--session", &session, "Then say something"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "gladly\n"), "{}", said.stderr);
    desk.assert_verified();
}
