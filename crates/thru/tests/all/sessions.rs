//! One job named twice, a session continued, and several processes on one data folder.

use crate::desk::{TASK, desk};
use crate::events::Events;
use crate::script::{held_back, say, shell};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use testkit::until::until;

#[test]
fn the_same_key_is_the_same_job() {
    let desk = desk();
    desk.script(&[shell("echo once >> effect"), say("the answer")]);
    let first = desk.run(&["--key", "nightly"]);
    assert_eq!((first.code, first.stdout.as_str()), (Some(0), "the answer\n"), "{}", first.stderr);
    let again = desk.run(&["--key", "nightly", "--json"]);
    let session = Events::parse(&again.stdout).values[0]["session"].as_str().unwrap().to_owned();
    let before = desk.events(&session);
    let second = desk.run(&["--key", "nightly"]);
    assert_eq!((second.code, second.stdout.as_str()), (Some(0), "the answer\n"), "{}", second.stderr);
    let events = desk.events(&session);
    assert_eq!((events.count("session.created"), events.count("message.received"), events.count("run.started")), (1, 1, 1));
    assert_eq!(events.count("run.finished"), 1);
    assert_eq!(desk.read("effect"), "once\n");
    assert_eq!(events, before, "asking for a finished job again adds nothing to its log");
}

/// Words that come under a key that was used before are another job, and must not be dropped unheard.
#[test]
fn the_same_key_with_other_words_is_a_conflict() {
    let desk = desk();
    desk.script(&[say("one"), say("two")]);
    assert_eq!(desk.run(&["--key", "nightly"]).code, Some(0));
    let session = desk.only_session();
    let before = desk.events(&session);
    let args = ["run", "--model", "script:job.jsonl", "--key", "nightly", "Do something else"];
    desk.assert_refused(&args, 9, &["something else was said", "another key"]);
    desk.assert_refused(&["send", &session, "--key", "nightly", "hurry"], 9, &["something else was said"]);
    assert_eq!(desk.thru(&["send", &session, "--key", "nightly", TASK]).code, Some(0), "the same words are found");
    assert_eq!(desk.events(&session), before);
    assert_eq!(desk.thru(&["send", &session, "--key", "next", "hurry"]).code, Some(0));
    desk.assert_refused(&["send", &session, "--key", "next", "no hurry"], 9, &["something else was said"]);
}

#[test]
fn the_same_key_goes_on_with_a_job_that_was_killed() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), say("the answer")], &["--key", "nightly"]);
    run.kill();
    desk.go();
    let again = desk.run(&["--key", "nightly"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), "the answer\n"), "{}", again.stderr);
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("message.received"), events.count("tool.started")), (1, 1));
    assert_eq!(desk.read("effect"), "began\nended\n");
}

/// Whoever runs the job again by its key is no person who said go on, so the policy holds; `resume` is.
#[test]
fn the_policy_to_ask_holds_until_a_person_resumes() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), say("the answer")], &["--key", "nightly", "--on-resume", "ask"]);
    run.kill();
    desk.go();
    desk.until_quiet();
    let again = desk.run(&["--key", "nightly", "--json"]);
    let closed = Events::parse(&again.stdout).values.pop().unwrap();
    assert_eq!((again.code, &closed["outcome"], &closed["exit_code"]), (Some(4), &json!("awaiting_input"), &json!(4)), "{closed}");
    assert_eq!(closed["open_asks"][0]["subject"], "resume");
    let resumed = desk.thru(&["resume", &session]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (Some(0), "the answer\n"), "{}", resumed.stderr);
    desk.events(&session).assert_completed();
    assert_eq!(desk.read("effect"), "began\nended\n");
}

#[test]
fn a_further_message_grows_the_same_session() {
    let desk = desk();
    desk.script(&[say("one"), say("two")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let before = desk.events(&session);
    let said = desk.thru(&["run", "--session", &session, "And now?"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "two\n"), "{}", said.stderr);
    let events = desk.events(&session);
    assert_eq!(events.lines[..before.lines.len()], before.lines, "what was stored stays as it was");
    let texts: Vec<_> = events.of("message.received").iter().map(|message| message["text"]["inline"].as_str()).collect();
    assert_eq!(texts, [Some(TASK), Some("And now?")]);
    assert_eq!((events.count("session.created"), events.count("run.finished")), (1, 2));
    desk.assert_verified();
}

#[test]
fn two_runs_at_once_share_a_data_folder_and_a_driven_session_is_not_taken() {
    let desk = desk();
    desk.script(&[shell(&held_back(0)), say("done")]);
    let (one, two) = (desk.spawn_run(&[]), desk.spawn_run(&[]));
    let sessions = [one.session(), two.session()];
    desk.until_effect("began\nbegan\n");
    for (session, args) in sessions.iter().zip([["resume"], ["run"]]) {
        let before = desk.events(session);
        let said = match args {
            ["resume"] => desk.thru(&["resume", session]),
            _ => desk.thru(&["run", "--session", session, "hurry"]),
        };
        assert_eq!((said.code, said.stdout.as_str()), (Some(9), ""), "{args:?} {}", said.stderr);
        assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
        assert!(said.stderr.starts_with("thru: ") && said.stderr.contains("driven by another"), "{}", said.stderr);
        assert_eq!(desk.events(session), before, "the other is unaffected");
    }
    desk.go();
    for (run, session) in [one, two].into_iter().zip(&sessions) {
        assert_eq!(run.wait().code, Some(0));
        let events = desk.events(session);
        events.assert_completed();
        assert_eq!((events.count("owner.taken"), events.count("message.received")), (1, 1));
    }
    assert_eq!(desk.read("effect").matches("ended").count(), 2);
    desk.assert_verified();
}

/// As with `| head -1`: nobody reads any more, and nothing more is written.
#[test]
fn following_ends_when_nobody_reads_any_more() {
    let desk = desk();
    desk.script(&[say("done")]);
    assert_eq!(desk.run(&[]).code, Some(0));
    let mut follow = desk.command(&["events", &desk.only_session(), "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut reader = BufReader::new(follow.stdout.take().unwrap());
    assert!(reader.read_line(&mut String::new()).unwrap() > 0);
    drop(reader);
    let status = until("it ends", || follow.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
}

#[test]
fn events_follow_a_session_that_another_process_drives() {
    let desk = desk();
    desk.script(&[shell(&held_back(0)), say("done")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    // The stream is announced before its first event is stored.
    run.until_event("session.created");
    let follow = desk.spawn(&["events", &session, "--json", "--follow"]);
    follow.until_event("tool.started");
    desk.go();
    follow.until_event("run.finished");
    assert_eq!(run.wait().code, Some(0));
    let said = follow.interrupt();
    assert_eq!(said.code, Some(130));
    assert_eq!(Events::parse(&said.stdout), desk.events(&session));
}
