//! What only this protocol does: lines, calls without ids, errors that are a sentence.

use crate::rehearsal::{read, told};
use crate::reply::{Fault, Whole};
use contract::body::FailureClass;
use contract::config::Protocol;

fn of(lines: &str) -> Result<Whole, Fault> {
    read(Protocol::Ollama, lines.as_bytes())
}

#[test]
fn calls_get_a_name_where_they_have_none_and_any_form_of_arguments_is_read() {
    let lines = r#"{"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}
{"message":{"tool_calls":[{"function":{"name":"a","arguments":{"x":1}}},{"id":"given","function":{"name":"b","arguments":"{}"}},{"function":{"name":"c"}}]}}

{"message":{"content":"said"},"done":true,"done_reason":"stop","prompt_eval_count":4,"eval_count":2}"#;
    let whole = of(lines).unwrap();
    let told = told(&whole);
    assert_eq!(told[..2], [r#"opaque {"thinking":"hm"}"#, "text said"]);
    assert!(told[2].ends_with("-0 a {\"x\":1}") && told[3] == "call given b {}" && told[4].ends_with("-2 c {}"), "{told:?}");
    assert_eq!((whole.usage.input, whole.usage.output), (4, 2));
}

#[test]
fn a_line_that_is_an_error_or_an_end_too_early_is_a_fault() {
    let half = r#"{"message":{"content":"half"},"done":false}"#;
    let class = |lines: &str| of(lines).unwrap_err().failure().class;
    assert!(matches!(of(half), Err(Fault::Cut)));
    assert!(matches!(of(&format!("{half}\n{{\"done\":true,\"done_reason\":\"length\"}}")), Err(Fault::OutputLimit)));
    assert_eq!(class(&format!("{half}\n{{\"error\":\"an error was encountered\"}}\n")), FailureClass::Transient);
    assert_eq!(class(r#"{"error":"prompt too long; exceeded max context length by 5 tokens"}"#), FailureClass::ContextTooLong);
    assert!(matches!(of(r#"{"done":true,"done_reason":"load"}"#), Err(Fault::Empty)));
}
