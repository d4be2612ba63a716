//! Something is asked of a person, and the ask ends once: answered, expired or overtaken.

use super::tool::end;
use super::{delivery, illegal};
use crate::ledger::as_much_again;
use crate::prompts;
use crate::state::{Call, Halt, OpenAsk, Repeats, Stage, State};
use contract::ask::{Answer, LimitKind, Subject};
use contract::body::{AskAnswered, AskExpired, AskOpened, AskSuperseded, FinishReason, SupersedeReason, Verdict, WithdrawReason};
use contract::event::Event;
use contract::id::{AskId, CallId};
use contract::limits::APPROVAL_VALID_MS;
use contract::machine::Illegal;
use contract::planted::{self, Bug};
use contract::request::CallResult;
use contract::rule::{Rule, RuleEffect};
use contract::units::Time;

pub fn opened(state: &mut State, event: &Event, opened: &AskOpened) -> Result<(), Illegal> {
    state.gate = None;
    let ask = &opened.ask;
    match &ask.subject {
        Subject::Tool { call, action, .. } | Subject::Question { call, action, .. } | Subject::Reconcile { call, action, .. } => {
            match state.calls.get_mut(call) {
                Some(open) if open.action == *action && can_be_held(&ask.subject, &open.stage) => open.stage = Stage::Held(ask.ask),
                Some(open) => return Err(illegal(event, format!("{call} is {:?}", open.stage))),
                None => return Err(illegal(event, format!("{call} is not open"))),
            }
        }
        Subject::Limit { .. } | Subject::Resume => {}
    }
    let root = event.draft.correlation.unwrap_or(event.draft.id);
    let open = OpenAsk { ask: ask.clone(), opened: event.draft.id, root, version: event.version };
    match state.asks.insert(ask.ask, open) {
        None => Ok(()),
        Some(_) => Err(illegal(event, format!("the ask {} is open", ask.ask))),
    }
}

/// A lost attempt that may be repeated is asked about like a first one.
fn can_be_held(subject: &Subject, stage: &Stage) -> bool {
    match subject {
        Subject::Tool { .. } => matches!(stage, Stage::Decided | Stage::Unknown),
        Subject::Question { .. } => *stage == Stage::Decided,
        Subject::Reconcile { .. } => *stage == Stage::Unknown,
        Subject::Limit { .. } | Subject::Resume => false,
    }
}

pub fn answered(state: &mut State, event: &Event, answered: &AskAnswered) -> Result<(), Illegal> {
    let open = close(state, event, answered.ask)?;
    if !answered.answer.fits(open.ask.subject.kind()) {
        return Err(illegal(event, format!("the ask is of kind {}", open.ask.subject.kind().name())));
    }
    state.seen.insert(answered.key.clone(), event.version);
    state.recoveries = 0;
    state.rules.extend(answered.rule.clone());
    delivery::wanted(state, event, &open, answered);
    let looks = open.ask.subject.call().and_then(|call| state.calls.get(&call)).is_some_and(|call| call.prepared.touches.private);
    if state.taint.seen.untrusted && (state.taint.seen.private || looks) {
        state.taint.allowed.extend(answered.rule.clone());
    }
    match &open.ask.subject {
        Subject::Tool { call, .. } => tool_answered(state, event.time, *call, open.ask.until, &answered.answer),
        Subject::Question { call, .. } => question_answered(state, *call, &answered.answer),
        Subject::Reconcile { call, .. } => reconcile_answered(state, *call, &answered.answer),
        Subject::Limit { limit, .. } => limit_answered(state, *limit, &answered.answer),
        Subject::Resume => go_on_answered(state, &answered.answer),
    }
    Ok(())
}

pub fn expired(state: &mut State, event: &Event, expired: &AskExpired) -> Result<(), Illegal> {
    let open = close(state, event, expired.ask)?;
    if open.ask.until.is_none_or(|until| event.time < until) {
        return Err(illegal(event, "the ask may still be answered"));
    }
    if let Some(call) = held_call(state, &open) {
        call.stage = Stage::Refused(WithdrawReason::Expired, prompts::withdrawn_expired());
    }
    Ok(())
}

pub fn superseded(state: &mut State, event: &Event, superseded: &AskSuperseded) -> Result<(), Illegal> {
    let open = close(state, event, superseded.ask)?;
    let (reason, note) = match superseded.reason {
        SupersedeReason::NewerMessage => (WithdrawReason::NewerMessage, prompts::withdrawn_newer_message()),
        SupersedeReason::Stopped => (WithdrawReason::Stopped, prompts::withdrawn_stopped()),
    };
    let unknown = matches!(open.ask.subject, Subject::Reconcile { .. });
    if let Some(call) = held_call(state, &open) {
        call.stage = if unknown { Stage::Unknown } else { Stage::Refused(reason, note) };
    }
    Ok(())
}

fn close(state: &mut State, event: &Event, ask: AskId) -> Result<OpenAsk, Illegal> {
    state.asks.remove(&ask).ok_or_else(|| illegal(event, format!("there is no open ask {ask}")))
}

fn held_call<'a>(state: &'a mut State, open: &OpenAsk) -> Option<&'a mut Call> {
    let call = state.calls.get_mut(&open.ask.subject.call()?)?;
    (call.stage == Stage::Held(open.ask.ask)).then_some(call)
}

