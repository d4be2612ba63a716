//! The sandbox as people meet it: what holds commands by default, where none can be made, and where it is off.

use crate::desk::desk;
use crate::script::{call, held_back, say, shell};
use serde_json::json;
use std::fs;

/// As if this machine could make none; only a build for tests listens to it.
const NONE_POSSIBLE: &[(&str, &str)] = &[("THRU_TEST_NO_SANDBOX", "1")];

#[test]
fn a_command_changes_its_folder_and_nothing_else() {
    let desk = desk();
    let outside = desk.root.join("outside");
    let command = format!("echo in > inside; echo out > {}; cat {}/journal.db > stolen", outside.display(), desk.home.display());
    for (more, escapes) in [(&[][..], false), (&["--unsafe-no-sandbox"], true)] {
        desk.script(&[shell(&command), say("told")]);
        let run = desk.spawn_run(more);
        let session = run.session();
        assert_eq!(run.wait().code, Some(0));
        assert_eq!(desk.read("inside"), "in\n");
        assert_eq!((outside.exists(), fs::metadata(desk.path("stolen")).unwrap().len() > 0), (escapes, escapes));
        let events = desk.events(&session);
        let expected = if escapes { "off" } else { "full" };
        assert_eq!(events.one("action.decided")["prepared"]["sandbox"], expected);
    }
    desk.assert_verified();
}

#[test]
fn where_no_sandbox_can_be_made_commands_are_refused_and_the_doctor_says_so() {
    let desk = desk();
    desk.script(&[shell("echo ran >> effect"), say("told")]);
    let said = desk.thru_with(&desk.run_args(&[]), NONE_POSSIBLE);
    assert_eq!((said.code, desk.read("effect").as_str()), (Some(0), ""), "{}", said.stderr);
    assert!(said.stderr.contains("no sandbox can be made here"), "{}", said.stderr);
    let doctor = desk.thru_with(&["doctor"], NONE_POSSIBLE);
    assert!(doctor.stdout.contains("warn sandbox: no sandbox can be made"), "{}", doctor.stdout);
    assert!(desk.thru(&["doctor"]).stdout.contains("ok   sandbox: commands run in a sandbox"), "this is not so by itself");
    let said = desk.thru_with(&desk.run_args(&["--unsafe-no-sandbox"]), NONE_POSSIBLE);
    assert_eq!((said.code, desk.read("effect").as_str()), (Some(0), "ran\n"), "{}", said.stderr);
}

#[test]
fn a_sandbox_that_is_off_is_shown_everywhere() {
    let desk = desk();
    desk.script(&[shell(&held_back(0)), say("told")]);
    let run = desk.spawn_run(&["--unsafe-no-sandbox"]);
    let session = run.session();
    desk.until_effect("began\n");
    assert_eq!(desk.status(&session)["running"][0]["sandbox"], "off");
    let shown = desk.thru(&["status", &session]).stdout;
    assert!(shown.contains("[no sandbox]"), "{shown}");
    let listed = desk.thru(&["status", "--running"]).stdout;
    assert!(listed.contains("[no sandbox]"), "{listed}");
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    let told = desk.thru(&["events", &session]).stdout;
    assert!(told.contains("[no sandbox]"), "{told}");
    // Whoever goes on with it says it too, or holds to a sandbox again.
    let attached = desk.thru(&["attach", &session, "--unsafe-no-sandbox", "--quiet"]);
    assert!(attached.stderr.contains("the sandbox is off"), "{}", attached.stderr);
    desk.script(&[shell("true"), say("told")]);
    for (more, is_off) in [(&["--unsafe-no-sandbox"][..], true), (&[], false)] {
        let told = desk.run(more).stderr;
        assert_eq!((told.contains("the sandbox is off"), told.contains("[no sandbox]")), (is_off, is_off), "{told}");
    }
}

#[test]
fn no_rule_lets_a_command_have_the_network_that_was_not_asked_about() {
    let desk = desk();
    desk.script(&[call("shell", json!({ "command": "echo ran >> effect", "network": true })), say("told")]);
    let run = desk.spawn_run(&["--mode", "auto"]);
    let session = run.session();
    assert_eq!((run.wait().code, desk.read("effect").as_str()), (Some(4), ""));
    let events = desk.events(&session);
    assert_eq!(
        (&events.one("action.decided")["prepared"]["network"], &events.one("action.decided")["risk"]),
        (&json!(true), &json!("high"))
    );
}

#[test]
fn what_is_temporary_goes_with_its_session() {
    let desk = desk();
    desk.script(&[shell("echo big > /tmp/big; cat /tmp/big > seen"), say("told")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!((run.wait().code, desk.read("seen").as_str()), (Some(0), "big\n"));
    let temps = || fs::read_dir(desk.home.join("temp")).map_or(0, |entries| entries.count());
    desk.until_quiet();
    assert_eq!(temps(), 1, "the session may go on");
    assert!(fs::read_to_string(desk.home.join(format!("temp/session-{session}/big"))).is_ok());
    assert!(desk.thru(&["doctor"]).stdout.contains("nothing needs any more"));
    assert_eq!(desk.thru(&["doctor", "--fix"]).code, Some(0));
    assert_eq!(temps(), 0);
    desk.script(&[shell("true"), say("told")]);
    assert_eq!(desk.run(&[]).code, Some(0));
    desk.until_quiet();
    assert_eq!(temps(), 0, "an empty one does not stay");
    assert_eq!(fs::read_dir(&desk.work).unwrap().count(), 1, "and nothing in the folder but what was made");
}
