//! Lists beside the log: work, what is asked, what runs, what it cost. They may be deleted at any time.

use crate::asking::ASK;
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
    let (parked, ask) = desk.parked(ASK);
    let work = listed(&desk, &["status"]);
    let standings: Vec<(&Value, &Value)> = work.iter().map(|row| (&row["session"], &row["standing"])).collect();
    assert_eq!(standings[0], (&json!(parked), &json!({ "parked": { "asks": ["tool"] } })));
    assert_eq!(standings[1], (&json!(busy), &json!("acting")));
    let text = desk.thru(&["status", "--json"]).stdout;
    let line = text.lines().nth(1).unwrap();
    assert_eq!((line.matches("\"running\":").count(), &work[1]["running"]), (1, &json!(1)), "{line}");
    assert!(work[1]["holder"].as_str().is_some_and(|host| host.starts_with("hst_")), "{line}");
    assert!(work[1].get("run").is_none() && work[1].get("asks").is_none(), "how rows are kept is nobody's concern: {line}");
    assert_eq!((standings[2].1, &work[2]["cost_micros"], &work[2]["tokens"]), (&json!("at_rest"), &json!(500_000), &json!(42)));
    assert_eq!(listed(&desk, &["approvals"])[0]["ask"]["ask"], json!(ask));
    let running = listed(&desk, &["status", "--running"]);
    assert_eq!((running.len(), &running[0]["session"], &running[0]["tool"]), (1, &json!(busy), &json!("shell")));
    assert_eq!(running[0]["holder"], work[1]["holder"]);
    let costs: u64 = listed(&desk, &["cost"]).iter().map(|row| row["cost_micros"].as_u64().unwrap()).sum();
    assert_eq!(costs, 500_000);
    let told = desk.thru(&["cost"]).stdout;
    assert!(told.contains("0.5000 · 42 tokens"), "{told}");
    desk.go();
    assert_eq!(run.wait().code, Some(0));
    assert_eq!(listed(&desk, &["status", "--running"]).len(), 0);
}

/// Nothing runs that nobody hears of: what the log has open was so when its process ended.
#[test]
fn what_nobody_drives_is_not_called_running() {
    let desk = desk();
    let (run, session) = desk.driven(&[shell(&held_back(0)), say("told")], &[]);
    let holder = desk.status(&session)["holder"].as_str().unwrap().to_owned();
    for args in [&["status"][..], &["status", &session], &["status", "--running"]] {
        let said = desk.thru(args).stdout;
        assert!(said.contains(&format!("driven by {holder}")) && !said.contains("thru resume"), "{args:?}: {said}");
    }
    run.kill();
    for args in [&["status"][..], &["status", &session], &["status", "--running"]] {
        let said = desk.thru(args).stdout;
        assert!(said.contains("nobody drives it") && said.contains(&format!("thru resume {session}")), "{args:?}: {said}");
        assert!(said.contains("running when its process ended") && !said.contains("running for"), "{args:?}: {said}");
    }
    desk.go();
    desk.resumed(&session, 0, "told\n");
    assert_eq!(desk.thru(&["status", "--running"]).stdout, "no command runs\n");
}

#[test]
fn deleted_or_damaged_while_idle_or_at_work_they_come_back_the_same() {
    let desk = desk();
    let (run, _) = desk.driven(&[shell(&held_back(0)), say("told")], &[]);
    desk.script(&[shell("echo ran >> effect"), say("told")]);
    let (_, ask) = desk.parked(ASK);
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
    let (session, _) = desk.parked(ASK);
    let sent: Value = serde_json::from_str(&desk.thru(&["send", &session, "please", "--json"]).stdout).unwrap();
    let position = sent["position"].as_u64().unwrap();
    let work = listed(&desk, &["status", "--after", &position.to_string()]);
    assert_eq!((&work[0]["session"], &work[0]["version"]), (&json!(session), &sent["version"]));
    for args in [&["approvals"][..], &["approvals", &session], &["status", &session]] {
        desk.assert_refused(&[args, &["--after", "999999999"]].concat(), 9, &["has not reached position 999999999"]);
    }
}
