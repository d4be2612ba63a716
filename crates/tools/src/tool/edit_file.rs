//! `edit_file`: exact replacement inside a text file.

use super::replace::{self, After, Unread};
use super::{Run, SameBoot, Tool, finished};
use crate::place::Place;
use crate::supervise::Folder;
use crate::{args, texts};
use contract::call::{Class, Risk};
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use schemars::JsonSchema;
use serde::Deserialize;
use std::borrow::Cow;
use std::io;

/// Places named of a text that occurs too often.
const LINES_NAMED_MAX: usize = 10;

pub(super) const TOOL: Tool = Tool {
    name: "edit_file",
    description: texts::EDIT_FILE,
    class: Class::Probe,
    risk: Risk::Medium,
    schema: args::schema::<Args>,
    prepare,
    run: Run::Inside { start, recover },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Path of the file, relative to the folder of the session or absolute.
    path: String,
    /// The exact text to replace, with all its spaces and line ends.
    old: String,
    /// The text that takes its place.
    new: String,
    /// Whether to replace every occurrence; by default `old` must occur exactly once.
    all: Option<bool>,
}

impl Args {
    fn after(&self, place: &Place, before: Option<&[u8]>) -> Result<After, String> {
        let before = before.ok_or_else(|| texts::unreadable(&place.shown, &io::ErrorKind::NotFound.into()))?;
        let text = std::str::from_utf8(before).map_err(|_| texts::not_text(&place.shown))?;
        if self.old.is_empty() {
            return Err(texts::OLD_IS_EMPTY.to_owned());
        }
        if self.old == self.new {
            return Err(texts::OLD_IS_NEW.to_owned());
        }
        let (old, new) = as_the_file_ends_lines(text, &self.old, &self.new);
        let times = match text.matches(old.as_ref()).count() {
            0 => return Err(texts::old_missing(&place.shown, nearly(text, &self.old))),
            times @ 2.. if !self.all.unwrap_or(false) => {
                let lines: Vec<usize> = text.match_indices(old.as_ref()).take(LINES_NAMED_MAX).map(|(at, _)| line_at(text, at)).collect();
                return Err(texts::old_not_unique(&place.shown, times, &lines));
            }
            times => times,
        };
        let content = text.replace(old.as_ref(), &new).into_bytes();
        let text = texts::edited(&place.shown, times, content.len(), &replace::diff(place, before, &content));
        Ok(After { content, text })
    }
}

/// What is to be found and put in its place. Where the file ends lines with a return too, and what is looked for has none,
/// it is meant so: models leave them out, and a file keeps its line ends.
fn as_the_file_ends_lines<'a>(text: &str, old: &'a str, new: &'a str) -> (Cow<'a, str>, Cow<'a, str>) {
    if text.contains(old) || old.contains('\r') || !text.contains("\r\n") {
        return (Cow::Borrowed(old), Cow::Borrowed(new));
    }
    (Cow::Owned(old.replace('\n', "\r\n")), Cow::Owned(new.replace("\r\n", "\n").replace('\n', "\r\n")))
}

/// The line from which on the text would match if spaces at the ends of lines did not count.
fn nearly(text: &str, old: &str) -> Option<usize> {
    let wanted: Vec<&str> = old.trim().lines().map(str::trim).collect();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let found = lines.windows(wanted.len().max(1)).position(|window| window == wanted);
    found.filter(|_| !wanted.is_empty()).map(|index| index + 1)
}

fn line_at(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    replace::prepare(call, &args.path, Unread::MayChange, |place, before| args.after(place, before))
}

fn start(job: &ToolJob, spool: &Folder) -> RawOutcome {
    match args::parse::<Args>(TOOL.name, &job.args) {
        Ok(args) => replace::start(job, spool, &args.path, |place, before| args.after(place, before)),
        Err(refused) => finished(Err(refused.message)),
    }
}

