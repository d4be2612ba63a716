//! Sessions that branch off from others: what they know, what they leave alone, and what they cannot be made of.

use crate::asking::ASK;
use crate::desk::{Desk, desk};
use crate::input::assert_fault;
use crate::prefix::{requests, requests_of};
use crate::rewind::log;
use crate::script::{held_back, say, shell};
use rusqlite::params;
use serde_json::json;

/// A session that is done: one command, an answer, and a further line for whoever goes on.
fn done() -> (Desk, String) {
    let desk = desk();
    desk.script(&[shell("echo once | tee -a effect"), say("first"), say("second")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    (desk, session)
}

/// Forks without a text and gives the name of the new session.
#[track_caller]
fn fork(desk: &Desk, args: &[&str]) -> String {
    let said = desk.thru(&[&["fork"], args].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
    let session = said.stdout.trim().to_owned();
    assert!(said.stderr.contains(&format!("thru run --session {session}")), "how to go on: {said:?}");
    session
}

#[test]
fn a_fork_goes_on_from_an_event_and_leaves_the_session_alone() {
    let (desk, parent) = done();
    let before = desk.events(&parent);
    let at = before.place("tool.finished") + 1;
    let said = desk.thru(&["fork", &parent, "--at", &at.to_string(), "Rather so"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "first\n"), "{}", said.stderr);
    let listed = desk.thru(&["status", "--json"]).stdout;
    let newest: serde_json::Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    let fork = newest["session"].as_str().unwrap();
    assert_eq!((&newest["fork"], &newest["task"]), (&json!({ "from": parent, "at": at }), &json!("Rather so")));
    let events = desk.events(fork);
    events.assert_completed();
    assert_eq!(&events.names()[..3], ["session.forked", "message.received", "owner.taken"]);
    assert_eq!(desk.events(&parent), before, "the other session is as it was");
    assert_eq!(desk.read("effect"), "once\n", "nothing of it is done again");

    let of_parent = requests_of(&[(&parent, &before.lines[..at])]);
    let of_fork = requests_of(&[(&parent, &before.lines[..at]), (fork, &events.lines)]).split_off(of_parent.len());
    assert_eq!((of_parent.len(), of_fork.len()), (1, 1));
    assert!(of_fork[0].starts_with(&of_parent[0]), "the fork's model is shown what the other was shown, byte for byte");
    let told = String::from_utf8_lossy(&of_fork[0]).into_owned();
    assert!(told.contains("once") && told.contains("Rather so"), "{told}");
    desk.assert_verified();

    let story = desk.thru(&["events", fork]).stdout;
    assert!(story.contains(&parent) && story.contains(&format!("after its event {at}")) && !story.contains("Do it"), "{story}");
    let shown = desk.thru(&["status", fork]).stdout;
    assert!(shown.contains(&parent), "{shown}");
}

#[test]
fn the_same_key_is_the_same_fork() {
    let (desk, parent) = done();
    let fork = fork(&desk, &[&parent, "--key", "try"]);
    assert_eq!(desk.thru(&["run", "--session", &parent, "grow"]).code, Some(0), "its newest event is another one now");
    assert_eq!(self::fork(&desk, &[&parent, "--key", "try"]), fork);
    let at = desk.events(&fork).one("session.forked")["at"].to_string();
    assert_eq!(self::fork(&desk, &[&parent, "--key", "try", "--at", &at]), fork);
    assert_ne!(self::fork(&desk, &[&parent, "--key", "again"]), fork);

    // Words under the same key are said once, also when the first one died between the fork and the words.
    let said = || desk.thru(&["fork", &parent, "--key", "try", "Rather so"]);
    assert_eq!((said().code, said().stdout.as_str()), (Some(0), "second\n"));
    let events = desk.events(&fork);
    assert_eq!((events.count("session.forked"), events.count("message.received"), events.count("run.finished")), (1, 1, 1));
    assert_eq!(desk.thru(&["status", "--json"]).stdout.lines().count(), 3);

    desk.assert_refused(&["fork", &parent, "--key", "try", "--at", "2"], 9, &["names another fork", &fork, &parent]);
    desk.assert_refused(&["fork", &fork, "--key", "try"], 9, &["names another fork", &fork, &parent]);
    desk.assert_refused(&["fork", &parent, "--key", "try", "Rather not"], 9, &["something else was said", &fork]);
    assert_eq!(desk.events(&fork), events, "nothing was changed");
    desk.assert_verified();
}

/// Of several at once one makes it, and all name it.
#[test]
fn a_key_names_one_fork_however_many_ask_for_it_at_once() {
    let (desk, parent) = done();
    let several: Vec<_> = (0..4).map(|_| desk.spawn(&["fork", &parent, "--key", "try"])).collect();
    let mut named: Vec<String> = several.into_iter().map(|one| one.wait()).map(|said| said.stdout).collect();
    named.dedup();
    assert_eq!((named.len(), named[0].lines().count()), (1, 1), "{named:?}");
    assert_eq!(desk.thru(&["status", "--json"]).stdout.lines().count(), 2);
}

#[test]
fn a_running_session_can_be_forked_and_goes_on() {
    let desk = desk();
    let (run, parent) = desk.driven(&[shell(&held_back(7)), say("after"), say("unused")], &[]);
    let fork = fork(&desk, &[&parent]);
    let status = desk.status(&fork);
    assert_eq!((&status["standing"], &status["running"], &status["asks"]), (&json!("at_rest"), &json!([]), &json!([])));
    let spooled = desk.spooled();
    let said = desk.thru(&["run", "--session", &fork, "What now?"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "after\n"), "{}", said.stderr);
    assert_eq!((desk.spooled(), desk.read("effect").as_str()), (spooled, "began\n"), "the command is the other session's");
    let events = desk.events(&fork);
    assert_eq!((events.count("tool.adopted"), events.count("tool.started"), events.count("tool.unknown")), (0, 0, 0));

    desk.go();
    let parent_said = run.wait();
    assert_eq!(parent_said.code, Some(0), "{parent_said:?}");
    let parent_events = desk.events(&parent);
    parent_events.assert_completed();
    assert_eq!(parent_events.one("tool.finished")["exit"], 7);
    let at = events.one("session.forked")["at"].as_u64().unwrap() as usize;
    let shown = requests_of(&[(&parent, &parent_events.lines[..at]), (&fork, &events.lines)]).pop().unwrap();
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert!(shown.contains("branches off from another one"), "{shown}");
    desk.assert_verified();
}

#[test]
fn what_is_asked_stays_with_the_session_that_asks() {
    let desk = desk();
    desk.script(&[shell("echo once >> effect"), say("after"), say("more")]);
    let run = desk.spawn_run(ASK);
    let parent = run.session();
    assert_eq!(run.wait().code, Some(4));
    let fork = fork(&desk, &[&parent]);
    let asks = desk.thru(&["approvals", "--json"]).stdout;
    assert_eq!(asks.lines().count(), 1, "{asks}");
    let ask: serde_json::Value = serde_json::from_str(asks.trim()).unwrap();
    assert_eq!(ask["session"], json!(parent));
    assert_eq!(desk.thru(&["approve", ask["ask"]["ask"].as_str().unwrap()]).code, Some(0));
    let said = desk.thru(&["run", "--session", &fork, "Leave it"]);
    assert_eq!((said.code, said.stdout.as_str(), desk.read("effect").as_str()), (Some(0), "after\n", ""), "{}", said.stderr);
    assert_eq!(desk.thru(&["resume", &parent]).code, Some(0));
    assert_eq!(desk.read("effect"), "once\n");
    desk.assert_verified();
}

#[test]
fn a_fork_can_be_forked_and_each_knows_what_came_before() {
    let (desk, parent) = done();
    let said = desk.thru(&["fork", &parent, "Second"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "second\n"), "{}", said.stderr);
    let middle: serde_json::Value = serde_json::from_str(desk.thru(&["status", "--json"]).stdout.lines().next().unwrap()).unwrap();
    let middle = middle["session"].as_str().unwrap().to_owned();
    let last = fork(&desk, &[&middle, "--at", "2"]);
    let said = desk.thru(&["run", "--session", &last, "Third"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "second\n"), "the middle's answer is not known there: {}", said.stderr);
    let (of_parent, of_middle, of_last) = (desk.events(&parent), desk.events(&middle), desk.events(&last));
    let parts = [(parent.as_str(), &of_parent.lines[..]), (&middle, &of_middle.lines[..2]), (&last, &of_last.lines[..])];
    let shown = String::from_utf8_lossy(&requests_of(&parts).pop().unwrap()).into_owned();
    assert!(["once", "Do it", "first", "Second", "Third"].iter().all(|word| shown.contains(word)), "{shown}");
    assert_eq!(requests(&parent, &of_parent).len(), 2);
    desk.assert_verified();
}

#[test]
fn damage_of_the_other_session_matters_only_up_to_the_fork() {
    let (desk, parent) = done();
    let at = desk.events(&parent).place("tool.finished") + 1;
    let fork = fork(&desk, &[&parent, "--at", &at.to_string()]);
    let damage = |version: usize| {
        let changed = log(&desk).execute(
            "UPDATE events SET bytes = CAST(replace(CAST(bytes AS TEXT), '\"type\"', '\"Type\"') AS BLOB)
             WHERE version = ?2 AND stream = (SELECT id FROM streams WHERE name = ?1)",
            params![format!("session/{parent}"), version as i64],
        );
        assert_eq!(changed.unwrap(), 1);
    };
    damage(at + 1);
    assert_fault(&desk.thru(&["verify", &parent]), 1, &["damaged", &parent]);
    assert_eq!(desk.thru(&["verify", &fork]).code, Some(0));
    assert_eq!(desk.thru(&["run", "--session", &fork, "Go on"]).code, Some(0));
    damage(at);
    for args in [&["verify", &fork][..], &["status", &fork], &["run", "--session", &fork, "more"]] {
        assert_fault(&desk.thru(args), 1, &["damaged", &parent]);
    }
}

#[test]
fn what_cannot_be_forked_is_refused_and_nothing_is_made() {
    let (desk, session) = done();
    let last = desk.events(&session).lines.len();
    let unknown = "ses_00000000000000000000000000";
    let after = (last + 1).to_string();
    for (args, code, words) in [
        (&["fork", unknown][..], 8, &["no session", unknown][..]),
        (&["fork", &session, "--at", "0"], 2, &["none of number 0", "thru events"]),
        (&["fork", &session, "--at", &after], 2, &["none of number", "thru events"]),
        (&["fork", &session, "--at", "x"], 2, &["--at"]),
        (&["fork", &session, ""], 2, &["TEXT"]),
        (&["fork"], 2, &["ID"]),
    ] {
        assert_fault(&desk.thru(args), code, words);
    }
    assert_eq!(desk.thru(&["status", "--json"]).stdout.lines().count(), 1, "nothing was made");
    let json = desk.thru(&["fork", &session, "--json"]);
    let made: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&made["from"], &made["at"]), (&json!(session), &json!(last)));
    assert!(desk.thru(&["fork", "--help"]).stdout.contains("thru fork ses_"));
}
