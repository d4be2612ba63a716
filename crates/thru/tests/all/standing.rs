//! What is allowed for good counts in later sessions of its folder, until it is taken back.

use crate::desk::{Desk, desk};
use crate::input::assert_fault;
use crate::script::{say, shell};
use serde_json::{Value, json};
use std::fs;

const RULE: &str = "shell(touch made)";

/// A job that asks about one command, and where it stands after its process.
fn job(desk: &Desk) -> (String, Option<i32>) {
    let run = desk.spawn_run(&["--mode", "ask"]);
    (run.session(), run.wait().code)
}

fn rules(desk: &Desk) -> Vec<Value> {
    let said = desk.thru(&["policy", "list", "--json", "-C", desk.work.to_str().unwrap()]);
    said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_yes_for_good_counts_in_later_sessions_of_the_folder_until_it_is_taken_back() {
    let mut desk = desk();
    desk.script(&[shell("touch made"), say("told")]);
    let (first, code) = job(&desk);
    assert_eq!(code, Some(4));
    let ask = desk.asked(&first);
    let card = desk.thru(&["approvals"]).stdout;
    assert!(card.contains(&format!("for the session, or always in its folder, this would allow: {RULE}")), "{card}");
    assert_eq!(desk.thru(&["approve", &ask, "--scope", "always"]).code, Some(0));
    desk.resumed(&first, 0, "told\n");
    let events = desk.events(&first);
    assert_eq!((events.count("delivery.started"), events.count("delivery.finished")), (1, 1));
    let work = desk.work.to_str().unwrap().to_owned();
    let listed = rules(&desk);
    assert_eq!((listed.len(), &listed[0]["rule"], &listed[0]["answered"]["session"]), (1, &json!(RULE), &json!(first)));
    let tried = |line: &str| desk.thru(&["policy", "test", "--mode", "ask", "-C", &work, line]).stdout;
    assert!(tried("touch made").starts_with("allow: a rule says so") && tried("touch made").contains("always, as local said in ses_"));
    assert!(tried("touch other").starts_with("ask:"), "only this very call");
    assert_eq!(job(&desk).1, Some(0), "nobody is asked again");

    let elsewhere = desk.root.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let before = std::mem::replace(&mut desk.work, elsewhere);
    assert_eq!(job(&desk).1, Some(4), "another folder is another matter");
    desk.work = before;
    let all = desk.thru(&["policy", "list", "--all"]).stdout;
    assert_eq!(all, format!("allow  {RULE}  always, in {work}\n"), "from anywhere");

    let removed = desk.thru(&["policy", "remove", "-C", &work, RULE]);
    assert_eq!(
        (removed.code, removed.stdout),
        (Some(0), format!("new runs in {work} do not have {RULE} any more; a session in which it was answered keeps it\n"))
    );
    assert_eq!((rules(&desk).len(), job(&desk).1), (0, Some(4)));
    assert_fault(
        &desk.thru(&["policy", "remove", "-C", &work, RULE]),
        8,
        &["nobody allowed shell(touch made) for good", "thru policy list --all"],
    );
    assert_fault(&desk.thru(&["policy", "remove", "shell("]), 2, &["is not a rule"]);
    desk.assert_verified();
}

/// The answer is in the log and its process is killed: whoever goes on brings the rule, once.
#[test]
fn what_was_to_count_for_good_does_whoever_was_killed_when() {
    for lines in 1..12 {
        let desk = desk();
        desk.script(&[shell("touch made"), say("told")]);
        let (session, _) = job(&desk);
        assert_eq!(desk.thru(&["approve", &desk.asked(&session), "--scope", "always"]).code, Some(0));
        desk.killed_at_line(&["resume", &session, "--json"], lines);
        let code = desk.thru(&["resume", &session]).code;
        assert!(matches!(code, Some(0 | 9)), "{code:?}: it goes on, or had come to its end");
        let events = desk.events(&session);
        let counted = (events.count("delivery.started"), events.count("delivery.finished"), rules(&desk).len());
        assert_eq!(counted, (1, 1, 1), "killed at line {lines}");
    }
}

#[test]
fn what_a_rule_of_a_file_wants_confirmed_cannot_be_allowed_for_good() {
    let desk = desk();
    let file = desk.work.join(".throughline/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "[[policy.rules]]\neffect = \"ask\"\nrule = \"shell(touch *)\"\nconfirm = \"always\"\n").unwrap();
    desk.script(&[shell("touch made"), say("told")]);
    let (session, code) = job(&desk);
    assert_eq!(code, Some(4));
    desk.assert_refused(&["approve", &desk.asked(&session), "--scope", "always"], 9, &["it can only be allowed once", "it stays open"]);
    assert!(rules(&desk).iter().all(|rule| rule["answered"].is_null()));
}
