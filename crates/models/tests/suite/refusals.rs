//! A bad script is refused at the start, with file, line number and reason.

use models::{ScriptError, ScriptedModel};

fn refusal(line: &str) -> String {
    let text = format!("# comment\n{{\"text\":\"fine\"}}\n{line}\n{{\"text\":\"fine\"}}");
    let error = ScriptedModel::parse("job.jsonl", &text).expect_err(line).to_string();
    error.strip_prefix("script job.jsonl, line 3: ").unwrap_or_else(|| panic!("{line}: {error}")).to_owned()
}

#[test]
fn a_bad_line_is_refused_with_its_number_and_the_reason() {
    for (line, reason) in [
        (r#"{"txt":"x"}"#, "unknown field `txt`"),
        (r#"{"calls":[{"tool":"t","arguments":{}}]}"#, "unknown field `arguments`"),
        (r#"{"calls":[{"args":{}}]}"#, "missing field `tool`"),
        (r#"{"text":"x","usage":{"inputs":1}}"#, "unknown field `inputs`"),
        (r#"{"fail":{"class":"auth","time":1}}"#, "unknown field `time`"),
        (r#"{"text":"x","text":"y"}"#, "duplicate field `text`"),
        (r#"{"text":5}"#, "invalid type: integer `5`, expected a string (column 9)"),
        (r#"{"text":"x","repeat":"3"}"#, "invalid type: string"),
        (r#"{"text":"x","delay_ms":-1}"#, "invalid value: integer `-1`"),
        (r#"{"text":"x""#, "EOF while parsing an object"),
        ("[]", "invalid length 0"),
        ("words", "expected value"),
        (r#"{"text":"x","when":"("}"#, "`when` is not a regular expression"),
        (r#"{"text":"x","when":"x","repeat":2}"#, "cannot have `repeat`"),
        (r#"{"fail":{"class":"slow"}}"#, "unknown variant `slow`"),
        (r#"{"fail":{"class":"interrupted"}}"#, "unknown variant `interrupted`"),
        (r#"{"fail":{}}"#, "missing field `class`"),
        (r#"{"text":"x","purpose":"last_reply"}"#, "unknown variant `last_reply`"),
        ("{}", "says nothing"),
        (r#"{"delay_ms":5,"calls":[],"usage":{"input":1}}"#, "says nothing"),
        (r#"{"text":"x","repeat":0}"#, "`repeat` must be at least 1"),
        (r#"{"fail":{"class":"auth","times":0}}"#, "`times` must be at least 1"),
        (r#"{"text":"x","cost":-0.5}"#, "`cost` must not be negative"),
        (r#"{"text":"x","fail":{"class":"auth"}}"#, "`text` belongs on the next line"),
        (r#"{"text":"x","cost":1,"fail":{"class":"auth","after_bytes":1}}"#, "`cost` belongs on the next line"),
        (r#"{"fail":{"class":"auth","after_bytes":1}}"#, "`after_bytes` needs a `text`"),
    ] {
        let found = refusal(line);
        assert!(found.contains(reason), "{line}: {found}");
        assert!(!found.contains(" at line "), "the parser's own line number is not shown: {found}");
    }
}

#[test]
fn a_missing_file_is_told_from_an_unreadable_one() {
    let folder = tempfile::tempdir().unwrap();
    let missing = ScriptedModel::load(folder.path().join("none.jsonl")).unwrap_err();
    assert!(matches!(missing, ScriptError::Missing { .. }), "{missing}");
    assert!(missing.to_string().contains("none.jsonl"));
    let not_text = folder.path().join("bytes.jsonl");
    std::fs::write(&not_text, [0xff, 0xfe]).unwrap();
    let unreadable = ScriptedModel::load(&not_text).unwrap_err();
    assert!(matches!(unreadable, ScriptError::Unreadable { .. }), "{unreadable}");
}
