//! Keys: kept by name, shown to nobody.

use crate::desk::{Desk, Said, desk};
use crate::input::assert_fault;
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
    assert_eq!(file, "WORK_KEY = \"canary-value\"\n");
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
