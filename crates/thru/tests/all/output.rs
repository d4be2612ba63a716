//! Output that is too long for an event: the event keeps its ends, the log keeps the whole.

use crate::desk::desk;
use crate::rewind::log;
use crate::script::{say, shell};
use contract::id::Sha256;

#[test]
fn a_long_output_is_a_blob_with_both_ends_at_hand() {
    let desk = desk();
    let whole: String = (1..=20_000).map(|line| format!("{line}\n")).collect();
    desk.script(&[shell("seq 1 20000"), say("long")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let events = desk.events(&session);
    let output = &events.one("tool.finished")["output"]["blob"];
    let (head, tail) = (output["head"].as_str().unwrap(), output["tail"].as_str().unwrap());
    assert_eq!(output["bytes"].as_u64(), Some(whole.len() as u64));
    assert!(whole.len() > 100_000 && head.len() < 10_000 && tail.len() < 10_000);
    assert!(whole.starts_with(head) && whole.ends_with(tail));
    let sha256: Sha256 = output["sha256"].as_str().unwrap().parse().unwrap();
    let stored: Vec<u8> =
        log(&desk).query_row("SELECT bytes FROM blobs WHERE sha256 = ?1", [sha256.0.as_slice()], |row| row.get(0)).unwrap();
    assert!(stored == whole.as_bytes(), "the blob is the whole output");
    let longest = events.lines.iter().map(String::len).max().unwrap();
    assert!(longest < 40_000, "no event of {longest} bytes, whatever a command prints");
}

#[test]
fn output_that_is_no_text_is_kept_readable() {
    let desk = desk();
    desk.script(&[shell("printf 'a\\377b\\033[31mc'; printf err >&2"), say("done")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    assert_eq!(desk.events(&session).one("tool.finished")["output"]["inline"], "a\u{fffd}b\u{1b}[31mcerr");
    let story = desk.thru(&["events", &session]);
    assert!(!story.stdout.contains('\u{1b}'), "a command cannot colour or move the terminal: {:?}", story.stdout);
}

/// Nor can a model; only the raw answer of a pipe is handed on as it is.
#[test]
fn control_characters_of_the_model_do_not_reach_the_story() {
    let desk = desk();
    desk.script(&[say("red \u{1b}[31m text\nnext line")]);
    let run = desk.spawn_run(&[]);
    let session = run.session();
    assert_eq!(run.wait().code, Some(0));
    let story = desk.thru(&["events", &session]);
    assert!(!story.stdout.contains('\u{1b}'), "{:?}", story.stdout);
}
