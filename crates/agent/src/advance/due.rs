//! What time brings: asks that nobody answered, waits that are over, patience that has run out.

use super::{ask_model, finish};
use crate::draft::{About, Drafts};
use crate::state::{Attempt, Call, Retry, Stage, State};
use crate::{ledger, prompts};
use contract::body::{AskExpired, Mode, TimerCancelled, TimerFired, ToolBackgrounded, ToolDeferred};
use contract::id::{CallId, Key};
use contract::limits::{BACKGROUND_TOOLS_MAX, PATIENCE_QUEUED_MS};
use contract::units::Time;

pub fn step(state: &State, now: Time, drafts: &mut Drafts<'_>) {
    for open in state.asks.values().filter(|open| open.ask.until.is_some_and(|until| now >= until)) {
        let about = About { call: open.ask.subject.call(), ..About::system(Some(open.opened)) };
        drafts.fact(&Key::expiry(open.ask.ask), about, AskExpired { ask: open.ask.ask });
    }
    for (id, call) in &state.calls {
        match &call.stage {
            Stage::Waiting { timer, at } => {
                let about = About::system(Some(call.decided)).call(*id);
                let target = call.prepared.target.filter(|target| !state.calls.contains_key(target));
                if let Some(target) = target {
                    drafts.intent(about, TimerCancelled { timer: *timer, note: prompts::timer_target_ended(target) });
                } else if now >= *at {
                    let note = prompts::timer_fired(waited_ms(call));
                    drafts.fact(&Key::timer(*timer), about, TimerFired { timer: *timer, note });
                }
            }
            Stage::Started(attempt) if patience_ends(state, call, attempt).is_some_and(|end| now >= end) => {
                background(*id, call, attempt, now, drafts);
            }
            Stage::Started(_) | Stage::Decided | Stage::Held(_) | Stage::Refused(..) | Stage::Unknown | Stage::Judged(..) => {}
        }
    }
}

/// When the session has something to do by itself.
pub(crate) fn due(state: &State) -> Option<Time> {
    let asks = state.asks.values().filter_map(|open| open.ask.until);
    let calls = state.calls.values().filter_map(|call| match &call.stage {
        Stage::Waiting { at, .. } => Some(*at),
        Stage::Started(attempt) => patience_ends(state, call, attempt),
        Stage::Decided | Stage::Held(_) | Stage::Refused(..) | Stage::Unknown | Stage::Judged(..) => None,
    });
    asks.chain(calls).chain(of_run(state)).min()
}

/// A run that stands still has no time of its own.
fn of_run(state: &State) -> impl Iterator<Item = Time> {
    let run = state.run.as_ref().filter(|run| !finish::is_over(state, run) && !state.is_parked());
    let asks = run.filter(|run| !ask_model::is_held_up(state, run));
    let retry = asks.and_then(|run| match run.retry {
        Retry::At(at) => Some(at),
        Retry::No | Retry::Wanted { .. } => None,
    });
    let limit = run.filter(|_| !state.waits_for_person()).and_then(ledger::out_of_time_at);
    retry.into_iter().chain(limit)
}

/// When the run stops waiting for this call; not before it is known that it runs.
fn patience_ends(state: &State, call: &Call, attempt: &Attempt) -> Option<Time> {
    let has_room = state.calls.len() - state.foreground().count() < BACKGROUND_TOOLS_MAX;
    let waits = call.foreground && attempt.deadline.is_none() && !state.is_sought(attempt) && has_room;
    let patience = call.prepared.patience_ms.filter(|_| waits)?;
    let queued = state.inbox.iter().any(|message| message.mode == Mode::Queue);
    Some(attempt.since.plus_ms(if queued { patience.min(PATIENCE_QUEUED_MS) } else { patience }))
}

fn background(id: CallId, call: &Call, attempt: &Attempt, now: Time, drafts: &mut Drafts<'_>) {
    let about = About::system(Some(attempt.started)).call(id);
    if !call.deferred {
        let note = prompts::backgrounded(id, now.0.saturating_sub(attempt.since.0));
        drafts.intent(about.clone(), ToolDeferred { action: call.action, note, output: attempt.tail.clone() });
    }
    drafts.intent(about, ToolBackgrounded { action: call.action });
}

fn waited_ms(call: &Call) -> u64 {
    match call.prepared.wants {
        Some(contract::call::Wants::Wait { ms }) => ms,
        Some(contract::call::Wants::Answer { .. }) | None => 0,
    }
}
