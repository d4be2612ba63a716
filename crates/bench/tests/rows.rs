//! Every row works, at a size at which its figure means nothing.

use std::process::Command;

#[test]
fn every_row_yields_a_figure() {
    let data = tempfile::tempdir().unwrap();
    let bench = env!("CARGO_BIN_EXE_bench");
    let output = Command::new(bench).arg("--tiny").arg("--data").arg(data.path()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    let figure = |row: &str| {
        let line = said.lines().find(|line| line.starts_with(&format!("| {row} "))).unwrap_or_else(|| panic!("{row} is missing: {said}"));
        line.split('|').nth(3).unwrap().trim().to_owned()
    };
    // Built together with it by a test of the whole workspace, and not by one of this crate alone.
    let has_thru = std::path::Path::new(bench).with_file_name("thru").is_file();
    for row in ["start", "step", "flat", "memory", "append", "fold", "recover", "parked", "parallel", "bytes"] {
        let alone = ["append", "fold", "parallel"].contains(&row);
        assert_eq!(figure(row) != "not yet", has_thru || alone, "{row}: {said}");
    }
}

#[test]
fn an_unknown_row_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_bench")).args(["--only", "nothing"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
