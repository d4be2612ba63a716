//! Every sentence of this crate that a model or a person reads.
//!
//! Must not decide anything; logic passes facts in and gets text back.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io;
use std::path::Path;

pub(crate) const READ_FILE: &str = "Reads a text file. Use from_line and lines for a part of a long file.";
pub(crate) const LIST_FILES: &str = "Lists files and folders below a folder, sorted; folders end with a slash. Files named by ignore files and the \
                                     folder .git are left out.";
pub(crate) const SEARCH_TEXT: &str = "Searches files for a regular expression and gives one line `path:line: text` for each match. Binary files, \
                                      files named by ignore files and the folder .git are left out.";
pub(crate) const WRITE_FILE: &str = "Writes a whole text file, replacing it if it exists. Missing parent folders are made.";
pub(crate) const EDIT_FILE: &str = "Replaces an exact text in a file by another. The text must occur exactly once unless `all` is true.";
pub(crate) const SHELL: &str = "Runs a command with bash (or sh) in the folder of the session, with empty standard input. The result is its output, \
                                standard and error in the order written. Processes it leaves in the background are ended with it.";

pub(crate) const CHANGED: &str = "Not done: the file has changed since the call was prepared. Read it again and make a new call.";
pub(crate) const COMMAND_ENDED: &str = "the command has ended";
pub(crate) const NO_INPUT: &str = "the command takes no input";
pub(crate) const INPUT_FULL: &str = "the command has not read its earlier input";
pub(crate) const NOT_ENDED: &str = "the command could not be ended";
pub(crate) const EMPTY_FILE: &str = "[the file is empty]";
pub(crate) const EMPTY_FOLDER: &str = "[nothing to list]";
pub(crate) const NO_MATCH: &str = "[no match]";
pub(crate) const OLD_IS_EMPTY: &str = "`old` is empty. Give the exact text to replace, or use write_file for a new file.";
pub(crate) const OLD_IS_NEW: &str = "`old` and `new` are the same, so nothing would change.";
pub(crate) const EMPTY_COMMAND: &str = "`command` is empty.";
pub(crate) const EMPTY_PATH: &str = "`path` is empty.";
pub(crate) const TOO_MANY_LINKS: &str = "too many symbolic links";

pub(crate) fn bytes_omitted(bytes: u64) -> String {
    format!("\n[… {bytes} bytes omitted …]\n")
}

pub(crate) fn unknown_tool(name: &str, known: &[&str]) -> String {
    format!("There is no tool `{name}`. The tools are: {}.", known.join(", "))
}

/// `at` is the path inside the arguments, `.` for all of them.
pub(crate) fn invalid_args(tool: &str, at: &str, error: &impl Display, expected: &[String]) -> String {
    let place = if at == "." { String::new() } else { format!(" at `{at}`") };
    format!("The arguments of `{tool}` are not valid{place}: {error}. Expected one JSON object with: {}.", expected.join(", "))
}

pub(crate) fn field(name: &str, kind: &str, required: bool) -> String {
    format!("{name} ({kind}, {})", if required { "required" } else { "optional" })
}

pub(crate) fn unreadable(path: &str, error: &io::Error) -> String {
    format!("{path} cannot be read: {error}.")
}

pub(crate) fn unwritable(path: &str, error: &io::Error) -> String {
    format!("{path} cannot be written: {error}. It was not changed.")
}

pub(crate) fn maybe_written(path: &str, error: &io::Error) -> String {
    format!("{path} was written, but it may not survive a power failure: {error}.")
}

pub(crate) fn is_folder(path: &str) -> String {
    format!("{path} is a folder. Use list_files to see what is in it.")
}

pub(crate) fn not_a_folder(path: &str) -> String {
    format!("{path} is not a folder.")
}

pub(crate) fn not_a_file(path: &str) -> String {
    format!("{path} is neither a file nor a folder.")
}

pub(crate) fn binary_file(path: &str, bytes: u64) -> String {
    format!("{path} is a binary file of {bytes} bytes and is not shown.")
}

pub(crate) fn not_text(path: &str) -> String {
    format!("{path} is not UTF-8 text and cannot be edited.")
}

pub(crate) fn too_large(path: &str, bytes: u64, bytes_max: u64) -> String {
    format!("{path} has {bytes} bytes; this tool changes files of at most {bytes_max} bytes.")
}

pub(crate) fn beyond_end(path: &str, lines: u64, from_line: u64) -> String {
    format!("{path} has only {lines} lines; line {from_line} was asked for.")
}

pub(crate) fn read_cut(next_line: u64) -> String {
    format!("\n[… cut here; go on with from_line {next_line} …]")
}

pub(crate) fn read_cut_in_line(line: u64) -> String {
    format!("\n[… cut inside line {line}, which is too long to show …]")
}

pub(crate) fn list_cut(entries_max: usize) -> String {
    format!("[… cut after {entries_max} entries; list a folder below, or with less depth …]")
}

pub(crate) fn search_cut(matches_max: usize) -> String {
    format!("[… cut after {matches_max} matches; search with a narrower pattern, path or glob …]")
}

pub(crate) fn search_late(seconds: u64) -> String {
    format!("[… stopped after {seconds} seconds with files left; search with a narrower path or glob …]")
}

pub(crate) fn bad_pattern(error: &impl Display) -> String {
    format!("`pattern` is not a regular expression: {error}")
}

pub(crate) fn bad_glob(error: &impl Display) -> String {
    format!("`glob` is not valid: {error}")
}

pub(crate) fn wrote(path: &str, created: bool, bytes: usize, lines: usize) -> String {
    format!("{} {path}: {bytes} bytes, {lines} lines.", if created { "Created" } else { "Replaced" })
}

pub(crate) fn edited(path: &str, replaced: usize, bytes: usize, diff: &str) -> String {
    let times = if replaced == 1 { "1 occurrence".to_owned() } else { format!("{replaced} occurrences") };
    format!("Edited {path}: replaced {times}; it has {bytes} bytes now.\n{diff}")
}

pub(crate) fn replaces_binary(path: &str, before: usize, after: usize) -> String {
    format!("Replaces the binary file {path} ({before} bytes) by {after} bytes of text.")
}

pub(crate) fn old_missing(path: &str) -> String {
    format!("`old` does not occur in {path}. It must match exactly, with all spaces and line ends. Read the file again.")
}

pub(crate) fn old_not_unique(path: &str, times: usize) -> String {
    format!("`old` occurs {times} times in {path}. Give more of the text around it, or set `all` to true.")
}

pub(crate) fn bad_timeout(seconds_max: u64) -> String {
    format!("`timeout_s` must be from 1 to {seconds_max}.")
}

pub(crate) fn not_executed(argv: &[OsString], folder: &OsStr, error: &io::Error) -> String {
    let program = argv.first().map(|program| program.to_string_lossy()).unwrap_or_default();
    format!("{program} could not be executed in {}: {error}", Path::new(folder).display())
}

pub(crate) fn not_started(error: &impl Display) -> String {
    format!("The command was not started: {error}.")
}

pub(crate) fn timed_out(seconds: u64) -> String {
    format!("[the command was ended because it ran longer than {seconds} s]")
}

pub(crate) fn output_lost(error: &str) -> String {
    format!("[part of the output could not be stored: {error}]")
}

pub(crate) fn spool_lost(error: &impl Display) -> String {
    format!("What became of the call could not be found out: {error}.")
}

pub(crate) fn no_such_signal(number: i32) -> String {
    format!("there is no signal {number}")
}

pub(crate) fn not_prepared(error: &impl Display) -> String {
    format!("The call could not be prepared: {error}.")
}
