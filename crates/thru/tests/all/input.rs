//! Bad input: one line that names the cause and what is unaffected, the promised exit code, nothing changed.

use crate::desk::{Desk, Said, desk};
use crate::script::say;
use std::fs;

const NOBODY: &str = "ses_00000000000000000000000000";

/// One line on stderr, nothing on stdout, and every word in it.
#[track_caller]
pub fn assert_fault(said: &Said, code: i32, words: &[&str]) {
    assert_eq!((said.code, said.stdout.as_str()), (Some(code), ""), "{said:?}");
    assert_eq!(said.stderr.lines().count(), 1, "one line: {said:?}");
    assert!(said.stderr.starts_with("thru: ") && said.stderr.contains("; "), "cause and what is unaffected: {said:?}");
    for word in words {
        assert!(said.stderr.contains(word), "{word} in {said:?}");
    }
}

/// Every path below the data folder, with its size.
fn contents(desk: &Desk) -> Vec<(std::path::PathBuf, u64)> {
    let mut open = vec![desk.home.clone()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            found.push((path.clone(), entry.metadata().map_or(0, |about| about.len())));
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn bad_usage_is_2_and_makes_nothing() {
    let desk = desk();
    desk.script(&[say("x")]);
    for (args, words) in [
        (vec!["run", "--model", "script:job.jsonl", "--modle", "x", "task"], ["--modle", "nothing was started"]),
        (vec!["run", "--model", "script:job.jsonl"], ["TASK", "nothing was started"]),
        (vec!["run", "--model", "script:job.jsonl", ""], ["TASK", "nothing was started"]),
        (vec!["run", "--max-turns", "0", "x"], ["--max-turns", "nothing was started"]),
        (vec!["run", "--on-resume", "never", "x"], ["--on-resume", "nothing was started"]),
        (vec!["resume"], ["ID", "nothing was started"]),
        (vec!["resume", "--last", NOBODY], ["--last", "nothing was started"]),
        (vec!["events", "nonsense"], ["ses_", "nothing was started"]),
        (vec!["fly"], ["fly", "nothing was started"]),
    ] {
        assert_fault(&desk.thru(&args), 2, &words);
    }
    assert!(!desk.home.exists());
}

#[test]
fn bad_configuration_is_3_and_starts_nothing() {
    let desk = desk();
    desk.script(&[say("x")]);
    fs::write(desk.root.join("bad.jsonl"), "# comment\n\n{\"text\": \"fine\"}\n{\"txet\": 1}\n").unwrap();
    fs::write(desk.root.join("broken.jsonl"), "{\"text\": \"fine\"}\n{\n").unwrap();
    let work = desk.work.to_str().unwrap();
    for (args, words) in [
        (vec!["run", "-C", work, "task"], ["no model", "nothing was started"]),
        (vec!["run", "-C", work, "--model", "gpt", "task"], ["`gpt`", "nothing was started"]),
        (vec!["run", "-C", work, "--model", "script:absent.jsonl", "task"], ["absent.jsonl does not exist", "nothing was started"]),
        (vec!["run", "-C", work, "--model", "script:work", "task"], ["work", "cannot be read"]),
        (vec!["run", "-C", work, "--model", "script:bad.jsonl", "task"], ["bad.jsonl, line 4", "txet"]),
        (vec!["run", "-C", work, "--model", "script:broken.jsonl", "task"], ["broken.jsonl, line 2", "nothing was started"]),
        (vec!["run", "-C", "absent", "--model", "script:job.jsonl", "task"], ["absent", "nothing was started"]),
        (vec!["run", "-C", "job.jsonl", "--model", "script:job.jsonl", "task"], ["job.jsonl", "ot a directory"]),
    ] {
        assert_fault(&desk.thru(&args), 3, &words);
    }
    assert_fault(&desk.thru(&["resume", "--last"]), 8, &["no session", "nothing was changed"]);
}

#[test]
fn a_data_folder_below_a_file_is_3_for_every_command() {
    let desk = desk();
    desk.script(&[say("x")]);
    fs::write(&desk.home, "a file").unwrap();
    let run = desk.run_args(&[]);
    for below in ["", "data", "deep/data"] {
        for args in [&run[..], &["resume", "--last"], &["verify"], &["events", NOBODY]] {
            let mut command = desk.command(args);
            let output = command.env("THRU_HOME", desk.home.join(below)).output().unwrap();
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            let said = Said { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
            assert_fault(&said, 3, &["data folder", "nothing was changed", "THRU_HOME"]);
        }
    }
    assert_eq!(fs::read_to_string(&desk.home).unwrap(), "a file");
}

#[test]
fn a_session_that_is_not_there_is_8_and_changes_nothing() {
    let desk = desk();
    desk.script(&[say("x")]);
    for args in [&["resume", "--last"][..], &["resume", NOBODY], &["events", NOBODY], &["verify"], &["verify", NOBODY]] {
        assert_fault(&desk.thru(args), 8, &["no session", "nothing was changed"]);
    }
    assert!(!desk.home.exists(), "looking makes no data folder");
    assert_eq!(desk.run(&[]).code, Some(0));
    let before = contents(&desk);
    for args in [&["resume", NOBODY][..], &["events", NOBODY], &["verify", NOBODY], &["run", "--session", NOBODY, "x"]] {
        assert_fault(&desk.thru(args), 8, &[NOBODY, "nothing was changed"]);
    }
    assert_eq!(contents(&desk), before);
}

#[test]
fn help_and_version_are_no_faults() {
    let desk = desk();
    for args in [&["--help"][..], &["--version"], &["run", "--help"], &["resume", "--help"], &["events", "--help"], &["verify", "--help"]] {
        let said = desk.thru(args);
        assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{args:?}");
        assert!(said.stdout.lines().count() >= 1, "{args:?}");
    }
    assert!(!desk.home.exists());
}
