//! Damaged logs: refused with exit code 1 and one line, never repaired by guessing, and never at the cost of another session.

use crate::asking::ASK;
use crate::desk::{Desk, desk};
use crate::input::assert_fault;
use crate::rewind::log;
use crate::script::{held_back, say, shell};
use rusqlite::params;
use std::fs;

/// A data folder with one session at rest.
fn used() -> (Desk, String) {
    let desk = desk();
    desk.script(&[shell("echo hello"), say("fine")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    (desk, session)
}

#[test]
fn a_database_that_is_cut_or_garbage_is_refused_and_left_as_it_is() {
    for name in ["cut", "stub", "garbage", "empty"] {
        let (desk, session) = used();
        let path = desk.home.join("journal.db");
        let mut damaged = fs::read(&path).unwrap();
        match name {
            "cut" => damaged.truncate(damaged.len() / 2),
            "stub" => damaged.truncate(100),
            "garbage" => damaged.fill(b'x'),
            _ => damaged.clear(),
        }
        fs::write(&path, &damaged).unwrap();
        let run = desk.run_args(&[]);
        for args in [&run[..], &["resume", "--last"], &["resume", &session], &["events", &session], &["verify"]] {
            let said = desk.thru(args);
            assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{name} {args:?}: {said:?}");
            assert_fault(&said, 1, &["the log", "copy it away first", "thru doctor"]);
            assert!(!said.stderr.contains("other sessions"), "all of them are in it: {said:?}");
        }
        assert!(fs::read(&path).unwrap() == damaged, "{name}: nothing was written over what may still be rescued");
    }
}

#[test]
fn a_tampered_event_is_named_and_other_sessions_go_on() {
    let (desk, broken) = used();
    let (other, healthy) = desk.driven(&[shell(&held_back(7)), say("fine")], &[]);
    other.kill();
    let (stream, version) = (format!("session/{broken}"), 4);
    let changed = log(&desk).execute(
        "UPDATE events SET bytes = CAST(replace(CAST(bytes AS TEXT), '\"type\"', '\"Type\"') AS BLOB)
         WHERE version = ?2 AND stream = (SELECT id FROM streams WHERE name = ?1)",
        params![stream, version],
    );
    assert_eq!(changed.unwrap(), 1);

    assert_fault(&desk.thru(&["verify", &broken]), 1, &["damaged", &broken, "4", "other sessions are unaffected"]);
    for args in [&["resume", &broken][..], &["run", "--session", &broken, "more"]] {
        assert_fault(&desk.thru(args), 1, &["damaged", "other sessions are unaffected"]);
    }
    let all = desk.thru(&["verify"]);
    assert_eq!(all.code, Some(1));
    assert!(all.stdout.contains(&healthy) && all.stderr.contains(&broken), "{all:?}");

    desk.go();
    let resumed = desk.thru(&["resume", &healthy]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (Some(0), "fine\n"), "{}", resumed.stderr);
    desk.events(&healthy).assert_completed();
    assert_eq!(desk.thru(&["verify", &healthy]).code, Some(0));
}

/// Every command that needs the session finds the damage, and says where it is.
#[track_caller]
fn assert_found(desk: &Desk, session: &str, place: &str) {
    let words = ["damaged", session, place, "other sessions are unaffected"];
    for args in [&["verify", session][..], &["resume", session], &["run", "--session", session, "more"]] {
        assert_fault(&desk.thru(args), 1, &words);
    }
    let whole = place.split(' ').nth(1).unwrap().parse::<usize>().unwrap() - 1;
    for (args, first) in [(&["events", session, "--json"][..], 1), (&["events", session, "--json", "--from", "3", "--follow"], 3)] {
        let said = desk.thru(args);
        assert_eq!((said.code, said.stdout.lines().count()), (Some(1), whole + 1 - first), "what is whole is shown: {said:?}");
        assert!(words.iter().all(|word| said.stderr.contains(word)), "{said:?}");
    }
    let doctor = desk.thru(&["doctor"]).stdout;
    assert!(doctor.contains(&format!("thru fork {session} --at {whole}`")), "{doctor}");
    let forked = desk.thru(&["fork", session, "--at", &whole.to_string()]);
    assert_eq!(forked.code, Some(0), "{forked:?}");
}

#[test]
fn one_changed_word_is_found() {
    let (desk, session) = used();
    let first = 1 + desk.events(&session).lines.iter().position(|line| line.contains("hello")).unwrap();
    let change = "UPDATE events SET bytes = CAST(replace(CAST(bytes AS TEXT), 'hello', 'hallo') AS BLOB)";
    assert!(log(&desk).execute(change, []).unwrap() > 0);
    assert_found(&desk, &session, &format!("event {first} of"));
}

#[test]
fn a_lost_tail_is_found() {
    let (desk, session) = used();
    log(&desk).execute("DELETE FROM events WHERE version > 9", []).unwrap();
    assert_found(&desk, &session, "event 10 of");
}

#[test]
fn a_lost_event_in_the_middle_is_found() {
    let (desk, session) = used();
    log(&desk).execute("DELETE FROM events WHERE version = 5", []).unwrap();
    assert_found(&desk, &session, "event 5 of");
}

/// Beside the events the tables say how a session rests and under which epoch it was owned. Both follow from the events.
#[test]
fn what_the_tables_say_beside_the_events_is_held_against_them() {
    let changes = [
        ("UPDATE streams SET due = due - 1 WHERE due IS NOT NULL", "due at"),
        ("UPDATE streams SET rest = 'waiting', due = NULL WHERE due IS NOT NULL", "has it waiting"),
        ("UPDATE streams SET rest = 'busy', due = NULL WHERE due IS NOT NULL", "has it busy"),
        ("UPDATE leases SET epoch = 0 WHERE stream LIKE 'session/%'", "the recorded lease has 0"),
        ("DELETE FROM leases", "the recorded lease has 0"),
    ];
    for (change, names) in changes {
        let desk = desk();
        desk.script(&[shell("echo never > effect"), say("told")]);
        let (session, _) = desk.parked(ASK);
        desk.assert_verified();
        assert_eq!(log(&desk).execute(change, []).unwrap(), 1, "{change}");
        assert_fault(&desk.thru(&["verify", &session]), 1, &["damaged", &session, names, "other sessions are unaffected"]);
        let found = desk.thru(&["doctor"]);
        assert!(found.code == Some(1) && found.stdout.contains(names), "{found:?}");
    }
}

/// The spool is not the log: whoever clears it loses at most what was running.
#[test]
fn views_of_the_log_survive_without_spool_and_hosts() {
    let (desk, session) = used();
    fs::remove_dir_all(desk.home.join("spool")).unwrap();
    fs::remove_dir_all(desk.home.join("hosts")).unwrap();
    desk.events(&session).assert_completed();
    desk.assert_verified();
}

#[test]
fn a_damaged_session_does_not_hide_what_others_ask() {
    let desk = desk();
    desk.script(&[shell("echo never > effect"), say("told")]);
    let (broken, hidden) = desk.parked(ASK);
    let filling = "x".repeat(20_000);
    desk.script(&[shell(&format!("echo {filling} > effect")), say("told")]);
    let (gone, lost) = desk.parked(ASK);
    desk.script(&[shell("echo ran > effect"), say("told")]);
    let (healthy, ask) = desk.parked(ASK);
    log(&desk)
        .execute(
            "DELETE FROM events WHERE version = 5 AND stream = (SELECT id FROM streams WHERE name = ?1)",
            [format!("session/{broken}")],
        )
        .unwrap();
    assert!(log(&desk).execute("DELETE FROM blobs WHERE instr(bytes, ?1)", [filling]).unwrap() > 0);
    for args in [&["approvals"][..], &["approvals", "--json"]] {
        let listed = desk.thru(args);
        assert_eq!(listed.code, Some(1), "{listed:?}");
        assert!(listed.stdout.contains(&ask) && !listed.stdout.contains(&lost), "{listed:?}");
        for (session, word) in [(&broken, "event 5 of"), (&gone, "missing")] {
            assert!(listed.stderr.lines().any(|line| line.contains(session.as_str()) && line.contains(word)), "{listed:?}");
        }
    }
    assert_fault(&desk.thru(&["approve", &lost]), 1, &["damaged", &gone, "missing"]);
    // Also where the lists are made anew from what can be read.
    for _ in 0..2 {
        assert_fault(&desk.thru(&["approve", &hidden]), 1, &["damaged", &broken, "event 5 of"]);
        assert_fault(&desk.thru(&["deny", &hidden]), 1, &["damaged", &broken, "event 5 of"]);
        fs::remove_file(desk.home.join("views.db")).unwrap();
    }
    assert_eq!(desk.thru(&["approve", &ask]).code, Some(0));
    desk.resumed(&healthy, 0, "told\n");
    assert_eq!(desk.read("effect"), "ran\n");
}

#[test]
fn nothing_is_said_to_wait_where_that_cannot_be_told() {
    let desk = desk();
    desk.script(&[shell("echo never > effect"), say("told")]);
    let (session, _) = desk.parked(ASK);
    assert!(desk.thru(&["approvals"]).stdout.contains("May shell run?"));
    log(&desk).execute("DELETE FROM events WHERE version = 5", []).unwrap();
    assert_fault(&desk.thru(&["approvals"]), 1, &["damaged", &session]);
}
