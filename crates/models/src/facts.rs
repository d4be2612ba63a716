//! Results of calls as text: facts in lines, then what was printed. No sentences; those stand in the items already.

use contract::request::CallResult;
use contract::text::Text;
use std::borrow::Cow;

/// The text of an item, without a copy where it is whole.
pub fn whole(text: &Text) -> Cow<'_, str> {
    match text {
        Text::Inline(text) => Cow::Borrowed(text),
        Text::Blob { .. } => Cow::Owned(text.shown()),
    }
}

/// What came of a call: output alone where there is nothing else to know.
pub fn result(result: &CallResult) -> Cow<'_, str> {
    let mut lines = Vec::new();
    lines.extend(result.exit.filter(|exit| *exit != 0).map(|exit| format!("exit: {exit}")));
    lines.extend(result.signal.map(|signal| format!("signal: {signal}")));
    lines.extend(result.note.as_ref().map(|note| format!("note: {}", whole(note))));
    if lines.is_empty() && !result.ok {
        lines.push("ok: false".to_owned());
    }
    before_output(lines, result)
}

/// What came of a call whose result had to say that it was still running; the call under the id that the model knows.
pub fn late(id: &str, result: &CallResult) -> String {
    let mut lines = vec![format!("late result of call: {id}"), format!("ok: {}", result.ok)];
    lines.extend(result.exit.map(|exit| format!("exit: {exit}")));
    lines.extend(result.signal.map(|signal| format!("signal: {signal}")));
    lines.extend(result.note.as_ref().map(|note| format!("note: {}", whole(note))));
    before_output(lines, result).into_owned()
}

fn before_output(lines: Vec<String>, result: &CallResult) -> Cow<'_, str> {
    let output = result.output.as_ref().map(whole).unwrap_or_default();
    match (lines.is_empty(), output.is_empty()) {
        (true, _) => output,
        (false, true) => Cow::Owned(lines.join("\n")),
        (false, false) => Cow::Owned(format!("{}\n\n{output}", lines.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::id::CallId;

    fn of(ok: bool, exit: Option<i32>, signal: Option<i32>, note: Option<&str>, output: Option<&str>) -> CallResult {
        let call = CallId { reply: 3, index: 0 };
        CallResult { call, provider_call: "p".into(), ok, exit, signal, note: note.map(Text::from), output: output.map(Text::from) }
    }

    #[test]
    fn facts_stand_before_the_output_and_only_where_there_are_any() {
        assert_eq!(result(&of(true, Some(0), None, None, Some("out\n"))), "out\n");
        assert_eq!(result(&of(false, Some(7), None, None, Some("out"))), "exit: 7\n\nout");
        assert_eq!(result(&of(false, None, Some(9), Some("stopped"), None)), "signal: 9\nnote: stopped");
        assert_eq!(result(&of(false, None, None, None, Some("no such file"))), "ok: false\n\nno such file");
        assert_eq!(result(&of(true, None, None, None, None)), "");
        assert_eq!(
            late("p", &of(true, Some(0), None, Some("n"), Some("out"))),
            "late result of call: p\nok: true\nexit: 0\nnote: n\n\nout"
        );
    }
}
