//! `wait_for`: time, the end of a running call, or a line that it prints. For time and ends the session itself waits, across
//! crashes too; what is printed is watched here, and watched anew by the next owner.

use super::about::{self, Attempt};
use super::{Run, Tool, finished, refuse};
use crate::supervise::claim::{self, Look};
use crate::supervise::{Folder, output};
use crate::{args, texts};
use contract::call::{Class, Prepared, Risk, Touches, Wants};
use contract::limits::WAIT_MS_MAX;
use contract::port::{BoxFuture, Preparation, Prepare, PrepareRefused, RawOutcome, ToolJob};
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::Instant;

/// Pause between two looks at what a command prints.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Bytes of the end of the output that are searched; what prints more between two looks has no line to wait for.
const WATCHED_BYTES_MAX: usize = 256 * 1024;
/// Looks before a command that has no folder yet counts as ended: two seconds, for a machine that is busy.
const LOOKS_BEFORE_ABSENT: u32 = 20;
/// Characters shown of the line that matched.
const LINE_CHARS_MAX: usize = 500;

pub(super) const TOOL: Tool = Tool {
    name: "wait_for",
    description: texts::WAIT_FOR,
    class: Class::Pure,
    risk: Risk::Low,
    schema: args::schema::<Args>,
    prepare,
    run: Run::About { start },
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// How long to wait at most, in seconds; fractions are allowed.
    seconds: f64,
    /// The running call whose end is waited for, such as call_3_0; only the time by default.
    call: Option<String>,
    /// Regular expression (Rust syntax) for a line that the call prints: waits until it is there, the call ends, or time is up.
    until: Option<String>,
}

impl Args {
    fn until(&self) -> Result<Option<Regex>, String> {
        let regex = self.until.as_deref().map(Regex::new).transpose();
        regex.map_err(|error| texts::bad_until(&error))
    }

    /// Whole milliseconds, at least one.
    fn ms(&self) -> Option<u64> {
        let ms = self.seconds * 1_000.0;
        (self.seconds > 0.0 && ms <= WAIT_MS_MAX as f64).then_some((ms.round() as u64).max(1))
    }
}

fn prepare(call: &Prepare) -> Result<Preparation, PrepareRefused> {
    let args: Args = args::parse(TOOL.name, &call.args)?;
    let ms = args.ms().ok_or_else(|| refuse(texts::bad_wait(WAIT_MS_MAX / 1_000)))?;
    let found = args.call.as_deref().map(|named| about::find(&call.open, named)).transpose()?;
    let target = found.map(|(target, _)| target);
    let wants = match (args.until().map_err(refuse)?, &args.call) {
        (None, _) => Some(Wants::Wait { ms }),
        (Some(_), Some(named)) => about::find_process(&call.open, named).map(|_| None)?,
        (Some(_), None) => return Err(refuse(texts::UNTIL_WITHOUT_CALL)),
    };
    // A line that came is shown.
    let touches = if wants.is_none() { Touches::PRIVATE } else { Touches::default() };
    let prepared = Prepared { target, wants, touches, ..Prepared::default() };
    Ok(Preparation { class: Class::Pure, risk: Risk::Low, prepared, preview: None })
}

fn start(job: ToolJob, attempt: Option<Attempt>) -> BoxFuture<'static, RawOutcome> {
    Box::pin(async move { finished(watch(&job, attempt).await) })
}

