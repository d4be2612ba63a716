//! No form of a value comes through, and nothing else is changed.

use super::*;
use contract::id::{ActionId, SessionId, StreamId};
use contract::port::{Frame, Live};
use proptest::prelude::*;
use std::process::{Command, Stdio};
use std::sync::Mutex;

const VALUE: &str = "sk-canary/7+Q\"x y";

fn redactor() -> Redactor {
    let redactor = Redactor::default();
    redactor.learn("KEY", VALUE);
    redactor
}

/// What a program that nobody here wrote makes of the value.
fn made_by(program: &str, args: &[&str], input: &[u8]) -> String {
    let mut command = Command::new(program);
    let mut child = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn every_form_is_taken_out() {
    let redactor = redactor();
    for form in forms::of(VALUE) {
        assert_eq!(redactor.redact(format!("a {form} b")), "a [secret KEY] b", "{form}");
    }
    assert_eq!(redactor.redact("sk-canary".to_owned()), "sk-canary", "a part of it is not it");
}

#[test]
fn base64_is_recognised_wherever_the_value_begins() {
    let redactor = redactor();
    for before in ["", "a", "ab", "abc", "user:"] {
        for after in ["", "z", "zz", "\n"] {
            let text = made_by("base64", &["-w0"], format!("{before}{VALUE}{after}").as_bytes());
            assert!(redactor.finds(&text), "{before:?} {after:?} {text}");
            assert!(redactor.redact(text.clone()).contains("[secret KEY]"));
        }
    }
    let hex = made_by("od", &["-An", "-v", "-tx1"], VALUE.as_bytes()).replace([' ', '\n'], "");
    assert_eq!(redactor.redact(hex), "[secret KEY]");
}

#[test]
fn short_values_are_left_and_earlier_ones_stay_secret() {
    let redactor = redactor();
    redactor.learn("SHORT", "word");
    assert_eq!(redactor.redact("a word".to_owned()), "a word");
    redactor.learn("KEY", "another-value");
    redactor.learn("KEY", "another-value");
    assert_eq!(redactor.redact(format!("{VALUE} another-value")), "[secret KEY] [secret KEY 1]");
}

#[derive(Default)]
struct Seen(Mutex<Vec<Frame>>);

impl Live for Seen {
    fn show(&self, frame: Frame) {
        self.0.lock().unwrap().push(frame);
    }
}

fn stream() -> StreamId {
    StreamId::session(SessionId([1; 16]))
}

fn output(offset: usize, text: &str) -> Frame {
    Frame::ToolOutput { stream: stream(), action: ActionId([2; 16]), attempt: 1, offset: offset as u64, text: text.into() }
}

/// What a watcher sees of a text that comes in pieces, each where the one before it ended.
fn shown(redactor: &Redactor, pieces: &[&str]) -> String {
    let seen = Arc::new(Seen::default());
    let live = RedactedLive::new(seen.clone(), redactor.clone());
    let mut offset = 0;
    for piece in pieces {
        live.show(output(offset, piece));
        offset += piece.len();
    }
    live.over(&stream());
    let frames = seen.0.lock().unwrap();
    frames.iter().map(Frame::text).collect()
}

#[test]
fn what_cannot_be_a_value_is_shown_at_once() {
    let seen = Arc::new(Seen::default());
    let live = RedactedLive::new(seen.clone(), redactor());
    live.show(output(0, "Continue? "));
    assert_eq!(seen.0.lock().unwrap().as_slice(), [output(0, "Continue? ")]);
    live.show(output(10, "sk-can"));
    assert_eq!(seen.0.lock().unwrap().len(), 1, "it may become one");
    live.show(output(16, "dle"));
    assert_eq!(seen.0.lock().unwrap()[1], output(10, "sk-candle"), "it did not");
}

proptest! {
    #[test]
    fn no_cut_lets_a_value_through(before in "[a-z sk-]{0,12}", after in "[a-z sk-]{0,12}", size in 1usize..9) {
        let redactor = redactor();
        let whole = format!("{before}{VALUE}{after}{VALUE}");
        let letters: Vec<char> = whole.chars().collect();
        let pieces: Vec<String> = letters.chunks(size).map(|piece| piece.iter().collect()).collect();
        let seen = shown(&redactor, &pieces.iter().map(String::as_str).collect::<Vec<_>>());
        prop_assert_eq!(&seen, &redactor.redact(whole));
        prop_assert!(!seen.contains(VALUE));
    }

    #[test]
    fn what_holds_no_value_is_not_changed(text in ".{0,60}", size in 1usize..9) {
        let redactor = redactor();
        prop_assume!(!redactor.finds(&text));
        prop_assert_eq!(redactor.redact(text.clone()), text.clone());
        let letters: Vec<char> = text.chars().collect();
        let pieces: Vec<String> = letters.chunks(size).map(|piece| piece.iter().collect()).collect();
        prop_assert_eq!(shown(&redactor, &pieces.iter().map(String::as_str).collect::<Vec<_>>()), text);
    }
}
