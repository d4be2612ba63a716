//! `search_text`: lines that match a regular expression.

use super::walk::{FOLDER_DEFAULT, Kind, LeftOut, Walk, globs, shown_below};
use super::{Run, Tool, finished, look_again, prepare_look, recover_pure, refuse};
use crate::reach::{self, Found};
use crate::{args, texts};
use contract::call::{Class, Risk};
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use regex::bytes::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// Matches given at once: more say only that the pattern is too wide.
const MATCHES_MAX: usize = 1_000;
/// Characters shown of one line; generated files have lines without end.
const LINE_CHARS_MAX: usize = 500;
/// Bytes looked at in one line, so that such a file is never held whole.
const LINE_BYTES_MAX: u64 = 1024 * 1024;
/// Time for one search; whole disks are not searched this way.
const SEARCH_TIME_MAX: Duration = Duration::from_secs(20);
/// Lines looked at between two looks at the clock.
const LINES_BETWEEN_LOOKS: u64 = 4_096;
/// Lines around a match: more are better read from the file.
const CONTEXT_MAX: u64 = 10;
/// Bytes at the beginning of a file in which a NUL says that it is binary.
const BINARY_PROBE_BYTES: usize = 8 * 1024;

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
    /// Whether large and small letters count as the same; false by default.
    ignore_case: Option<bool>,
    /// How many lines to show before and after each match, at most 10; none by default.
    context: Option<u64>,
    /// Whether files that ignore files name are searched too; false by default.
    ignored: Option<bool>,
}

impl Args {
    fn parse(args: &str) -> Result<Args, PrepareRefused> {
        let args: Args = args::parse(TOOL.name, args)?;
        if args.context() > CONTEXT_MAX { Err(refuse(texts::bad_context(CONTEXT_MAX))) } else { Ok(args) }
    }

    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(FOLDER_DEFAULT)
    }

    fn context(&self) -> u64 {
        self.context.unwrap_or(0)
    }

    fn regex(&self) -> Result<Regex, String> {
        let regex = RegexBuilder::new(&self.pattern).case_insensitive(self.ignore_case.unwrap_or(false)).build();
        regex.map_err(|error| texts::bad_pattern(&error))
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args = Args::parse(&call.args)?;
    args.regex().map_err(refuse)?;
    globs(&call.folder, args.glob.as_deref()).map_err(|error| refuse(texts::bad_glob(&error)))?;
    prepare_look(&call.folder, args.path())
}

fn start(job: &ToolJob, _: &crate::supervise::Folder) -> RawOutcome {
    finished(Args::parse(&job.args).map_err(|refused| refused.message).and_then(|args| search(job, &args)))
}

fn search(job: &ToolJob, args: &Args) -> Result<String, String> {
    let place = look_again(job, args.path())?;
    std::fs::symlink_metadata(&place.real).map_err(|error| texts::unreadable(&place.shown, &error))?;
    let deadline = Instant::now() + SEARCH_TIME_MAX;
    let globs = globs(&place.real, args.glob.as_deref()).map_err(|error| texts::bad_glob(&error))?;
    let walked = Walk { depth_max: None, ignored: args.ignored.unwrap_or(false), globs }.through(&place, deadline);
    let mut search = Search { regex: args.regex()?, context: args.context(), deadline, lines: Vec::new(), matches: 0 };
    let mut end = Ok(());
    for entry in walked.entries.iter().filter(|entry| entry.kind == Kind::File) {
        // A file that cannot be read, or vanished, does not end the search.
        end = search.file(&shown_below(&place, &entry.path), &entry.path).unwrap_or(Ok(()));
        if end.is_err() {
            break;
        }
    }
    let mut lines = search.lines;
    match end {
        Err(Enough::Matches) => lines.push(texts::search_cut(MATCHES_MAX)),
        Err(Enough::Time) => lines.push(texts::search_late(SEARCH_TIME_MAX.as_secs())),
        Ok(()) => lines.extend(walked.left_out.map(LeftOut::text)),
    }
    Ok(if lines.is_empty() { texts::NO_MATCH.to_owned() } else { lines.join("\n") })
}

/// Why a search ends before its files do.
#[derive(Clone, Copy)]
enum Enough {
    Matches,
    Time,
}

struct Search {
    regex: Regex,
    context: u64,
    deadline: Instant,
    lines: Vec<String>,
    matches: usize,
}

