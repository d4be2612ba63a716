//! A model that fails in passing is asked again, also across a kill; one that cannot answer is replaced.

use crate::desk::desk;
use crate::script::{say, shell};
use serde_json::{Value, json};

fn fails(class: &str, times: u16) -> Value {
    json!({ "fail": { "class": class, "times": times } })
}

#[test]
fn a_model_that_fails_in_passing_is_asked_again_and_nothing_runs_twice() {
    let desk = desk();
    desk.script(&[shell("echo ran >> effect"), fails("overloaded", 1), say("after all")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    events.assert_completed();
    assert_eq!((events.count("model.failed"), events.count("model.retrying"), events.count("model.requested")), (1, 1, 3));
    assert_eq!(events.one("model.failed")["recoverable"], true);
    assert_eq!(desk.read("effect"), "ran\n");
    desk.assert_verified();
}

/// The wait is in the log, so another process ends it; the failed attempt is not made again before its time.
#[test]
fn a_retry_that_was_waited_for_when_thru_died_is_made_by_the_next() {
    let desk = desk();
    desk.script(&[fails("rate_limited", 1), say("after all")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    run.until_event("model.retrying");
    run.kill();
    let said = desk.thru(&["resume", &session]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "after all\n"), "{}", said.stderr);
    let events = desk.events(&session);
    assert_eq!((events.count("model.retrying"), events.count("model.requested")), (1, 2));
    desk.assert_verified();
}

#[test]
fn another_model_answers_when_the_first_cannot() {
    let desk = desk();
    desk.script(&[fails("auth", 1)]);
    let spare = desk.root.join("spare.jsonl");
    std::fs::write(&spare, say("the spare one answers").to_string()).unwrap();
    let name = format!("script:{}", spare.display());
    let run = desk.spawn_run(&["--fallback", &name]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    assert_eq!(events.of("model.requested").last().unwrap()["model"], json!(name));
    assert_eq!(events.count("model.retrying"), 0, "what cannot pass is not waited for");
    desk.assert_verified();
    let missing = desk.run(&["--fallback", "script:absent.jsonl"]);
    assert_eq!(missing.code, Some(3), "{}", missing.stderr);
}

/// The limit of time comes first, but that is not what is waited for.
#[test]
fn a_retry_is_shown_with_its_own_time() {
    let desk = desk();
    desk.script(&[json!({ "fail": { "class": "rate_limited", "retry_after_ms": 600_000 } }), say("never said")]);
    let run = desk.spawn_run(&["--timeout", "5m"]);
    let session = run.session();
    run.until_event("model.retrying");
    assert_eq!(desk.status(&session)["standing"]["retrying"]["at"], desk.events(&session).one("model.retrying")["at"]);
    run.kill();
}
