//! `search_text`: lines that match a regular expression.

use super::list_files::{FOLDER_DEFAULT, shown_below, walk};
use super::read_file::open_text;
use super::{Run, Tool, finished, look_again, prepare_look, recover_pure, refuse};
use crate::place::Place;
use crate::{args, texts};
use contract::call::{Class, Risk};
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use ignore::overrides::{Override, OverrideBuilder};
use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// Matches given at once: more say only that the pattern is too wide.
const MATCHES_MAX: usize = 1_000;
/// Characters shown of one line; generated files have lines without end.
const LINE_CHARS_MAX: usize = 500;
/// Bytes looked at in one line, so that such a file is never held whole.
const LINE_BYTES_MAX: u64 = 1024 * 1024;
/// Time for one search; whole disks are not searched this way.
const SEARCH_TIME_MAX: Duration = Duration::from_secs(60);

pub(super) const TOOL: Tool = Tool {
    name: "search_text",
    description: texts::SEARCH_TEXT,
    class: Class::Pure,
    risk: Risk::Low,
    schema: args::schema::<Args>,
    prepare,
    run: Run::Inside { start, recover: recover_pure },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Regular expression (Rust syntax), matched against each line.
    pattern: String,
    /// File or folder to search; the folder of the session by default.
    path: Option<String>,
    /// Only files that match this glob, such as *.rs or src/**/*.ts; with a leading ! only others.
    glob: Option<String>,
}

impl Args {
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(FOLDER_DEFAULT)
    }

    fn regex(&self) -> Result<Regex, String> {
        Regex::new(&self.pattern).map_err(|error| texts::bad_pattern(&error))
    }

    fn globs(&self, root: &Path) -> Result<Override, String> {
        let mut globs = OverrideBuilder::new(root);
        if let Some(glob) = &self.glob {
            globs.add(glob).map_err(|error| texts::bad_glob(&error))?;
        }
        globs.build().map_err(|error| texts::bad_glob(&error))
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    args.regex().and(args.globs(&call.folder).map(drop)).map_err(refuse)?;
    prepare_look(&call.folder, args.path())
}

fn start(job: &ToolJob, _: &crate::supervise::Folder) -> RawOutcome {
    finished(args::parse(TOOL.name, &job.args).map_err(|refused| refused.message).and_then(|args| search(job, &args)))
}

fn search(job: &ToolJob, args: &Args) -> Result<String, String> {
    let place = look_again(job, args.path())?;
    let regex = args.regex()?;
    std::fs::metadata(&place.real).map_err(|error| texts::unreadable(&place.shown, &error))?;
    let deadline = Instant::now() + SEARCH_TIME_MAX;
    let mut lines = Vec::new();
    for entry in walk(&place.real).overrides(args.globs(&place.real)?).build().flatten() {
        if Instant::now() >= deadline {
            lines.push(texts::search_late(SEARCH_TIME_MAX.as_secs()));
            break;
        }
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            // A file that cannot be read, or vanished, does not end the search.
            let _ = search_file(&place, entry.path(), &regex, &mut lines);
        }
        if lines.len() > MATCHES_MAX {
            lines.truncate(MATCHES_MAX);
            lines.push(texts::search_cut(MATCHES_MAX));
            break;
        }
    }
    Ok(if lines.is_empty() { texts::NO_MATCH.to_owned() } else { lines.join("\n") })
}

/// Stops one match after the cap, which tells the caller that there are more.
fn search_file(place: &Place, path: &Path, regex: &Regex, lines: &mut Vec<String>) -> io::Result<()> {
    let Some(mut file) = open_text(path)? else { return Ok(()) };
    let shown = shown_below(place, path);
    let mut line = Vec::new();
    let mut number = 0;
    while lines.len() <= MATCHES_MAX {
        line.clear();
        if file.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        if line.last() != Some(&b'\n') {
            file.skip_until(b'\n')?;
        }
        let text = line.trim_ascii_end();
        if regex.is_match(text) {
            lines.push(format!("{shown}:{number}: {}", cut(&String::from_utf8_lossy(text))));
        }
    }
    Ok(())
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::desk;
    use serde_json::json;

    #[test]
    fn matches_are_sorted_by_path_and_line() {
        let desk = desk("search_text");
        desk.write("b.rs", "fn one\nfn two\r\n");
        desk.write("a/x.txt", "no\nfn three");
        desk.write("binary", b"fn \0");
        desk.write("ignored/y", "fn");
        desk.write(".ignore", "ignored/\n");
        assert_eq!(desk.run(&json!({"pattern": "^fn \\w+$"})), Ok("a/x.txt:2: fn three\nb.rs:1: fn one\nb.rs:2: fn two".into()));
        assert_eq!(desk.run(&json!({"pattern": "fn", "glob": "*.txt"})), Ok("a/x.txt:2: fn three".into()));
        assert_eq!(desk.run(&json!({"pattern": "two", "path": "b.rs"})), Ok("b.rs:2: fn two".into()));
        assert_eq!(desk.run(&json!({"pattern": "absent"})), Ok(texts::NO_MATCH.into()));
        assert!(desk.run(&json!({"pattern": "x", "path": "none"})).unwrap_err().contains("none cannot be read"));
    }

    #[test]
    fn long_lines_and_many_matches_are_cut() {
        let desk = desk("search_text");
        desk.write("a", format!("{}\n", "é".repeat(LINE_CHARS_MAX + 1)));
        assert_eq!(desk.run(&json!({"pattern": "é"})), Ok(format!("a:1: {}…", "é".repeat(LINE_CHARS_MAX))));
        desk.write("a", "x\n".repeat(MATCHES_MAX));
        assert_eq!(desk.run(&json!({"pattern": "x"})).unwrap().lines().count(), MATCHES_MAX);
        desk.write("b", "x");
        let text = desk.run(&json!({"pattern": "x"})).unwrap();
        assert_eq!(text.lines().count(), MATCHES_MAX + 1);
        assert!(text.ends_with(&texts::search_cut(MATCHES_MAX)));
    }

    #[test]
    fn a_bad_pattern_is_refused_before_anything_runs() {
        let desk = desk("search_text");
        assert!(desk.prepare(&json!({"pattern": "("})).unwrap_err().contains("not a regular expression"));
        assert!(desk.prepare(&json!({"pattern": "x", "glob": "{"})).unwrap_err().contains("`glob` is not valid"));
    }
}
