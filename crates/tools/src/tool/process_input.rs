//! `process_input`: text for the standard input of a running command.

use super::about::{self, Attempt};
use super::{Run, Tool, finished, refuse};
use crate::supervise::{Command, session};
use crate::{args, texts};
use contract::call::{Class, Prepared, Risk};
use contract::port::{BoxFuture, Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use schemars::JsonSchema;
use serde::Deserialize;

/// Bytes of one input; written as JSON, with six for one, they still fit into one line to the supervisor.
const INPUT_BYTES_MAX: usize = 256 * 1024;

/// Whatever is said to a shell that runs without a sandbox runs without one.
const RISK: Risk = Risk::High;

pub(super) const TOOL: Tool = Tool {
    name: "process_input",
    description: texts::PROCESS_INPUT,
    class: Class::Unsafe,
    risk: RISK,
    schema: args::schema::<Args>,
    prepare,
    run: Run::About { start },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The running call, such as call_3_0.
    call: String,
    /// The text, sent as it is: a line must end with a newline.
    text: String,
    /// Whether the input ends after the text, so that the command reads its end; on a terminal this is Ctrl-D. False by default.
    close: Option<bool>,
}

impl Args {
    fn parse(args: &str) -> Result<Args, PrepareRefused> {
        let args: Args = args::parse(TOOL.name, args)?;
        if args.text.is_empty() && !args.close() {
            return Err(refuse(texts::NOTHING_TO_SEND));
        }
        if args.text.len() > INPUT_BYTES_MAX {
            return Err(refuse(texts::long_input(INPUT_BYTES_MAX)));
        }
        Ok(args)
    }

    fn close(&self) -> bool {
        self.close.unwrap_or(false)
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args = Args::parse(&call.args)?;
    let (target, tool) = about::find_process(&call.open, &args.call)?;
    let preview = texts::input_preview(target, tool, &args.text, args.close());
    let commands = Some(line_of(&args.text).to_owned()).filter(|text| !text.is_empty()).into_iter().collect();
    let prepared = Prepared { target: Some(target), commands, ..Prepared::default() };
    Ok(Preparation { class: Class::Unsafe, risk: RISK, prepared, preview: Some(preview) })
}

/// What rules are held against: the text as a line, for the newline that ends it makes no second command. Of nothing but
/// newlines all are kept, so that a rule that denies everything denies them too.
fn line_of(text: &str) -> &str {
    let line = text.trim_end_matches(['\n', '\r']);
    if line.is_empty() { text } else { line }
}

fn start(job: ToolJob, attempt: Option<Attempt>) -> BoxFuture<'static, RawOutcome> {
    Box::pin(async move { finished(send(&job, attempt).await) })
}

async fn send(job: &ToolJob, attempt: Option<Attempt>) -> Result<String, String> {
    let args = Args::parse(&job.args).map_err(|refused| refused.message)?;
    let attempt = attempt.ok_or_else(|| texts::not_running(&args.call))?;
    let (bytes, close) = (args.text.len(), args.close());
    if bytes > 0 {
        attempt.tell(&Command::Input(args.text)).await?;
    }
    if close {
        attempt.tell(&Command::CloseInput(true)).await?;
    }
    Ok(texts::input_sent(attempt.target.call, bytes, close, session::has_terminal(attempt.folder.path())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::{CALL, desk, desk_with_open_call, target};
    use contract::rule::{Rule, RuleEffect};
    use serde_json::json;

    #[test]
    fn preparing_shows_what_would_be_sent_to_which_call() {
        let desk = desk_with_open_call("process_input");
        let expected = |preview: &str, commands: Vec<String>| Preparation {
            class: Class::Unsafe,
            risk: Risk::High,
            prepared: Prepared { target: Some(CALL), commands, ..Prepared::default() },
            preview: Some(preview.into()),
        };
        let args = json!({"call": "call_3_0", "text": "yes\n"});
        assert_eq!(desk.prepare(&args), Ok(expected("Input for call_3_0 (shell):\nyes\n", vec!["yes".to_owned()])));
        let args = json!({"call": "call_3_0", "text": "", "close": true});
        assert_eq!(desk.prepare(&args), Ok(expected("Input for call_3_0 (shell):\n\n[and then its end]", Vec::new())));
    }

    #[test]
    fn a_rule_with_a_star_allows_a_line_and_not_two() {
        let desk = desk_with_open_call("process_input");
        let rule = |effect, text| Rule::parse(effect, text).unwrap();
        let sent = |text: &str| desk.prepare(&json!({"call": "call_3_0", "text": text})).unwrap().prepared;
        let allowed = rule(RuleEffect::Allow, "process_input(echo *)");
        for (text, is_allowed) in [("echo a\n", true), ("echo a\r\n", true), ("echo a", true), ("echo a\nrm b\n", false), ("\n", false)] {
            assert_eq!(allowed.matches("process_input", &sent(text)), is_allowed, "{text:?}");
        }
        assert!(rule(RuleEffect::Deny, "process_input(*)").matches("process_input", &sent("\n")));
    }

    #[test]
    fn what_can_reach_nobody_is_refused() {
        let desk = desk_with_open_call("process_input");
        let refused = |call: &str, text: &str| desk.prepare(&json!({"call": call, "text": text, "close": false})).unwrap_err();
        assert_eq!(refused("call_3_0", ""), texts::NOTHING_TO_SEND);
        assert_eq!(refused("call_9_0", "x"), texts::not_open("call_9_0", &desk.open));
        assert_eq!(refused("call_3_0", &"x".repeat(INPUT_BYTES_MAX + 1)), texts::long_input(INPUT_BYTES_MAX));
        assert!(desk.prepare(&json!({"call": "call_3_0", "text": "x".repeat(INPUT_BYTES_MAX)})).is_ok());
    }

    #[test]
    fn only_a_command_takes_input() {
        let mut desk = desk("process_input");
        desk.open = vec![(CALL, "wait_for".into())];
        assert_eq!(desk.prepare(&json!({"call": "call_3_0", "text": "x"})), Err(texts::not_a_command(CALL, "wait_for")));
    }

    #[test]
    fn a_call_that_does_not_run_or_does_not_answer_got_nothing() {
        let desk = desk_with_open_call("process_input");
        let args = json!({"call": "call_3_0", "text": "x"});
        assert_eq!(desk.run(&args), Err(texts::not_running("call_3_0")));
        let unreached = desk.run_about(&args, target()).unwrap_err();
        assert!(unreached.starts_with("call_3_0 did not answer: No such file"), "{unreached}");
        let close = json!({"call": "call_3_0", "text": "", "close": true});
        assert!(desk.run_about(&close, target()).unwrap_err().starts_with("call_3_0 did not answer"));
        assert_eq!(desk.run(&json!({"call": "call_3_0", "text": ""})), Err(texts::NOTHING_TO_SEND.into()));
    }
}