fn recover(job: &ToolJob, spool: &Folder, same_boot: SameBoot) -> RawOutcome {
    match args::parse::<Args>(TOOL.name, &job.args) {
        // The new content cannot be told without the old one, so only the record knows the target.
        Ok(args) => replace::recover(job, spool, same_boot, &args.path, |_| None),
        Err(refused) => finished(Err(refused.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::desk;
    use serde_json::json;

    #[test]
    fn one_occurrence_is_replaced_and_the_difference_shown() {
        let desk = desk("edit_file");
        let path = desk.write("a", "one\ntwo\n");
        let args = json!({"path": "a", "old": "two", "new": "2"});
        let diff = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
        let prepared = desk.prepare(&args).unwrap();
        assert_eq!((prepared.class, prepared.risk, prepared.preview.as_deref()), (Class::Probe, Risk::Medium, Some(diff)));
        assert_eq!(desk.run(&args), Ok(texts::edited("a", 1, 6, diff)));
        assert_eq!(std::fs::read_to_string(path).unwrap(), "one\n2\n");
    }

    #[test]
    fn every_occurrence_is_replaced_when_asked() {
        let desk = desk("edit_file");
        let path = desk.write("a", "x y x");
        let text = desk.run(&json!({"path": "a", "old": "x", "new": "xx", "all": true})).unwrap();
        assert!(text.starts_with("Edited a: replaced 2 occurrences; it has 7 bytes now."), "{text}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), "xx y xx");
    }

    #[test]
    fn an_edit_that_cannot_be_meant_is_refused_when_prepared() {
        let desk = desk("edit_file");
        desk.write("a", "x y x");
        desk.write("binary", b"x\xff");
        let refused = |path: &str, old: &str, new: &str| desk.prepare(&json!({"path": path, "old": old, "new": new})).unwrap_err();
        assert_eq!(refused("a", "z", "1"), texts::old_missing("a", None));
        assert_eq!(refused("a", "x", "1"), texts::old_not_unique("a", 2, &[1, 1]));
        assert_eq!(refused("a", "", "1"), texts::OLD_IS_EMPTY);
        assert_eq!(refused("a", "y", "y"), texts::OLD_IS_NEW);
        assert_eq!(refused("binary", "x", "y"), texts::not_text("binary"));
        assert!(refused("none", "x", "y").starts_with("none cannot be read"));
        assert!(desk.prepare(&json!({"path": "a", "old": "x", "new": 1})).unwrap_err().contains("/new: expected string"));
    }

    #[test]
    fn a_refusal_says_where_to_look() {
        let desk = desk("edit_file");
        desk.write("a", format!("  one\n\ttwo\n{}", "x\n".repeat(20)));
        let refused = |old: &str| desk.prepare(&json!({"path": "a", "old": old, "new": "1"})).unwrap_err();
        assert_eq!(refused("one\n  two"), texts::old_missing("a", Some(1)));
        assert!(refused("three").contains("does not occur in a. It must match exactly, with all spaces and line ends. Read"));
        assert!(refused("x").contains("occurs 20 times in a, at lines 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …. Give"), "{}", refused("x"));
    }

    #[test]
    fn line_ends_and_the_end_of_the_file_are_kept() {
        let desk = desk("edit_file");
        for (before, old, new, after) in [
            ("a\r\nb\r\nc", "a\nb", "1\n2\n3", "1\r\n2\r\n3\r\nc"),
            ("a\r\nb\r\n", "a\r\n", "x\n", "x\nb\r\n"),
            ("\u{feff}a\nb", "b", "c", "\u{feff}a\nc"),
            ("a\r\nb\nc", "b\nc", "x\ny", "a\r\nx\ny"),
        ] {
            let path = desk.write("a", before);
            desk.run(&json!({"path": "a", "old": old, "new": new})).unwrap();
            assert_eq!(std::fs::read_to_string(path).unwrap(), after);
            desk.spool.remove().unwrap();
        }
    }

    #[test]
    fn outside_is_of_high_risk() {
        let desk = desk("edit_file");
        desk.write("../x", "x");
        assert_eq!(desk.prepare(&json!({"path": "../x", "old": "x", "new": "y"})).unwrap().risk, Risk::High);
    }
}
