//! Sessions that leave as a folder and come back elsewhere: the same bytes, checked, whole or not at all.

use crate::desk::{Desk, Said, desk};
use crate::input::assert_fault;
use crate::rewind::rewind;
use crate::script::{held_back, say, shell};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A desk with a session at rest that has a blob and two runs to come, and its export.
fn exported() -> (Desk, String, PathBuf) {
    let desk = desk();
    desk.script(&[shell("yes line | head -c 40000"), say("first"), say("second"), say("third")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let folder = desk.root.join("out");
    assert_eq!(export(&desk, &session, &folder).code, Some(0));
    (desk, session, folder)
}

fn export(desk: &Desk, session: &str, folder: &Path) -> Said {
    desk.thru(&["export", session, folder.to_str().unwrap()])
}

fn import(desk: &Desk, folder: &Path) -> Said {
    desk.thru(&["import", folder.to_str().unwrap(), "--json"])
}

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut open, mut found) = (vec![folder.to_owned()], BTreeMap::new());
    while let Some(inside) = open.pop() {
        for entry in fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The session and its hash, as `thru verify` has it.
fn verified(desk: &Desk, session: &str) -> (u64, String) {
    let said = desk.thru(&["verify", session, "--json"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let found: Value = serde_json::from_str(&said.stdout).unwrap();
    (found["events"].as_u64().unwrap(), found["hash"].as_str().unwrap().to_owned())
}

#[test]
fn a_session_and_what_it_stands_on_come_back_elsewhere_as_they_were() {
    let (desk, parent, _) = exported();
    let said = desk.thru(&["fork", &parent, "Go on", "--json"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let fork = said.closed()["session"].as_str().unwrap().to_owned();
    let (first, second) = (desk.root.join("first"), desk.root.join("second"));
    assert_eq!(export(&desk, &fork, &first).code, Some(0));
    let names: Vec<String> = files(&first).keys().map(|path| path.to_string_lossy().into_owned()).collect();
    assert!(
        ["README.txt", "chain.json", "events.jsonl", &format!("parents/{parent}.jsonl")]
            .iter()
            .all(|name| names.contains(&(*name).to_owned()))
    );
    assert_eq!(names.iter().filter(|name| name.starts_with("blobs/")).count(), 2, "the long output and the configuration: {names:?}");
    assert_eq!(fs::read_to_string(first.join("events.jsonl")).unwrap(), desk.thru(&["events", &fork, "--json"]).stdout);

    let elsewhere = crate::desk::desk();
    let told: Value = serde_json::from_str(&import(&elsewhere, &first).stdout).unwrap();
    assert_eq!((&told["session"], &told["known"], &told["parents"]), (&json!(fork), &json!(0), &json!(1)));
    for session in [&fork, &parent] {
        assert_eq!(verified(&elsewhere, session), verified(&desk, session));
    }
    assert_eq!(export(&elsewhere, &fork, &second).code, Some(0));
    assert_eq!(files(&first), files(&second));
    let again = import(&elsewhere, &first);
    let told: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((again.code, &told["known"]), (Some(0), &told["events"]));
    assert!(elsewhere.thru(&["import", first.to_str().unwrap()]).stdout.contains("nothing was changed"));

    let went_on = elsewhere.thru(&["run", "--session", &fork, "More"]);
    assert_eq!((went_on.code, went_on.stdout.as_str()), (Some(0), "third\n"), "{}", went_on.stderr);
    elsewhere.assert_verified();
    assert_fault(&elsewhere.thru(&["import", first.to_str().unwrap()]), 9, &[&fork, "another one", "nothing was stored"]);
}

/// A copy of a session in the middle of its work rests, though its events say otherwise: that is no damage, also where the
/// machine is the same and only its log is new.
#[test]
fn a_copy_of_work_that_goes_on_stands_still_and_is_whole() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), say("told")], &[]);
    let folder = desk.root.join("out");
    assert_eq!(export(&desk, &session, &folder).code, Some(0));
    run.kill();
    desk.go();
    desk.until_quiet();
    for file in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        fs::remove_file(desk.home.join(file)).unwrap();
    }
    let elsewhere = crate::desk::desk();
    for place in [&desk, &elsewhere] {
        assert_eq!(import(place, &folder).code, Some(0));
        place.assert_verified();
    }
    desk.resumed(&session, 0, "told\n");
    assert_eq!(desk.events(&session).count("owner.taken"), 2);
    desk.assert_verified();
}

#[test]
fn an_import_that_was_cut_off_is_completed_by_the_same_import() {
    let (desk, session, folder) = exported();
    let elsewhere = crate::desk::desk();
    assert_eq!(import(&elsewhere, &folder).code, Some(0));
    rewind(&elsewhere, &session, 3);
    let told: Value = serde_json::from_str(&import(&elsewhere, &folder).stdout).unwrap();
    assert_eq!((&told["known"], &told["events"]), (&json!(3), &json!(desk.events(&session).lines.len())));
    assert_eq!(verified(&elsewhere, &session), verified(&desk, &session));
}

#[test]
fn what_is_not_as_it_was_exported_is_refused_before_anything_is_stored() {
    let (desk, session, folder) = exported();
    let whole = files(&folder);
    let events = String::from_utf8(whole[Path::new("events.jsonl")].clone()).unwrap();
    let last = events.lines().count();
    let chain: Value = serde_json::from_slice(&whole[Path::new("chain.json")]).unwrap();
    let newer = {
        let mut chain = chain.clone();
        chain["format"] = json!(2);
        chain
    };
    let blob = whole.keys().find(|path| path.starts_with("blobs")).unwrap().to_string_lossy().into_owned();
    let cut: String = events.lines().take(last - 1).map(|line| format!("{line}\n")).collect();
    let (tampered, missing) = (format!("line {} of events.jsonl", 3), format!("line {last} of events.jsonl"));
    let third = events.lines().nth(2).unwrap().to_owned();
    for (file, bytes, code, words) in [
        ("events.jsonl", Some(events.replacen(&third, &third.replacen("\"id\"", "\"Id\"", 1), 1)), 1, &[tampered.as_str()][..]),
        ("events.jsonl", Some(cut), 1, &[&missing, "missing"]),
        ("events.jsonl", Some(events[..events.len() - 5].to_owned()), 1, &[&missing, "no end"]),
        ("events.jsonl", Some(format!("{events}{third}\n")), 1, &["no hash of it"]),
        ("events.jsonl", None, 3, &["events.jsonl"]),
        ("chain.json", None, 3, &["chain.json"]),
        ("chain.json", Some("{}".to_owned()), 3, &["not the export of a session"]),
        ("chain.json", Some(newer.to_string()), 3, &["newer"]),
        (&blob, Some("other bytes".to_owned()), 1, &["not what its name says"]),
        (&blob, None, 3, &["blobs", "names it"]),
    ] {
        let copy = desk.root.join("copy");
        for (path, bytes) in &whole {
            fs::create_dir_all(copy.join(path).parent().unwrap()).unwrap();
            fs::write(copy.join(path), bytes).unwrap();
        }
        match bytes {
            Some(bytes) => fs::write(copy.join(file), bytes).unwrap(),
            None => fs::remove_file(copy.join(file)).unwrap(),
        }
        let elsewhere = crate::desk::desk();
        assert_fault(&elsewhere.thru(&["import", copy.to_str().unwrap()]), code, &[words, &["nothing was stored"]].concat());
        assert!(!elsewhere.home.exists(), "{file}: nothing was made");
        fs::remove_dir_all(copy).unwrap();
    }
    assert_fault(&desk.thru(&["import", "nowhere"]), 3, &["nowhere"]);
    assert_eq!(verified(&desk, &session).0 as usize, last);
}

#[test]
fn an_export_needs_a_session_and_a_free_place_and_leaves_nothing_half() {
    let (desk, session, folder) = exported();
    let before = files(&desk.root.join("out"));
    let beside = || {
        fs::read_dir(&desk.root)
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("unfinished"))
            .count()
    };
    assert_fault(&export(&desk, &session, &folder), 3, &["not empty", "nothing was written"]);
    assert_fault(&export(&desk, "ses_00000000000000000000000000", &desk.root.join("x")), 8, &["no session"]);
    assert_fault(&export(&desk, &session, &desk.root.join("no/such/place")), 3, &["no/such"]);
    let free = desk.root.join("free");
    fs::create_dir(&free).unwrap();
    assert_eq!(export(&desk, &session, &free).code, Some(0));
    assert_eq!((files(&free), files(&folder), beside()), (before.clone(), before, 0));
    assert_fault(&desk.thru(&["export", &session]), 2, &["DIR"]);
    for (command, words) in [("export", "events.jsonl"), ("import", "Exit codes")] {
        assert!(desk.thru(&[command, "--help"]).stdout.contains(words));
    }
}