async fn watch(job: &ToolJob, attempt: Option<Attempt>) -> Result<String, String> {
    let args: Args = args::parse(TOOL.name, &job.args).map_err(|refused| refused.message)?;
    let (Some(regex), Some(ms)) = (args.until()?, args.ms()) else { return Err(texts::BY_SESSION.to_owned()) };
    let Some(Attempt { target, folder }) = attempt else { return Ok(texts::not_running(&args.call.unwrap_or_default())) };
    let deadline = Instant::now() + Duration::from_millis(ms);
    let mut looks = 0;
    loop {
        // Looked at before its output, so that what it printed last is not missed.
        let has_ended = has_ended(&folder, looks);
        let printed = output::tail(folder.path(), WATCHED_BYTES_MAX).unwrap_or_default();
        if let Some(line) = printed.lines().find(|line| regex.is_match(line)) {
            return Ok(texts::line_came(target.call, &line.chars().take(LINE_CHARS_MAX).collect::<String>()));
        }
        if has_ended {
            return Ok(texts::line_never_came(target.call));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(texts::line_not_yet(target.call, args.seconds));
        }
        looks += 1;
        tokio::time::sleep(left.min(LOOK_EVERY)).await;
    }
}

fn has_ended(folder: &Folder, looks: u32) -> bool {
    match claim::look(folder) {
        Ok(Look::Alive) => false,
        // Its supervisor may be about to begin; one that was there and is not has ended.
        Ok(Look::Absent) => looks >= LOOKS_BEFORE_ABSENT,
        Ok(Look::Void | Look::Dead(_)) => true,
        Err(_) => looks >= LOOKS_BEFORE_ABSENT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::{CALL, desk_with_open_call};
    use contract::id::CallId;
    use serde_json::json;

    fn wanted(args: &serde_json::Value) -> Result<(Option<CallId>, Option<Wants>), String> {
        let preparation = desk_with_open_call("wait_for").prepare(args)?;
        assert_eq!((preparation.class, preparation.risk, preparation.preview), (Class::Pure, Risk::Low, None));
        let Prepared { target, wants, .. } = preparation.prepared;
        Ok((target, wants))
    }

    #[test]
    fn the_session_is_asked_for_time_or_the_end_of_a_call() {
        assert_eq!(wanted(&json!({"seconds": 90})), Ok((None, Some(Wants::Wait { ms: 90_000 }))));
        assert_eq!(wanted(&json!({"seconds": 0.25, "call": "call_3_0"})), Ok((Some(CALL), Some(Wants::Wait { ms: 250 }))));
        assert_eq!(wanted(&json!({"seconds": 0.000_1})), Ok((None, Some(Wants::Wait { ms: 1 }))));
        assert_eq!(wanted(&json!({"seconds": 604_800})), Ok((None, Some(Wants::Wait { ms: WAIT_MS_MAX }))));
    }

    #[test]
    fn a_line_is_watched_for_here_and_only_where_one_can_come() {
        assert_eq!(wanted(&json!({"seconds": 5, "call": "call_3_0", "until": "^ready"})), Ok((Some(CALL), None)));
        let mut desk = desk_with_open_call("wait_for");
        desk.open = vec![(CALL, "wait_for".into())];
        let args = json!({"seconds": 5, "call": "call_3_0", "until": "x"});
        assert_eq!(desk.prepare(&args), Err(texts::not_a_command(CALL, "wait_for")));
        assert_eq!(desk.run(&args), Ok(texts::not_running("call_3_0")));
    }

    #[test]
    fn a_wait_that_cannot_be_meant_is_refused() {
        for seconds in [0.0, -1.0, 604_800.001, f64::MAX] {
            assert_eq!(wanted(&json!({"seconds": seconds})), Err(texts::bad_wait(604_800)), "{seconds}");
        }
        for seconds in [f64::NAN, f64::INFINITY] {
            assert_eq!(Args { seconds, call: None, until: None }.ms(), None);
        }
        assert_eq!(wanted(&json!({"seconds": 1, "until": "x"})), Err(texts::UNTIL_WITHOUT_CALL.into()));
        assert!(wanted(&json!({"seconds": 1, "call": "call_3_0", "until": "("})).unwrap_err().contains("`until` is not"));
        let open = desk_with_open_call("wait_for").open;
        assert_eq!(wanted(&json!({"seconds": 1, "call": "call_9_9"})), Err(texts::not_open("call_9_9", &open)));
    }
}
