//! What `thru doctor` finds, what it mends, and what it leaves alone.

use crate::desk::{Desk, desk};
use crate::rewind::log;
use crate::script::{held_back, say, shell};
use rusqlite::params;
use serde_json::Value;
use std::fs;

/// Everything that was found, by check and verdict.
#[track_caller]
fn found(desk: &Desk, args: &[&str], code: i32) -> Vec<(String, String, String, Option<String>)> {
    let said = desk.thru(&[&["doctor", "--json"], args].concat());
    assert_eq!((said.code, said.stderr.as_str()), (Some(code), ""), "{said:?}");
    let lines = said.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    lines.map(|line| (text(&line["check"]), text(&line["verdict"]), text(&line["what"]), line["fix"].as_str().map(str::to_owned))).collect()
}

/// What is not well: check, verdict, what and fix as one text.
#[track_caller]
fn complaints(desk: &Desk, args: &[&str], code: i32) -> Vec<String> {
    let bad = found(desk, args, code).into_iter().filter(|(_, verdict, ..)| verdict != "ok");
    bad.map(|(check, verdict, what, fix)| format!("{verdict} {check}: {what} | {}", fix.unwrap())).collect()
}

fn used() -> (Desk, String) {
    let desk = desk();
    desk.script(&[shell("yes line | head -c 40000"), say("fine")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    (desk, session)
}

#[test]
fn a_data_folder_that_is_well_gets_a_line_for_each_check() {
    let (desk, _) = used();
    let checks: Vec<(String, String)> = found(&desk, &[], 0).into_iter().map(|(check, verdict, ..)| (check, verdict)).collect();
    let names = [
        "versions",
        "folder",
        "database",
        "journal",
        "hosts",
        "chains",
        "leases",
        "daemon",
        "processes",
        "spool",
        "blobs",
        "views",
        "sandbox",
        "model",
    ];
    assert_eq!(checks, names.map(|name| (name.to_owned(), "ok".to_owned())));
    let said = desk.thru(&["doctor"]);
    assert_eq!(said.stdout.lines().count(), names.len(), "{said:?}");
    assert!(said.stdout.lines().all(|line| line.starts_with("ok   ") && line.contains(": ")), "{said:?}");
    let elsewhere = crate::desk::desk();
    assert_eq!(complaints(&elsewhere, &[], 0), Vec::<String>::new());
    assert!(!elsewhere.home.exists(), "looking makes nothing");
    assert!(desk.thru(&["doctor", "--help"]).stdout.contains("thru doctor --fix"));
}

#[test]
fn a_folder_that_cannot_be_made_is_found_before_it_is_needed() {
    let mut desk = desk();
    desk.script(&[say("fine")]);
    desk.home = "/proc/self/thru/home".into();
    let complaints = complaints(&desk, &[], 1);
    assert!(complaints.len() == 1 && complaints[0].starts_with("fail folder:"), "{complaints:?}");
    crate::input::assert_fault(&desk.run(&[]), 3, &["the data folder cannot be used", "THRU_HOME"]);
}

#[test]
fn a_lost_name_of_the_machine_is_named_as_such() {
    let (desk, _) = used();
    fs::write(desk.home.join("machine"), "garbage").unwrap();
    let complaints = complaints(&desk, &[], 1);
    assert!(complaints.len() == 1 && complaints[0].starts_with("fail machine:"), "{complaints:?}");
    assert!(complaints[0].contains("remove that file"), "{complaints:?}");
}

/// A process that left and one that died leave the same behind, and a stop needs somebody who does it.
#[test]
fn what_nobody_does_is_named_with_what_ends_it() {
    let desk = desk();
    desk.script(&[say("one"), say("two")]);
    assert_eq!(desk.run(&[]).code, Some(0));
    let session = desk.only_session();
    assert_eq!(desk.thru(&["send", &session, "more"]).code, Some(0));
    let complaints = complaints(&desk, &[], 0);
    assert!(complaints.len() == 1 && !complaints[0].contains("died"), "{complaints:?}");
    assert!(complaints[0].contains(&format!("`thru stop {session}`, then `thru resume {session}`, ends it")), "{complaints:?}");
}

#[test]
fn what_runs_without_anybody_is_named_and_not_touched() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(7)), say("done")], &[]);
    assert_eq!(complaints(&desk, &["--fix"], 0), Vec::<String>::new(), "what is driven is well");
    run.kill();
    let complaints = complaints(&desk, &["--fix"], 0);
    let about = |check: &str| complaints.iter().find(|line| line.starts_with(&format!("warn {check}"))).unwrap();
    assert!(about("leases").contains(&session) && about("leases").contains(&format!("thru resume {session}")), "{complaints:?}");
    let process = about("processes");
    assert!(process.contains(&session) && process.contains("echo began") && process.contains("--scope all"), "{process}");
    assert_eq!(complaints.len(), 2, "{complaints:?}");
    desk.go();
    let resumed = desk.thru(&["resume", &session]);
    assert_eq!(
        (resumed.code, resumed.stdout.as_str(), desk.read("effect").as_str()),
        (Some(0), "done\n", "began\nended\n"),
        "{}",
        resumed.stderr
    );
}

