//! `wait_for`: time, or the end of a running call. The session itself waits; here is only what it is asked for.

use super::{Run, Tool, about, refuse};
use crate::{args, texts};
use contract::call::{Class, Prepared, Risk, Wants};
use contract::limits::WAIT_MS_MAX;
use contract::port::{Preparation, Prepare, PrepareRefused};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: Tool = Tool {
    name: "wait_for",
    description: texts::WAIT_FOR,
    class: Class::Pure,
    risk: Risk::Low,
    schema: args::schema::<Args>,
    prepare,
    run: Run::BySession,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// How long to wait at most, in seconds; fractions are allowed.
    seconds: f64,
    /// The running call whose end is waited for, such as call_3_0; only the time by default.
    call: Option<String>,
}

impl Args {
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
    let prepared = Prepared { target, wants: Some(Wants::Wait { ms }), ..Prepared::default() };
    Ok(Preparation { class: Class::Pure, risk: Risk::Low, prepared, preview: None })
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
    fn a_wait_that_cannot_be_meant_is_refused() {
        for seconds in [0.0, -1.0, 604_800.001, f64::MAX] {
            assert_eq!(wanted(&json!({"seconds": seconds})), Err(texts::bad_wait(604_800)), "{seconds}");
        }
        for seconds in [f64::NAN, f64::INFINITY] {
            assert_eq!(Args { seconds, call: None }.ms(), None);
        }
        let open = desk_with_open_call("wait_for").open;
        assert_eq!(wanted(&json!({"seconds": 1, "call": "call_9_9"})), Err(texts::not_open("call_9_9", &open)));
    }
}
