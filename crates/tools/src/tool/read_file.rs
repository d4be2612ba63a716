//! `read_file`: the text of a file, or of some of its lines.

use super::{Run, Tool, finished, look_again, prepare_look, recover_pure, refuse, replace};
use crate::place::Place;
use crate::portion::{End, Portion, portion};
use crate::reach::{self, Found};
use crate::{args, texts};
use contract::call::{Class, Risk};
use contract::port::{Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use schemars::JsonSchema;
use serde::Deserialize;
use std::io::{self, BufRead, BufReader};

/// Bytes at the beginning of a file in which a NUL says that it is binary.
const BINARY_PROBE_BYTES: usize = 8 * 1024;
/// What a binary file is, by the bytes that it begins with.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"RIFF", "RIFF media"),
    (b"%PDF", "PDF document"),
    (b"PK\x03\x04", "ZIP archive, or a document packed as one"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"\xfd7zXZ", "xz data"),
    (b"BZh", "bzip2 data"),
    (b"\x7fELF", "ELF program or library"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"MZ", "Windows program"),
    (b"\0asm", "WebAssembly module"),
    (b"SQLite format 3", "SQLite database"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
];

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
    let mut found = prepare_look(&call.folder, &args.path)?;
    // An edit is held against what was read. A file that changes before it is read counts as changed after it.
    let place = Place::find(&call.folder, &args.path).map_err(refuse)?;
    found.prepared.content = replace::content_hash(&place);
    Ok(found)
}

fn start(job: &ToolJob, _: &crate::supervise::Folder) -> RawOutcome {
    finished(args::parse(TOOL.name, &job.args).map_err(|refused| refused.message).and_then(|args| read(job, &args)))
}

fn read(job: &ToolJob, args: &Args) -> Result<String, String> {
    let place = look_again(job, &args.path)?;
    let failed = |error: io::Error| texts::unreadable(&place.shown, &error);
    let file = match reach::open(&place.real).map_err(failed)? {
        Found::File(file) => file,
        Found::Folder => return Err(texts::is_folder(&place.shown)),
        Found::Other => return Err(texts::not_a_file(&place.shown)),
    };
    let bytes = file.metadata().map_err(failed)?.len();
    let mut file = BufReader::with_capacity(BINARY_PROBE_BYTES, file);
    let begin = file.fill_buf().map_err(failed)?;
    if begin.contains(&0) {
        let kind = BEGINNINGS.iter().find(|(beginning, _)| begin.starts_with(beginning)).map(|(_, kind)| *kind);
        return Err(texts::binary_file(&place.shown, kind, bytes));
    }
    if begin.is_empty() {
        return Ok(texts::EMPTY_FILE.to_owned());
    }
    let from_line = args.from_line.unwrap_or(1).max(1);
    let found = portion(&mut file, from_line, args.lines.unwrap_or(u64::MAX)).map_err(failed)?;
    let Portion { mut text, is_mended, end } = found.map_err(|lines| texts::beyond_end(&place.shown, lines, from_line))?;
    match end {
        End::Here => {}
        End::Before { line } => text.push_str(&texts::file_cut(bytes, line)),
        End::Inside { line } => text.push_str(&texts::file_cut_in_line(bytes, line)),
    }
    if is_mended {
        text.push_str(texts::NOT_UTF8);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portion::SHOWN_BYTES_MAX;
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
        assert_eq!(desk.run(&json!({"path": "sub/binary"})), Err(texts::binary_file("sub/binary", None, 5)));
        assert_eq!(desk.run(&json!({"path": "sub"})), Err(texts::is_folder("sub")));
        assert_eq!(desk.run(&json!({"path": "pipe"})), Err(texts::not_a_file("pipe")));
        assert!(desk.run(&json!({"path": "none"})).unwrap_err().starts_with("none cannot be read"));
    }

    #[test]
    fn a_binary_file_is_named_by_what_it_begins_with() {
        let desk = desk("read_file");
        for (beginning, kind) in BEGINNINGS {
            let bytes = [beginning, b"\0".as_slice()].concat();
            desk.write("x", &bytes);
            assert_eq!(desk.run(&json!({"path": "x"})), Err(texts::binary_file("x", Some(kind), bytes.len() as u64)));
        }
    }

    #[test]
    fn a_huge_file_is_cut_between_lines_and_can_be_read_on() {
        let desk = desk("read_file");
        let line = format!("{}\n", "x".repeat(98));
        desk.write("huge", line.repeat(200_000));
        let text = desk.run(&json!({"path": "huge"})).unwrap();
        let fits = SHOWN_BYTES_MAX / 100;
        assert_eq!(text, line.repeat(fits) + &texts::file_cut(99 * 200_000, fits as u64 + 1));
        assert_eq!(desk.run(&json!({"path": "huge", "from_line": 200_000})), Ok(line));
        desk.write("one-line", "x".repeat(SHOWN_BYTES_MAX + 5));
        let cut = texts::file_cut_in_line(SHOWN_BYTES_MAX as u64 + 5, 1);
        assert_eq!(desk.run(&json!({"path": "one-line"})), Ok("x".repeat(SHOWN_BYTES_MAX) + &cut));
    }

    #[test]
    fn what_stands_in_a_file_is_given_as_it_is() {
        let desk = desk("read_file");
        for content in ["\u{feff}a\r\nb\r\n", "a\rb", "\n\n", " \t"] {
            desk.write("a", content);
            assert_eq!(desk.run(&json!({"path": "a"})), Ok(content.to_owned()));
        }
        desk.write("latin", b"caf\xe9\n");
        assert_eq!(desk.run(&json!({"path": "latin"})), Ok(format!("caf\u{fffd}\n{}", texts::NOT_UTF8)));
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
    fn preparing_tells_what_is_read() {
        let desk = desk("read_file");
        desk.write("a", "one\ntwo\n");
        let content = |path: &str| desk.prepare(&json!({"path": path, "from_line": 2})).unwrap().prepared.content;
        assert_eq!(content("a"), Some(contract::id::Sha256::of(b"one\ntwo\n")), "also where only a part is read");
        std::fs::File::create(desk.folder.join("huge")).unwrap().set_len(1 << 40).unwrap();
        assert_eq!((content("huge"), content("none"), content(".")), (None, None, None));
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
            let plain = |text: String| text.strip_suffix(texts::NOT_UTF8).map(str::to_owned).unwrap_or(text);
            while let Ok(piece) = desk.run(&json!({"path": "a", "from_line": from_line, "lines": size})) {
                whole += &plain(piece);
                from_line += size;
            }
            prop_assert_eq!(&whole, &String::from_utf8_lossy(&content));
            prop_assert_eq!(desk.run(&json!({"path": "a"})).map(plain), Ok(whole));
            for from_line in [from_line, u64::MAX] {
                let beyond = desk.run(&json!({"path": "a", "from_line": from_line, "lines": u64::MAX}));
                prop_assert!(beyond.as_ref().is_err_and(|text| text.contains(&from_line.to_string())), "{beyond:?}");
            }
        }
    }
}