#[test]
fn output_that_nothing_needs_is_removed_when_asked() {
    let (desk, _) = used();
    let left = desk.home.join("spool/act_00000000000000000000000000-1");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("output"), "old").unwrap();
    let complaints_before = complaints(&desk, &[], 0);
    assert!(
        complaints_before[0].starts_with("warn spool: 1 folder of output") && complaints_before[0].contains("thru doctor --fix"),
        "{complaints_before:?}"
    );
    assert!(left.exists(), "looking removes nothing");
    assert_eq!(complaints(&desk, &["--fix"], 0), Vec::<String>::new());
    assert!(!left.exists());
}

#[test]
fn locks_of_the_dead_go_and_the_lists_may_be_broken() {
    let (desk, _) = used();
    fs::write(desk.home.join("hosts/hst_00000000000000000000000000.lock"), "1").unwrap();
    fs::write(desk.home.join("views.db"), "no database").unwrap();
    let found = found(&desk, &[], 0);
    let about = |name: &str| found.iter().find(|(check, ..)| check == name).unwrap();
    assert!(about("hosts").2.contains("the lock of a dead one was removed"), "{found:?}");
    assert_eq!((about("views").1.as_str(), about("views").3.as_deref().unwrap().contains("made anew")), ("warn", true));
    assert!(!desk.home.join("hosts/hst_00000000000000000000000000.lock").exists());
}

#[test]
fn damage_fails_and_says_what_is_unaffected() {
    let (desk, session) = used();
    let (other, _) = (desk.thru(&["fork", &session]).stdout.trim().to_owned(), ());
    let blobs = log(&desk).execute("DELETE FROM blobs WHERE length(bytes) > 30000", []).unwrap();
    assert_eq!(blobs, 1);
    let missing = complaints(&desk, &[], 1);
    assert!(missing.len() == 1 && missing[0].starts_with("fail blobs:") && missing[0].contains("blob sha256:"), "{missing:?}");
    assert!(missing[0].contains(&session) && missing[0].contains("blobs/ back from a copy"), "{missing:?}");
    let broken = log(&desk).execute(
        "UPDATE events SET bytes = CAST(replace(CAST(bytes AS TEXT), '\"type\"', '\"Type\"') AS BLOB)
         WHERE version = 4 AND stream = (SELECT id FROM streams WHERE name = ?1)",
        params![format!("session/{session}")],
    );
    assert_eq!(broken.unwrap(), 1);
    let complaints_now = complaints(&desk, &["--fix"], 1);
    let chains: Vec<&String> = complaints_now.iter().filter(|line| line.starts_with("fail chains:")).collect();
    assert!(chains.len() == 2 && chains.iter().any(|line| line.contains(&format!("session/{other}:"))), "{complaints_now:?}");

    fs::write(desk.home.join("journal.db"), "garbage that is no database at all, and long enough to be read").unwrap();
    let complaints = complaints(&desk, &[], 1);
    assert!(complaints.iter().any(|line| line.starts_with("fail database:")), "{complaints:?}");
    assert!(complaints.iter().any(|line| line.starts_with("fail journal:")), "{complaints:?}");
}

/// It is measured and not read: that is for `thru verify`, which takes as long as there are bytes.
#[test]
fn a_blob_is_measured_by_doctor_and_read_by_verify() {
    let (desk, session) = used();
    let long = "length(bytes) > 30000";
    let fill = |bytes: usize| log(&desk).execute(&format!("UPDATE blobs SET bytes = zeroblob({bytes}) WHERE {long}"), []).unwrap();
    assert_eq!(fill(40_000), 1);
    assert_eq!(complaints(&desk, &[], 0), Vec::<String>::new());
    crate::input::assert_fault(&desk.thru(&["verify", &session]), 1, &["damaged", "blob sha256:", &session]);
    assert_eq!(fill(40_001), 1);
    let longer = complaints(&desk, &[], 1);
    assert!(longer.len() == 1 && longer[0].starts_with("fail blobs:") && longer[0].contains("40001 bytes instead of 40000"), "{longer:?}");
    crate::input::assert_fault(&desk.thru(&["verify", &session]), 1, &["damaged", "40001 bytes instead of 40000"]);
}

#[test]
fn a_database_that_somebody_keeps_busy_is_no_reason_to_wait() {
    let (desk, _) = used();
    let busy = log(&desk);
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(complaints(&desk, &[], 0), Vec::<String>::new(), "a writer does not keep readers out");
    busy.execute_batch("ROLLBACK; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE leases SET host = NULL").unwrap();
    let complaints = complaints(&desk, &[], 0);
    assert!(complaints.len() == 1 && complaints[0].starts_with("warn database:"), "{complaints:?}");
}
