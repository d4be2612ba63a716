//! Lists beside the log: work, what is asked, what runs, what it cost. They may be deleted at any time.

use crate::asking::AUTO;
use crate::desk::{Desk, desk};
use crate::script::{held_back, say, shell};
use serde_json::{Value, json};

fn listed(desk: &Desk, args: &[&str]) -> Vec<Value> {
    let said = desk.thru(&[args, &["--json"]].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
    said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn everything(desk: &Desk) -> Vec<Vec<Value>> {
    [&["status"][..], &["approvals"], &["status", "--running"], &["cost"]].iter().map(|args| listed(desk, args)).collect()
}

#[test]
fn the_lists_hold_what_the_sessions_hold() {
    let desk = desk();
    desk.script(&[json!({ "text": "done", "usage": { "input": 30, "output": 12 }, "cost": 0.5 })]);
    assert_eq!(desk.run(&[]).code, Some(0));
    let (run, busy) = desk.driven(&[shell(&held_back(0)), say("told")], &[]);
    desk.script(&[shell("echo ran >> effect"), say("told")]);
    let (parked, ask) = desk.parked(AUTO);
    let work = listed(&desk, &["status"]);
    let standings: Vec<(&Value, &Value)> = work.iter().map(|row| (&row["session"], &row["standing"])).collect();
    assert_eq!(standings[0], (&json!(parked), &json!({ "parked": { "asks": ["tool"] } })));
    assert_eq!(standings[1], (&json!(busy), &json!("acting")));
    assert_eq!((standings[2].1, &work[2]["cost_micros"], &work[2]["tokens"]), (&json!("at_rest"), &json!(500_000), &json!(42)));
    assert_eq!(listed(&desk, &["approvals"])[0]["ask"]["ask"], json!(ask));
    let running = listed(&desk, &["status", "--running"]);
    assert_eq!((running.len(), &running[0]["session"], &running[0]["tool"]), (1, &json!(busy), &json!("shell")));
    let costs: u64 = listed(&desk, &["cost"]).iter().map(|row| row["cost_micros"].as_u64().unwrap()).sum();
    assert_eq!(costs, 500_000);
    let told = desk.thru(&["cost"]).stdout;
    assert!(told.contains("0.5000 · 42 tokens"), "{told}");
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    assert_eq!(listed(&desk, &["status", "--running"]).len(), 0);
}

#[test]
fn deleted_or_damaged_while_idle_or_at_work_they_come_back_the_same() {
    let desk = desk();
    let (run, _) = desk.driven(&[shell(&held_back(0)), say("told")], &[]);
    desk.script(&[shell("echo ran >> effect"), say("told")]);
    let (_, ask) = desk.parked(AUTO);
    let file = desk.home.join("views.db");
    let before = everything(&desk);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(everything(&desk), before);
    std::fs::write(&file, b"this is not a database, whatever it was before").unwrap();
    assert_eq!(everything(&desk), before);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(desk.thru(&["approve", &ask]).code, Some(0), "what is decided rests on the log");
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    std::fs::remove_file(&file).unwrap();
    assert_eq!(listed(&desk, &["approvals"]), Vec::<Value>::new());
    desk.assert_verified();
}

/// Whoever said something can ask for a list that knows of it.
#[test]
fn a_list_can_be_asked_for_after_a_position() {
    let desk = desk();
    desk.script(&[shell("echo ran >> effect"), say("told")]);
    let (session, _) = desk.parked(AUTO);
    let sent: Value = serde_json::from_str(&desk.thru(&["send", &session, "please", "--json"]).stdout).unwrap();
    let position = sent["position"].as_u64().unwrap();
    let work = listed(&desk, &["status", "--after", &position.to_string()]);
    assert_eq!((&work[0]["session"], &work[0]["version"]), (&json!(session), &sent["version"]));
    desk.assert_refused(&["approvals", "--after", "999999999"], 9, &["has not reached position 999999999"]);
}
