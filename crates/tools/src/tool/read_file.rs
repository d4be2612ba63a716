//! `read_file`: the text of a file, or of some of its lines.

use super::{Run, Tool, finished, look_again, prepare_look, recover_pure};
use crate::{args, texts};
use contract::call::{Class, Risk};
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Bytes of text given at once; a model that needs more asks for lines.
const READ_BYTES_MAX: usize = 1024 * 1024;
/// Bytes at the beginning of a file in which a NUL says that it is binary.
const BINARY_PROBE_BYTES: usize = 8 * 1024;

pub(super) const TOOL: Tool = Tool {
    name: "read_file",
    description: texts::READ_FILE,
    class: Class::Pure,
    risk: Risk::Low,
    schema: args::schema::<Args>,
    prepare,
    run: Run::Inside { start, recover: recover_pure },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Path of the file, relative to the folder of the session or absolute.
    path: String,
    /// First line to read, counted from 1.
    from_line: Option<u64>,
    /// How many lines to read; all by default.
    lines: Option<u64>,
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    prepare_look(&call.folder, &args.path)
}

fn start(job: &ToolJob, _: &crate::supervise::Folder) -> RawOutcome {
    finished(args::parse(TOOL.name, &job.args).map_err(|refused| refused.message).and_then(|args| read(job, &args)))
}

fn read(job: &ToolJob, args: &Args) -> Result<String, String> {
    let place = look_again(job, &args.path)?;
    let failed = |error: io::Error| texts::unreadable(&place.shown, &error);
    // Asked before opening: a pipe would block and a device may act when it is opened.
    let metadata = std::fs::metadata(&place.real).map_err(failed)?;
    if metadata.is_dir() {
        return Err(texts::is_folder(&place.shown));
    }
    if !metadata.is_file() {
        return Err(texts::not_a_file(&place.shown));
    }
    let Some(mut file) = open_text(&place.real).map_err(failed)? else {
        return Err(texts::binary_file(&place.shown, metadata.len()));
    };
    let from_line = args.from_line.unwrap_or(1).max(1);
    let skipped = skip_lines(&mut file, from_line - 1).map_err(failed)?;
    if file.fill_buf().map_err(failed)?.is_empty() {
        return if from_line == 1 { Ok(texts::EMPTY_FILE.to_owned()) } else { Err(texts::beyond_end(&place.shown, skipped, from_line)) };
    }
    take_lines(&mut file, from_line, args.lines.unwrap_or(u64::MAX)).map_err(failed)
}

/// Gives the number of lines skipped, which is less at the end of the file; a last line need not be ended.
fn skip_lines(file: &mut impl BufRead, lines: u64) -> io::Result<u64> {
    let mut skipped = 0;
    while skipped < lines && file.skip_until(b'\n')? > 0 {
        skipped += 1;
    }
    Ok(skipped)
}