impl Search {
    fn file(&mut self, shown: &str, path: &Path) -> io::Result<Result<(), Enough>> {
        if Instant::now() >= self.deadline {
            return Ok(Err(Enough::Time));
        }
        let Found::File(file) = reach::open(path)? else { return Ok(Ok(())) };
        let mut file = BufReader::with_capacity(BINARY_PROBE_BYTES, file);
        if file.fill_buf()?.contains(&0) {
            return Ok(Ok(()));
        }
        let (mut line, mut number, mut around) = (Vec::new(), 0u64, Around::default());
        loop {
            line.clear();
            if file.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
                return Ok(Ok(()));
            }
            number += 1;
            if line.last() != Some(&b'\n') {
                file.skip_until(b'\n')?;
            }
            if number.is_multiple_of(LINES_BETWEEN_LOOKS) && Instant::now() >= self.deadline {
                return Ok(Err(Enough::Time));
            }
            let text = line.trim_ascii_end();
            if self.regex.is_match(text) {
                if self.matches == MATCHES_MAX {
                    return Ok(Err(Enough::Matches));
                }
                self.matches += 1;
                self.show(&mut around, number, format!("{shown}:{number}: {}", cut(text)));
            } else if self.context > 0 {
                self.pass(&mut around, number, format!("{shown}-{number}- {}", cut(text)));
            }
        }
    }

    /// A match, after the lines before it.
    fn show(&mut self, around: &mut Around, number: u64, told: String) {
        let first = number - around.before.len() as u64;
        let goes_on = around.shown.is_some_and(|last| last + 1 == first);
        if self.context > 0 && !goes_on && !self.lines.is_empty() {
            self.lines.push(texts::SEARCH_GAP.to_owned());
        }
        self.lines.extend(around.before.drain(..));
        self.lines.push(told);
        (around.shown, around.after) = (Some(number), self.context);
    }

    /// A line without a match, which may stand near one.
    fn pass(&mut self, around: &mut Around, number: u64, told: String) {
        if around.after > 0 {
            around.after -= 1;
            around.shown = Some(number);
            return self.lines.push(told);
        }
        if around.before.len() as u64 == self.context {
            around.before.pop_front();
        }
        around.before.push_back(told);
    }
}

/// Where a search stands between the matches of one file.
#[derive(Default)]
struct Around {
    /// Lines that were not shown and come before a match, if one comes.
    before: VecDeque<String>,
    /// Lines that are still shown after the last one.
    after: u64,
    /// The last line shown.
    shown: Option<u64>,
}

/// The beginning of a line.
fn cut(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    match line.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
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
    fn lines_around_a_match_are_shown_once() {
        let desk = desk("search_text");
        desk.write("a", "1\n2\nX3\n4\nX5\n6\n7\n8\n9\nX10\n");
        desk.write("b", "X1\n2\n");
        let expected = "a-2- 2\na:3: X3\na-4- 4\na:5: X5\na-6- 6\n--\na-9- 9\na:10: X10\n--\nb:1: X1\nb-2- 2";
        assert_eq!(desk.run(&json!({"pattern": "X", "context": 1})), Ok(expected.into()));
        let whole = desk.run(&json!({"pattern": "X10", "context": CONTEXT_MAX})).unwrap();
        assert_eq!(whole.lines().count(), 10);
        assert_eq!(desk.prepare(&json!({"pattern": "X", "context": CONTEXT_MAX + 1})), Err(texts::bad_context(CONTEXT_MAX)));
    }

    #[test]
    fn letters_may_count_as_the_same_and_ignored_files_be_searched() {
        let desk = desk("search_text");
        desk.write("a", "Straße\nSTRASSE\nÉté");
        desk.write("hidden", "été");
        desk.write(".gitignore", "hidden");
        assert_eq!(desk.run(&json!({"pattern": "été"})), Ok(texts::NO_MATCH.into()));
        assert_eq!(desk.run(&json!({"pattern": "été", "ignore_case": true})), Ok("a:3: Été".into()));
        assert_eq!(desk.run(&json!({"pattern": "été", "ignored": true})), Ok("hidden:1: été".into()));
    }

    #[test]
    fn what_cannot_be_read_does_not_end_a_search() {
        let desk = desk("search_text");
        desk.write("z", "word");
        let pipe = desk.folder.join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", desk.folder.join("link")).unwrap();
        assert_eq!(desk.run(&json!({"pattern": "word|root"})), Ok("z:1: word".into()));
        assert_eq!(desk.run(&json!({"pattern": "word", "path": "pipe"})), Ok(texts::NO_MATCH.into()));
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
