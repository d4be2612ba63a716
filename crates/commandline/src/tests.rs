//! What is found in lines, and what a real shell makes of them.

use super::*;
use damage::damaged_text;
use proptest::prelude::*;

fn commands(line: &str) -> Vec<String> {
    let parsed = parse(line);
    assert!(!parsed.opaque, "{line} is opaque");
    parsed.commands
}

#[test]
fn every_simple_command_is_found() {
    for (line, wanted) in [
        ("git status -s", &["git status -s"][..]),
        ("git status; rm x", &["git status", "rm x"]),
        ("a && b || c", &["a", "b", "c"]),
        ("a | b |& c", &["a", "b", "c"]),
        ("a & b", &["a", "b"]),
        ("a\nb", &["a", "b"]),
        ("(a; b)", &["a", "b"]),
        ("{ a; }", &["a"]),
        ("! a", &["a"]),
        ("echo $(rm x)", &["echo $(rm x)", "rm x"]),
        ("echo `rm x`", &["echo `rm x`", "rm x"]),
        ("echo \"$(rm x)\"", &["echo \"$(rm x)\"", "rm x"]),
        ("diff <(a) >(b)", &["diff <(a) >(b)", "a", "b"]),
        ("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]),
        ("while a; do b; done", &["a", "b"]),
        ("for x in 1 2; do b $x; done", &["b $x"]),
        ("for x in $(a); do b; done", &["a", "b"]),
        ("case x in y) a;; *) b;; esac", &["a", "b"]),
        ("git() { rm x; }; git status", &["rm x", "git status"]),
        ("X=1 git status", &["X=1 git status"]),
        ("X=$(rm x)", &["X=$(rm x)", "rm x"]),
        ("export X=1", &["export X=1"]),
        ("cat <<EOF\n$(rm x)\nEOF", &["cat", "rm x"]),
        ("cat <<< \"$(rm x)\"", &["cat", "rm x"]),
        ("# only words", &[]),
    ] {
        assert_eq!(commands(line), wanted, "{line}");
    }
}

#[test]
fn words_are_as_the_shell_reads_them() {
    for (line, wanted) in [
        ("r\\m  \t x", "rm x"),
        ("'rm' \"x\"", "rm x"),
        ("r'm' x\"y\"z", "rm xyz"),
        ("git commit -m 'a b'", "git commit -m 'a b'"),
        ("git commit -m \"a \\\"b\\\" \\$c\"", "git commit -m 'a \"b\" $c'"),
        ("echo \"it's\"", "echo 'it'\\''s'"),
        ("echo ''", "echo ''"),
        ("'git status' x", "'git status' x"),
        ("echo \"$HOME/a b\"", "echo \"$HOME/a b\""),
        ("ls *.rs", "ls *.rs"),
        ("echo 日本 \u{10ffff}{\u{f3a86}", "echo 日本 '\u{10ffff}{\u{f3a86}'"),
        ("echo a \\\n  b", "echo a b"),
    ] {
        assert_eq!(commands(line), [wanted], "{line}");
    }
}

#[test]
fn files_that_are_read_and_written_are_named() {
    for (line, wanted) in [
        ("a > x", &["a", "> x"][..]),
        ("a >> x", &["a", "> x"]),
        ("a &> x", &["a", "> x"]),
        ("a 2> 'x y'", &["a", "> 'x y'"]),
        ("a >| x", &["a", "> x"]),
        ("a < x", &["a", "< x"]),
        ("a > $X", &["a", "> $X"]),
        ("a 2>&1 >/dev/null </dev/null", &["a"]),
        ("a >&2", &["a"]),
        ("a >& x", &["a", "> x"]),
        ("a > /dev/tcp/1.2.3.4/80", &["a", "> /dev/tcp/1.2.3.4/80"]),
    ] {
        assert_eq!(commands(line), wanted, "{line}");
    }
}

#[test]
fn what_is_not_understood_is_opaque() {
    let long = format!("echo {}", "a".repeat(LINE_BYTES_MAX));
    for line in [
        "$CMD x",
        "$(which rm) x",
        "\"$X\"/rm x",
        "$'rm' x",
        "if a",
        "echo 'open",
        "echo ${x@P}",
        "a ) b",
        "r\\\nm x",
        "rm\rx",
        "rm \u{1b}[2Jx",
        "cat <<EOF\nopen",
        "git >/dev/null push",
        "-x2>&1 git",
        long.as_str(),
    ] {
        assert!(parse(line).opaque, "{line:?}: {:?}", parse(line));
    }
}

#[test]
fn a_plain_command_is_stored_once() {
    let plain = prepared("git status -s");
    assert_eq!((plain.line, plain.commands), (None, vec!["git status -s".to_owned()]));
    let quoted = prepared("git  'status'");
    assert_eq!((quoted.line.as_deref(), quoted.commands), (Some("git  'status'"), vec!["git status".to_owned()]));
    assert_eq!(prepared("a; b").line.as_deref(), Some("a; b"));
}

#[test]
fn a_line_nested_as_deeply_as_it_is_long_is_taken_apart() {
    let deep = format!("{}a{}", "( ".repeat(3_000), " )".repeat(3_000));
    let parsed = parse(&deep);
    assert!(parsed.opaque || parsed.commands == ["a"]);
}

fn line() -> impl Strategy<Value = String> {
    let simple = prop_oneof![
        Just("git status -s".to_owned()),
        Just("echo \"a $X $(b 'c')\"".to_owned()),
        Just("cat <<EOF\nx\nEOF\n".to_owned()),
        "[a-z]{1,6} [a-z*'\"$ ]{0,6}",
    ];
    prop::collection::vec((simple, prop_oneof![Just("; "), Just(" && "), Just(" | "), Just("\n"), Just(" > f; ")]), 1..4)
        .prop_map(|parts| parts.into_iter().map(|(simple, then)| simple + then).collect())
}

/// Anything that may stand in a line, next to anything else.
fn soup() -> impl Strategy<Value = String> {
    let tokens = &[
        "aa",
        "bb",
        "c'd'",
        "\"e f\"",
        "$X",
        "\"$X\"",
        "$(",
        "\"$(",
        ")",
        "\"",
        "'",
        "`",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "(",
        "((",
        "))",
        "{ ",
        "; }",
        "\n",
        "\\\n",
        "\\",
        "#",
        "!",
        " ",
        " ",
        " ",
        " ",
        "<<E\n",
        "\nE\n",
        "<<'E'\n",
        "<<<",
        "if ",
        "; then ",
        "; fi",
        "while ",
        "; do ",
        "; done",
        "for x in ",
        "case x in x)",
        ";; esac",
        "f() ",
        ">f",
        "<f",
        "2>&1",
        "X=1",
        "X=",
        "${X}",
        "${X:-aa}",
        "$((1+1))",
        "[[ ",
        " ]]",
        "$'aa'",
        "=",
        "*",
        "~",
        "\t",
        "{aa,bb}",
        "<(",
        "-x",
        "\\aa",
        "time ",
        "coproc ",
        "function g { ",
    ];
    prop::collection::vec(prop::sample::select(tokens.to_vec()), 1..14).prop_map(|tokens| tokens.concat())
}

/// Names of the commands that a real shell runs for the line; none of them exists.
fn run_by_shell(line: &str, folder: &std::path::Path) -> Vec<String> {
    // A loop without an end is ended: by its commands, else by the time it takes. Each name is one write.
    let handle = "printf '%s\\0' \"${1//$'\\n'/?}\" >> \"$CALLED\"; [[ $(<\"$CALLED\") == *aa*aa*aa*aa*aa* ]] && kill -9 $$; return 1";
    let script = format!("ulimit -t 1; command_not_found_handle() {{ {handle}; }} 2>/dev/null\n{line}");
    let called = folder.join("called");
    let mut shell = std::process::Command::new("/bin/bash");
    shell.args(["--norc", "-c", &script]).current_dir(folder).env_clear().env("PATH", "/nowhere").env("CALLED", &called);
    let quiet = std::process::Stdio::null;
    shell.stdin(quiet()).stdout(quiet()).stderr(quiet()).status().unwrap();
    let names = std::fs::read(&called).unwrap_or_default();
    names.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// The one promise that rules stand on: what a real shell would run is among what was found, or the line is opaque.
    #[test]
    fn nothing_that_a_shell_runs_is_missed(line in soup()) {
        let parsed = parse(&line);
        if !parsed.opaque {
            let temp = tempfile::tempdir().unwrap();
            for name in run_by_shell(&line, temp.path()) {
                prop_assert!(parsed.names.iter().any(|found| found.replace('\n', "?") == name), "{name} runs, and {parsed:?} was found in {line:?}");
            }
        }
    }

    /// Whatever a model writes, no part of it is left out without a word: a line that is not opaque has all its letters
    /// in its commands.
    #[test]
    fn any_line_is_taken_apart_or_opaque(line in prop_oneof![damaged_text(line()), ".{0,60}", "[a-z ;|&<>(){}$`'\"\\\\#\n]{0,40}"]) {
        let found = prepared(&line);
        prop_assert!(found.opaque || found.line.is_none() || found.line.as_deref() == Some(line.as_str()));
        prop_assert!(found.commands.iter().all(|command| !command.is_empty()));
    }
}