fn take_lines(file: &mut impl BufRead, from_line: u64, lines: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut taken = 0;
    while taken < lines {
        let begin = bytes.len();
        // One byte more than fits tells a line that is too long from one that just fits.
        let room = (READ_BYTES_MAX + 1).saturating_sub(begin) as u64;
        let length = io::Read::take(&mut *file, room).read_until(b'\n', &mut bytes)?;
        if length == 0 && room > 0 {
            break;
        }
        if bytes.len() > READ_BYTES_MAX {
            // A cut falls between lines, unless the first line alone is too long.
            bytes.truncate(if begin > 0 { begin } else { READ_BYTES_MAX });
            let note = if begin > 0 { texts::read_cut(from_line + taken) } else { texts::read_cut_in_line(from_line) };
            return Ok(String::from_utf8_lossy(&bytes).into_owned() + &note);
        }
        taken += 1;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The file, unless its beginning shows that it is binary.
pub(super) fn open_text(path: &Path) -> io::Result<Option<BufReader<File>>> {
    let mut file = BufReader::with_capacity(BINARY_PROBE_BYTES, File::open(path)?);
    let text = !file.fill_buf()?.contains(&0);
    Ok(text.then_some(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::desk;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_file_is_given_whole_or_by_lines() {
        let desk = desk("read_file");
        desk.write("a.txt", "one\ntwo\nthree");
        assert_eq!(desk.run(&json!({"path": "a.txt"})), Ok("one\ntwo\nthree".into()));
        assert_eq!(desk.run(&json!({"path": "a.txt", "from_line": 2})), Ok("two\nthree".into()));
        assert_eq!(desk.run(&json!({"path": "a.txt", "from_line": 2, "lines": 1})), Ok("two\n".into()));
        assert_eq!(desk.run(&json!({"path": "a.txt", "from_line": 9})), Err(texts::beyond_end("a.txt", 3, 9)));
        desk.write("empty", "");
        assert_eq!(desk.run(&json!({"path": "empty"})), Ok(texts::EMPTY_FILE.into()));
    }

    #[test]
    fn what_is_not_text_is_refused_with_a_reason() {
        let desk = desk("read_file");
        desk.write("sub/binary", b"ab\0cd");
        let pipe = desk.folder.join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert_eq!(desk.run(&json!({"path": "sub/binary"})), Err(texts::binary_file("sub/binary", 5)));
        assert_eq!(desk.run(&json!({"path": "sub"})), Err(texts::is_folder("sub")));
        assert_eq!(desk.run(&json!({"path": "pipe"})), Err(texts::not_a_file("pipe")));
        assert!(desk.run(&json!({"path": "none"})).unwrap_err().starts_with("none cannot be read"));
    }

    #[test]
    fn a_huge_file_is_cut_between_lines_and_can_be_read_on() {
        let desk = desk("read_file");
        let line = format!("{}\n", "x".repeat(99));
        desk.write("huge", line.repeat(20_000));
        let text = desk.run(&json!({"path": "huge"})).unwrap();
        let fits = READ_BYTES_MAX / 100;
        assert_eq!(text, line.repeat(fits) + &texts::read_cut(fits as u64 + 1));
        assert_eq!(desk.run(&json!({"path": "huge", "from_line": 20_000})), Ok(line));
        desk.write("exact", "x".repeat(READ_BYTES_MAX));
        assert_eq!(desk.run(&json!({"path": "exact"})), Ok("x".repeat(READ_BYTES_MAX)));
        desk.write("one-line", "x".repeat(READ_BYTES_MAX + 5));
        assert_eq!(desk.run(&json!({"path": "one-line"})), Ok("x".repeat(READ_BYTES_MAX) + &texts::read_cut_in_line(1)));
    }

    #[test]
    fn a_path_that_leads_outside_is_of_high_risk() {
        let desk = desk("read_file");
        desk.write("a.txt", "x");
        let inside = desk.prepare(&json!({"path": "a.txt"})).unwrap();
        assert_eq!((inside.class, inside.risk, inside.prepared.paths), (Class::Pure, Risk::Low, vec!["a.txt".to_owned()]));
        std::os::unix::fs::symlink("/etc/hosts", desk.folder.join("link")).unwrap();
        let outside = desk.prepare(&json!({"path": "link"})).unwrap();
        assert_eq!((outside.risk, outside.prepared.paths), (Risk::High, vec!["/etc/hosts".to_owned()]));
    }

    #[test]
    fn a_link_that_was_turned_after_preparing_is_not_followed() {
        let desk = desk("read_file");
        let job = desk.job(&json!({"path": "later"}));
        std::os::unix::fs::symlink("/etc/hosts", desk.folder.join("later")).unwrap();
        assert_eq!(desk.start(&job), finished(Err(texts::CHANGED.into())));
    }

    #[test]
    fn a_lost_attempt_may_run_again() {
        let desk = desk("read_file");
        let lost = RawOutcome::Unknown { reason: contract::body::UnknownReason::Died, output: String::new() };
        assert_eq!(desk.recover(&desk.job(&json!({"path": "a"})), true), lost);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// However a file is read in pieces, nothing is left out or given twice.
        #[test]
        fn lines_add_up_to_the_file(content in prop::collection::vec(prop_oneof![1u8.., Just(b'\n')], 1..60), size in 1u64..5) {
            let desk = desk("read_file");
            desk.write("a", &content);
            let (mut whole, mut from_line) = (String::new(), 1);
            while let Ok(piece) = desk.run(&json!({"path": "a", "from_line": from_line, "lines": size})) {
                whole += &piece;
                from_line += size;
            }
            prop_assert_eq!(&whole, &String::from_utf8_lossy(&content));
            prop_assert_eq!(desk.run(&json!({"path": "a"})), Ok(whole));
            for from_line in [from_line, u64::MAX] {
                let beyond = desk.run(&json!({"path": "a", "from_line": from_line, "lines": u64::MAX}));
                prop_assert!(beyond.as_ref().is_err_and(|text| text.contains(&from_line.to_string())), "{beyond:?}");
            }
        }
    }
}
