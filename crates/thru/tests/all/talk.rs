//! Talking to a session from another process, while it works, after it died, and when nobody drives it.

use crate::desk::desk;
use crate::script::{answers, held_back, say, shell};
use serde_json::{Value, json};
use testkit::until::until;

#[test]
fn a_message_enters_the_run_at_once_and_a_queued_one_becomes_the_next() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), answers("staging", "to staging"), say("it ended"), say("summary")], &[]);
    let steer = desk.thru(&["send", &session, "use staging", "--json"]);
    let told: Value = serde_json::from_str(&steer.stdout).unwrap();
    assert!(told["driven_by"].as_str().is_some_and(|host| host.starts_with("hst_")), "{told}");
    assert_eq!(desk.thru(&["send", &session, "--queue", "then summarise"]).code, Some(0));
    // The command is held back, so the model was asked while it ran.
    desk.until_said(&session, "to staging");
    desk.go();
    let said = run.wait();
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let events = desk.events(&session);
    assert_eq!((events.count("run.started"), events.count("message.received")), (2, 3));
    assert_eq!(events.said(), ["to staging", "it ended", "summary"]);
    assert_eq!(desk.read("effect"), "began\nended\n", "the running command was not disturbed");
    desk.assert_verified();
}

#[test]
fn the_same_key_is_the_same_message_however_often_it_is_sent() {
    let desk = desk();
    desk.script(&[say("one"), say("two")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let versions: Vec<Value> =
        (0..3).map(|_| serde_json::from_str(&desk.thru(&["send", &session, "again", "--key", "k", "--json"]).stdout).unwrap()).collect();
    assert_eq!(versions[0], versions[2]);
    assert_eq!(versions[0]["driven_by"], Value::Null);
    assert_eq!(desk.events(&session).count("message.received"), 2);
    let resumed = desk.thru(&["resume", &session]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (Some(0), "two\n"), "{}", resumed.stderr);
}

#[test]
fn what_was_said_to_a_dead_session_is_seen_when_it_goes_on() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(7)), answers("plan", "new plan")], &[]);
    run.kill();
    let sent = desk.thru(&["send", &session, "change of plan"]);
    assert!(sent.stdout.contains(&format!("thru resume {session}")), "{}", sent.stdout);
    desk.go();
    desk.until_quiet();
    let resumed = desk.thru(&["resume", &session]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (Some(0), "new plan\n"), "{}", resumed.stderr);
    let events = desk.events(&session);
    assert_eq!((&events.one("tool.finished")["exit"], events.count("tool.deferred")), (&json!(7), 0), "nobody is told that it still runs");
    assert!(events.place("tool.finished") < events.names().iter().rposition(|name| *name == "model.requested").unwrap());
    desk.assert_verified();
}

#[test]
fn status_tells_what_runs_what_waits_and_who_drives() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), say("done")], &[]);
    // What is queued waits for as long as the command is held back.
    desk.thru(&["send", &session, "--queue", "hurry"]);
    let status = || desk.status(&session);
    let now = status();
    assert_eq!(
        (&now["standing"], &now["running"][0]["tool"], desk.unseen(&session)),
        (&json!("acting"), &json!("shell"), vec!["hurry".into()])
    );
    assert!(now["holder"].is_string(), "{now}");
    assert!(desk.thru(&["status"]).stdout.contains("tools are running, driven"));
    run.kill();
    until("the host to be seen dead", || status()["holder"].is_null().then_some(()));
    desk.go();
    desk.until_quiet();
    assert_eq!(status()["standing"], "acting", "nobody has looked yet");
    assert_eq!(desk.thru(&["resume", &session]).code, Some(0));
    let after = status();
    assert_eq!((&after["standing"], &after["running"], desk.unseen(&session)), (&json!("at_rest"), &json!([]), vec![]));
}

#[test]
fn nobody_is_talked_to_by_mistake() {
    let desk = desk();
    assert_eq!(desk.thru(&["status"]).code, Some(8));
    desk.script(&[say("hi")]);
    assert_eq!(desk.run(&[]).code, Some(0));
    let unknown = "ses_00000000000000000000000000";
    for args in [&["send", unknown, "x"][..], &["status", unknown]] {
        assert_eq!(desk.thru(args).code, Some(8), "{args:?}");
    }
    for args in [&["send", unknown][..], &["send", unknown, " "], &["send", unknown, "x", "--steer", "--queue"], &["send", "abc", "x"]] {
        assert_eq!(desk.thru(args).code, Some(2), "{args:?}");
    }
}
