//! `process_signal`: a signal for the process group of a running command.

use super::about::{self, Attempt};
use super::{Run, Tool, finished};
use crate::supervise::Command;
use crate::{args, texts};
use contract::call::{Class, Prepared, Risk};
use contract::crash;
use contract::port::{BoxFuture, Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use rustix::process::Signal;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: Tool = Tool {
    name: "process_signal",
    description: texts::PROCESS_SIGNAL,
    class: Class::Unsafe,
    risk: Risk::Medium,
    schema: args::schema::<Args>,
    prepare,
    run: Run::About { start },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The running call, such as call_3_0.
    call: String,
    /// The name of the signal.
    signal: Name,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(inline)]
enum Name {
    Term,
    Int,
    Hup,
    Kill,
    Usr1,
    Usr2,
    Stop,
    Cont,
}

impl Name {
    fn text(self) -> &'static str {
        match self {
            Name::Term => "TERM",
            Name::Int => "INT",
            Name::Hup => "HUP",
            Name::Kill => "KILL",
            Name::Usr1 => "USR1",
            Name::Usr2 => "USR2",
            Name::Stop => "STOP",
            Name::Cont => "CONT",
        }
    }

    fn signal(self) -> Signal {
        match self {
            Name::Term => Signal::TERM,
            Name::Int => Signal::INT,
            Name::Hup => Signal::HUP,
            Name::Kill => Signal::KILL,
            Name::Usr1 => Signal::USR1,
            Name::Usr2 => Signal::USR2,
            Name::Stop => Signal::STOP,
            Name::Cont => Signal::CONT,
        }
    }

    /// Whether whoever sends it wants the command to end.
    fn ends(self) -> bool {
        match self {
            Name::Term | Name::Kill => true,
            Name::Int | Name::Hup | Name::Usr1 | Name::Usr2 | Name::Stop | Name::Cont => false,
        }
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    let (target, tool) = about::find_process(&call.open, &args.call)?;
    let preview = texts::signal_preview(target, tool, args.signal.text());
    let prepared = Prepared { target: Some(target), ..Prepared::default() };
    Ok(Preparation { class: Class::Unsafe, risk: Risk::Medium, prepared, preview: Some(preview) })
}

fn start(job: ToolJob, attempt: Option<Attempt>) -> BoxFuture<'static, RawOutcome> {
    Box::pin(async move { finished(send(&job, attempt).await) })
}

async fn send(job: &ToolJob, attempt: Option<Attempt>) -> Result<String, String> {
    let args: Args = args::parse(TOOL.name, &job.args).map_err(|refused| refused.message)?;
    let attempt = attempt.ok_or_else(|| texts::not_running(&args.call))?;
    attempt.tell(&Command::Signal(args.signal.signal().as_raw())).await?;
    crash::point("signalled");
    Ok(texts::signal_sent(attempt.target.call, args.signal.text(), args.signal.ends()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::{CALL, desk, desk_with_open_call, target};
    use serde_json::json;

    const NAMES: [&str; 8] = ["TERM", "INT", "HUP", "KILL", "USR1", "USR2", "STOP", "CONT"];

    #[test]
    fn preparing_names_the_signal_and_the_call() {
        let desk = desk_with_open_call("process_signal");
        for name in NAMES {
            let expected = Preparation {
                class: Class::Unsafe,
                risk: Risk::Medium,
                prepared: Prepared { target: Some(CALL), ..Prepared::default() },
                preview: Some(format!("Signal {name} to call_3_0 (shell)")),
            };
            assert_eq!(desk.prepare(&json!({"call": "call_3_0", "signal": name})), Ok(expected));
        }
        assert!(desk.prepare(&json!({"call": "call_3_0", "signal": "SEGV"})).unwrap_err().contains("/signal: expected one of \"TERM\", "));
        let absent = desk.prepare(&json!({"call": "call_9_0", "signal": "TERM"}));
        assert_eq!(absent, Err(texts::not_open("call_9_0", &desk.open)));
    }

    #[test]
    fn every_name_means_its_own_signal_and_the_schema_lists_them() {
        let numbers = NAMES.map(|name| serde_json::from_value::<Name>(json!(name)).unwrap().signal().as_raw());
        assert_eq!(numbers, [15, 2, 1, 9, 10, 12, 19, 18]);
        let signal = &args::schema::<Args>()["properties"]["signal"];
        assert_eq!((&signal["type"], &signal["enum"]), (&json!("string"), &json!(NAMES)));
    }

    #[test]
    fn only_a_command_takes_signals() {
        let mut desk = desk("process_signal");
        desk.open = vec![(CALL, "write_file".into())];
        assert_eq!(desk.prepare(&json!({"call": "call_3_0", "signal": "INT"})), Err(texts::not_a_command(CALL, "write_file")));
    }

    #[test]
    fn a_call_that_ended_or_does_not_answer_got_nothing() {
        let desk = desk_with_open_call("process_signal");
        let args = json!({"call": "call_3_0", "signal": "TERM"});
        assert_eq!(desk.run(&args), Err(texts::not_running("call_3_0")));
        let unreached = desk.run_about(&args, target()).unwrap_err();
        assert!(unreached.starts_with("call_3_0 did not answer: No such file"), "{unreached}");
        assert!(desk.run(&json!({"call": "call_3_0"})).unwrap_err().contains("`signal` is missing"));
    }
}
