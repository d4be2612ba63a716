//! The golden files as they are, and spoilt in every way that must be noticed.

use super::*;

fn said(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(ToString::to_string).collect()
}

/// A copy of the golden files, to be spoilt.
fn copied(name: &str) -> PathBuf {
    let copy = std::env::temp_dir().join(format!("histories-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&copy).unwrap();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    copy
}

fn faults_after(name: &str, spoil: impl Fn(&Path)) -> Vec<String> {
    let copy = copied(name);
    spoil(&copy);
    let faults = said(&check(&copy));
    std::fs::remove_dir_all(&copy).unwrap();
    faults
}

fn rewrite(path: &Path, change: impl Fn(String) -> String) {
    let text = std::fs::read_to_string(path).unwrap();
    std::fs::write(path, change(text)).unwrap();
}

#[test]
fn every_history_is_still_read_as_it_was_written() {
    assert_eq!(said(&check(&folder())), Vec::<String>::new());
}

#[test]
fn what_is_there_is_never_written_again() {
    let copy = copied("kept");
    std::fs::remove_file(copy.join("answer.state")).unwrap();
    rewrite(&copy.join("host.state"), |text| text + " ");
    assert_eq!(write_new(&copy).unwrap(), ["answer.state"]);
    assert_eq!(said(&check(&copy)).len(), 1, "the spoilt file is still spoilt");
    std::fs::remove_dir_all(&copy).unwrap();
}

#[test]
fn a_missing_event_type_and_a_missing_word_are_named() {
    let faults = faults_after("missing", |folder| {
        for name in ["host", "daemons", "standing", "failures", "failures-2", "failures-3", "child-paused", "child-paused-2"] {
            std::fs::remove_file(folder.join(format!("{name}.jsonl"))).unwrap();
        }
    });
    assert!(faults.contains(&"host.quarantined: version 1 occurs in no history".to_owned()), "{faults:?}");
    assert!(faults.contains(&"envelope: `session` is left out in no history".to_owned()), "{faults:?}");
    assert!(faults.contains(&"envelope: level `subagent` occurs in no history".to_owned()), "{faults:?}");
    assert!(faults.contains(&"model.failed: `rate_limited` occurs in no history".to_owned()), "{faults:?}");
    assert!(faults.contains(&"host: has no file: `cargo xtask histories` writes it".to_owned()), "{faults:?}");
}

#[test]
fn a_changed_shape_an_illegal_event_and_another_state_are_named() {
    // Only what is stored in the current version can be compared with what is written now.
    let shape = faults_after("shape", |folder| rewrite(&folder.join("free.jsonl"), |text| text.replacen("{\"id\"", "{ \"id\"", 1)));
    assert!(shape[0].starts_with("free: line 1: session.created is written differently"), "{shape:?}");
    let illegal = faults_after("illegal", |folder| {
        rewrite(&folder.join("answer.jsonl"), |text| {
            text.lines().filter(|line| !line.contains("run.started")).map(|line| format!("{line}\n")).collect()
        });
    });
    assert!(illegal[0].starts_with("answer: event model.requested at version 5 is illegal"), "{illegal:?}");
    let state =
        faults_after("state", |folder| rewrite(&folder.join("answer.state"), |text| text.replace("\"replies\": 2", "\"replies\": 3")));
    assert!(state[0].starts_with("answer: folds to another state than before"), "{state:?}");
    let shown = faults_after("shown", |folder| rewrite(&folder.join("answer.jsonl"), |text| text.replace("Please", "Do not")));
    assert_eq!(shown[0], "answer: the request at version 5 is not what the model was shown");
}

#[test]
fn a_field_that_the_fold_gives_another_value_is_named_and_written_anew_only_when_told() {
    let copy = copied("whole");
    let before = std::fs::read_to_string(copy.join("answer.whole")).unwrap();
    rewrite(&copy.join("answer.whole"), |text| text.replace("\"cost_micros\": 1250", "\"cost_micros\": 1251"));
    std::fs::remove_file(copy.join("host.state")).unwrap();
    let named = "the fold gives `\"cost_micros\": 1250`, not `\"cost_micros\": 1251`";
    let faults = said(&check(&copy));
    assert!(faults[0].starts_with("answer.whole: line ") && faults[0].contains(named), "{faults:?}");
    assert_eq!(write_new(&copy).unwrap(), ["host.state"], "what is there stays");
    assert_eq!(write_states(&copy).unwrap(), ["answer.whole"]);
    assert_eq!(std::fs::read_to_string(copy.join("answer.whole")).unwrap(), before);
    assert_eq!(said(&check(&copy)), Vec::<String>::new());
    std::fs::remove_dir_all(&copy).unwrap();
}

#[test]
fn texts_may_change_and_the_order_of_events_may_not() {
    let text = faults_after("text", |folder| {
        rewrite(&folder.join("answer.jsonl"), |text| text.replace("Done again.", "As we said years ago."));
        std::fs::remove_file(folder.join("answer.state")).unwrap();
        write_new(folder).unwrap();
        assert_eq!(write_states(folder).unwrap(), ["answer.whole"]);
    });
    assert_eq!(text, Vec::<String>::new());
    let order = faults_after("order", |folder| {
        rewrite(&folder.join("answer.jsonl"), |text| text.lines().take(5).map(|line| format!("{line}\n")).collect());
    });
    let expected = "answer: line 6: today's code writes model.completed, not nothing: rename the scenario and keep the file";
    assert!(order.contains(&expected.to_owned()), "{order:?}");
}
