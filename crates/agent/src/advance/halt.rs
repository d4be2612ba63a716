//! What a person stopped or interrupted ends: the model call, the asks, what runs and what has not begun.

use crate::draft::{About, Drafts};
use crate::prompts;
use crate::state::{Call, Halt, OpenAsk, Stage, State};
use contract::body::{AbortReason, AskSuperseded, ModelAborted, SupersedeReason, TimerCancelled, ToolCancelRequested};
use contract::id::CallId;
use contract::limits::STOP_GRACE_MS;
use contract::units::Time;

pub fn step(state: &State, now: Time, drafts: &mut Drafts<'_>) {
    abort_model(state, drafts);
    for open in state.asks.values().filter(|open| is_moot(state, open)) {
        let superseded = AskSuperseded { ask: open.ask.ask, reason: SupersedeReason::Stopped };
        drafts.intent(About { call: open.ask.subject.call(), ..About::system(Some(open.opened)) }, superseded);
    }
    for (id, call) in &state.calls {
        if let Some(halt) = reason(state, call) {
            end(*id, call, halt, now, drafts);
        }
    }
}

/// Whether what is asked about was stopped: the call that waits for the answer, or the run.
fn is_moot(state: &State, open: &OpenAsk) -> bool {
    match open.ask.subject.call() {
        Some(call) => state.calls.get(&call).and_then(|call| reason(state, call)) == Some(Halt::Stopped),
        None => state.is_stopping() || !state.has_work(),
    }
}

/// Why this call must end, if it must.
pub(super) fn reason(state: &State, call: &Call) -> Option<Halt> {
    let with_its_run = (call.foreground && state.is_stopping()).then_some(Halt::Stopped);
    call.halt.or(with_its_run)
}

fn abort_model(state: &State, drafts: &mut Drafts<'_>) {
    let (Some(run), Some(model)) = (&state.run, &state.model) else {
        return;
    };
    let reason = match (&run.stop, run.interrupted) {
        (Some(_), _) => AbortReason::Stopped,
        (None, true) => AbortReason::Interrupted,
        (None, false) => return,
    };
    drafts.intent(About::agent(model.request), ModelAborted { request: model.request, attempt: model.attempt, reason });
}

/// What has not begun, and what nobody knows the end of, is ended by whoever decides about calls.
fn end(id: CallId, call: &Call, halt: Halt, now: Time, drafts: &mut Drafts<'_>) {
    match &call.stage {
        Stage::Started(attempt) if attempt.deadline.is_none() => {
            let deadline = now.plus_ms(STOP_GRACE_MS);
            let note = prompts::stopping(halt);
            let requested = ToolCancelRequested { action: call.action, attempt: attempt.number, deadline, note };
            drafts.intent(About::agent(attempt.started).call(id), requested);
        }
        Stage::Waiting { timer, .. } => {
            let cancelled = TimerCancelled { timer: *timer, note: prompts::timer_stopped(halt) };
            drafts.intent(About::agent(call.decided).call(id), cancelled);
        }
        Stage::Started(_) | Stage::Decided | Stage::Held(_) | Stage::Refused(..) | Stage::Unknown | Stage::Judged(..) => {}
    }
}