fn tool_answered(state: &mut State, now: Time, id: CallId, until: Option<Time>, answer: &Answer) {
    let Some(call) = state.calls.get_mut(&id) else { return };
    let hour = now.plus_ms(APPROVAL_VALID_MS);
    let approved_until = Some(until.map_or(hour, |until| until.min(hour)));
    match answer {
        Answer::Approve { .. } => {
            call.approved_until = approved_until;
            // A lost attempt that may be repeated was asked about again.
            call.stage = if call.lost.is_some() { Stage::Unknown } else { Stage::Decided };
            if planted::active(Bug::AskUnbound) {
                state.rules.push(Rule::every(RuleEffect::Allow, &call.tool));
            }
        }
        // The edited call follows in the same append; without it, nothing was decided.
        Answer::Edit { .. } => {
            call.approved_until = approved_until;
            call.stage = Stage::Refused(WithdrawReason::NeverDecided, prompts::withdrawn_never_decided());
        }
        Answer::Deny { message, stop } => {
            call.stage = Stage::Refused(WithdrawReason::Denied, prompts::denied(message.as_ref()));
            if *stop {
                stop_run(state, FinishReason::Denied);
            }
        }
        Answer::Reply(_) | Answer::Extend { .. } => {}
    }
}

fn question_answered(state: &mut State, id: CallId, answer: &Answer) {
    let Some(call) = state.calls.get_mut(&id) else { return };
    match answer {
        Answer::Reply(text) => {
            let provider_call = call.provider_call.clone();
            let output = Some(text.clone());
            end(state, id, CallResult::noted(id, provider_call, true, None, output));
        }
        Answer::Deny { message, stop } => {
            call.stage = Stage::Refused(WithdrawReason::Denied, prompts::declined(message.as_ref()));
            if *stop {
                stop_run(state, FinishReason::Denied);
            }
        }
        Answer::Approve { .. } | Answer::Edit { .. } | Answer::Extend { .. } => {}
    }
}

fn reconcile_answered(state: &mut State, id: CallId, answer: &Answer) {
    let judged = match answer {
        Answer::Approve { .. } => Some((Verdict::Happened, None, false)),
        Answer::Deny { message, stop } => Some((Verdict::NotHappened, message.clone(), *stop)),
        Answer::Edit { .. } | Answer::Reply(_) | Answer::Extend { .. } => None,
    };
    if let (Some((verdict, message, stop)), Some(call)) = (judged, state.calls.get_mut(&id)) {
        call.stage = Stage::Judged(verdict, message);
        if stop {
            stop_run(state, FinishReason::Denied);
        }
    }
}

fn limit_answered(state: &mut State, limit: LimitKind, answer: &Answer) {
    if limit == LimitKind::CrashLoop {
        return go_on_answered(state, answer);
    }
    let amount = match answer {
        Answer::Approve { .. } => state.run.as_ref().map(|run| as_much_again(run, limit)),
        Answer::Extend { amount } => Some(*amount),
        Answer::Deny { .. } | Answer::Edit { .. } | Answer::Reply(_) => None,
    };
    let Some(amount) = amount else {
        return not_extended(state, limit, answer);
    };
    // Time, turns, repeats and going beyond a day are a run's own, unlike what the whole session uses up.
    let extended = match (limit, &mut state.run) {
        (LimitKind::WallTime, Some(run)) => &mut run.clock.extended_ms,
        (LimitKind::Turns, Some(run)) => &mut run.turns.extended,
        (LimitKind::Day, Some(run)) => {
            run.day.refused = None;
            &mut run.day.extended
        }
        (LimitKind::Loop, Some(run)) => return run.repeats = Repeats::default(),
        _ => state.ledger.extended.entry(limit).or_default(),
    };
    *extended = extended.saturating_add(amount);
}

fn not_extended(state: &mut State, limit: LimitKind, answer: &Answer) {
    match (limit, answer, &mut state.run) {
        // What was found out so far is worth one more reply, unless nothing more is wanted.
        (LimitKind::Turns, Answer::Deny { stop: false, .. }, Some(run)) => run.turns.last = true,
        _ => stop_run(state, FinishReason::Budget),
    }
}

fn go_on_answered(state: &mut State, answer: &Answer) {
    if !matches!(answer, Answer::Deny { .. }) {
        return;
    }
    if state.run.is_some() {
        return stop_run(state, FinishReason::Denied);
    }
    // No run is open yet: what the person does not want is the message that was about to start one.
    if let Some(place) = state.inbox.iter().position(|message| message.starts) {
        state.inbox.remove(place);
    }
}

/// The run ends as soon as nothing of its foreground is open.
pub(super) fn stop_run(state: &mut State, reason: FinishReason) {
    if let Some(run) = &mut state.run {
        // Whoever stopped it meanwhile has the last word about how it ends.
        if run.stop != Some(FinishReason::Stopped) {
            run.stop = Some(reason);
        }
        run.paused = false;
        for call in state.calls.values_mut().filter(|call| call.foreground) {
            call.halt = Some(Halt::Stopped);
        }
    }
}
