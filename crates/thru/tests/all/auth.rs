//! Keys: kept by name, shown to nobody.

use crate::desk::{Desk, Said, desk};
use crate::input::assert_fault;
use crate::script::{say, shells};
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// Runs `thru auth` with this on standard input.
fn auth(desk: &Desk, args: &[&str], input: &str) -> Said {
    let mut command = desk.command(&[&["auth"], args].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn a_key_is_kept_named_and_forgotten_and_never_shown() {
    let desk = desk();
    assert!(auth(&desk, &["list"], "").stdout.contains("no key is kept"));
    let kept = auth(&desk, &["set", "WORK_KEY"], "canary-value\n");
    assert_eq!((kept.code, kept.stdout.as_str()), (Some(0), "WORK_KEY is kept\n"), "{kept:?}");
    let listed = auth(&desk, &["list"], "");
    assert_eq!(listed.stdout, "WORK_KEY  kept in the file of secrets\n");
    assert!(![kept, listed].iter().any(|said| format!("{said:?}").contains("canary")), "no value is shown");
    let file = std::fs::read_to_string(desk.home.join("secrets.toml")).unwrap();
    assert_eq!(file, "\"WORK_KEY\" = \"canary-value\"\n");
    assert_eq!(auth(&desk, &["rm", "WORK_KEY"], "").stdout, "WORK_KEY is forgotten\n");
    assert_fault(&auth(&desk, &["rm", "WORK_KEY"], ""), 8, &["no key `WORK_KEY` is kept"]);
    let json = desk.thru_with(&["auth", "list", "--json"], &[("OPENAI_API_KEY", "canary")]);
    assert_eq!(json.stdout, "{\"name\":\"OPENAI_API_KEY\",\"place\":\"environment\"}\n");
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let desk = desk();
    assert_fault(&auth(&desk, &["set", "no-name"], "x\n"), 3, &["`no-name` is no name"]);
    assert_fault(&auth(&desk, &["set", "KEY"], ""), 3, &["1 to 16384 bytes"]);
    assert!(!desk.home.join("secrets.toml").exists());
}

const CANARY: &str = "sk-canary-4711-canary";

/// Files below the data folder that hold this.
fn holding(desk: &Desk, what: &str) -> Vec<std::path::PathBuf> {
    let mut open = vec![desk.home.clone()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if fs::read(&path).is_ok_and(|bytes| bytes.windows(what.len()).any(|piece| piece == what.as_bytes())) {
                found.push(path);
            }
        }
    }
    found
}

/// A job in which a key is said by everybody who can say something.
fn talkative(desk: &Desk) -> Vec<String> {
    fs::write(desk.path("leak"), CANARY).unwrap();
    desk.script(&[
        shells(&[
            "cat leak",
            "base64 -w0 leak",
            "od -An -v -tx1 leak | tr -d ' \\n'",
            &format!("echo 'said {CANARY}'"),
            "echo \"is ${OPENAI_API_KEY-hidden}\"",
        ]),
        say(&format!("I saw {CANARY}.")),
    ]);
    let mut args: Vec<String> = desk.run_args(&[]).into_iter().map(str::to_owned).collect();
    *args.last_mut().unwrap() = format!("Use {CANARY} wisely");
    args
}

#[test]
fn a_key_is_in_no_file_whoever_says_it() {
    let encoded = "c2stY2FuYXJ5LTQ3MTEtY2FuYXJ5";
    let hex: String = CANARY.bytes().map(|byte| format!("{byte:02x}")).collect();
    let desk = desk();
    let args = talkative(&desk);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let said = desk.thru_with(&args, &[("OPENAI_API_KEY", CANARY)]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "I saw [secret OPENAI_API_KEY].\n"), "{said:?}");
    assert!(said.stderr.contains("is hidden"), "a command does not get it: {}", said.stderr);
    for form in [CANARY, encoded, &hex] {
        assert_eq!(holding(&desk, form), Vec::<std::path::PathBuf>::new(), "{form}");
        assert!(!said.stderr.contains(form), "{}", said.stderr);
    }
    desk.assert_verified();
}

/// Killed while it works, it has had no time to tidy up: the write-ahead log is there as it was written.
#[test]
fn a_key_is_in_no_log_that_was_left_by_a_kill() {
    let left = |variables: &[(&str, &str)]| {
        let mut found = Vec::new();
        for moment in [6, 12, 18] {
            let desk = desk();
            let args = talkative(&desk);
            let args: Vec<&str> = ["run", "--json"].into_iter().chain(args.iter().skip(1).map(String::as_str)).collect();
            assert_eq!(desk.killed_at_line_with(&args, moment, variables), None, "it was still at work");
            let log = desk.home.join("journal.db-wal");
            assert!(fs::metadata(&log).is_ok_and(|log| log.len() > 0), "{log:?}");
            // What a running command prints is kept byte for byte until it is redacted on its way into the log.
            found.extend(holding(&desk, CANARY).into_iter().filter(|path| !path.starts_with(desk.home.join("spool"))));
        }
        found.iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(left(&[("OPENAI_API_KEY", CANARY)]), std::collections::BTreeSet::new());
    assert!(left(&[]).contains("journal.db-wal"), "the same without the defence");
}

/// Without the defence the same job leaves it everywhere.
#[test]
fn what_nobody_knows_to_be_a_key_is_kept_as_it_is() {
    let desk = desk();
    let args = talkative(&desk);
    let said = desk.thru(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(said.stdout, format!("I saw {CANARY}.\n"));
    assert!(!holding(&desk, CANARY).is_empty() && !holding(&desk, "c2stY2FuYXJ5LTQ3MTEtY2FuYXJ5").is_empty());
}
