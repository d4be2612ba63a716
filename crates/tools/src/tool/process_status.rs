//! `process_status`: how long a running call has been running, and the end of its output.

use super::about::{self, Attempt};
use super::{Run, Tool, finished};
use crate::supervise::output;
use crate::{args, texts};
use contract::call::{Class, Prepared, Risk, Touches};
use contract::port::{BoxFuture, Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use schemars::JsonSchema;
use serde::Deserialize;

/// Bytes of the end of the output that are shown: enough for the last screen, few enough to ask often.
const SHOWN_BYTES_MAX: usize = 4 * 1024;

pub(super) const TOOL: Tool = Tool {
    name: "process_status",
    description: texts::PROCESS_STATUS,
    class: Class::Pure,
    risk: Risk::Low,
    schema: args::schema::<Args>,
    prepare,
    run: Run::About { start },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The running call, such as call_3_0.
    call: String,
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    let (target, _) = about::find(&call.open, &args.call)?;
    let prepared = Prepared { target: Some(target), touches: Touches::PRIVATE, ..Prepared::default() };
    Ok(Preparation { class: Class::Pure, risk: Risk::Low, prepared, preview: None })
}

/// Reads only a few kibibytes that were just written, so it need not leave this thread.
fn start(job: ToolJob, attempt: Option<Attempt>) -> BoxFuture<'static, RawOutcome> {
    let args = args::parse::<Args>(TOOL.name, &job.args).map_err(|refused| refused.message);
    Box::pin(std::future::ready(finished(args.map(|args| look(&args, attempt.as_ref())))))
}

fn look(args: &Args, attempt: Option<&Attempt>) -> String {
    let Some(Attempt { target, folder }) = attempt else { return texts::not_running(&args.call) };
    let output = output::tail(folder.path(), SHOWN_BYTES_MAX).unwrap_or_default();
    texts::call_running(target.call, &target.tool, target.now.0.saturating_sub(target.since.0), &output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::{CALL, desk, desk_with_open_call, target};
    use contract::port::Target;
    use contract::units::Time;
    use serde_json::json;

    #[test]
    fn preparing_names_the_call() {
        let prepared = Prepared { target: Some(CALL), touches: Touches::PRIVATE, ..Prepared::default() };
        let expected = Preparation { class: Class::Pure, risk: Risk::Low, prepared, preview: None };
        let args = json!({"call": "call_3_0"});
        assert_eq!(desk_with_open_call("process_status").prepare(&args), Ok(expected));
        assert_eq!(desk("process_status").prepare(&args), Err(texts::not_open("call_3_0", &[])));
    }

    #[test]
    fn a_call_that_does_not_run_is_no_failure_and_may_never_have_begun() {
        let desk = desk_with_open_call("process_status");
        let told = "call_3_0 is not running: it has ended, or waits and has not begun. What comes of it was told to you or will be.";
        assert_eq!(desk.run(&json!({"call": "call_3_0"})), Ok(told.into()));
        assert!(desk.run(&json!({})).unwrap_err().contains("`call` is missing"));
    }

    #[test]
    fn the_time_and_the_end_of_the_output_are_told() {
        let desk = desk_with_open_call("process_status");
        let look = |target: Target| desk.run_about(&json!({"call": "call_3_0"}), target).unwrap();
        let nothing = "call_3_0 (shell) has been running for 1 min 5 s. It has printed nothing yet.";
        assert_eq!(look(target()), nothing, "its folder is not there yet");
        let folder = desk.attempt_of(&target());
        std::fs::create_dir_all(folder.path()).unwrap();
        let print = |text: &str| std::fs::write(folder.path().join("output"), text).unwrap();
        print("");
        assert_eq!(look(target()), nothing);
        print(&format!("first{}last", "x".repeat(SHOWN_BYTES_MAX - 4)));
        let shown = format!("{}last", "x".repeat(SHOWN_BYTES_MAX - 4));
        assert_eq!(look(target()), format!("call_3_0 (shell) has been running for 1 min 5 s. The end of its output:\n{shown}"));
        let clock_went_back = Target { now: Time(0), ..target() };
        assert!(look(clock_went_back).starts_with("call_3_0 (shell) has been running for less than a second."));
    }
}
