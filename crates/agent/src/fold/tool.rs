//! A call is decided, attempted, and ended once.
//!
//! ```text
//!            ┌─────opened─────▶ held ──expired, denied, overtaken──▶ refused ──withdrawn──▶ ended
//!            │                   │
//! decided ◀──┴──answered yes─────┘
//!  ▲ │ │ └──timer.set──▶ waiting ──fired, cancelled──▶ ended
//!  │ │ └──withdrawn──▶ ended
//!  │ └──started──▶ running ──finished──▶ ended
//!  └──cancelled──────┘ └──unknown──▶ unknown ──reconciled──▶ ended
//!                                     │   └──started──▶ running (pure and idempotent only)
//!                                     └──opened──▶ held ──answered──▶ judged ──reconciled──▶ ended
//! ```
//!
//! An ask about an unknown attempt that is overtaken leaves it unknown; one about starting it again is like any other.
//! A call may be deferred at any place: then its end is told as a late outcome and not as its result.

use super::illegal;
use crate::state::{Attempt, Call, KnownFile, Lost, Repeats, Stage, State};
use contract::body::{
    ActionDecided, ActionWithdrawn, ToolAdopted, ToolBackgrounded, ToolCancelRequested, ToolCancelled, ToolDeferred, ToolFinished,
    ToolProgress, ToolReconciled, ToolStarted, ToolUnknown, Verdict,
};
use contract::event::Event;
use contract::id::{ActionId, CallId, Sha256};
use contract::limits::FILES_KNOWN_MAX;
use contract::machine::Illegal;
use contract::planted::{self, Bug};
use contract::request::CallResult;
use contract::text::Text;

pub fn decided(state: &mut State, event: &Event, decided: &ActionDecided) -> Result<(), Illegal> {
    let before = match decided.replaces {
        Some(replaced) => Some(edited_call(state, event, decided.call, replaced)?.clone()),
        None => {
            let waits = state.reply.as_mut().and_then(|reply| reply.undecided.remove(&decided.call));
            if waits.is_none() {
                return Err(illegal(event, format!("{} does not wait for a decision", decided.call)));
            }
            None
        }
    };
    let before = before.as_ref();
    let call = Call {
        action: decided.action,
        decided: event.draft.id,
        root: event.draft.correlation.unwrap_or(event.draft.id),
        provider_call: decided.provider_call.clone(),
        tool: decided.tool.clone(),
        args: decided.args.clone(),
        args_hash: decided.args_hash,
        class: decided.class,
        risk: decided.risk,
        prepared: decided.prepared.clone(),
        note: decided.note.clone(),
        // Other arguments change what runs, not where the call stands in the conversation.
        approved_until: before.and_then(|call| call.approved_until),
        foreground: before.is_none_or(|call| call.foreground),
        deferred: before.is_some_and(|call| call.deferred),
        halt: before.and_then(|call| call.halt),
        attempts: 0,
        lost: None,
        stage: Stage::Decided,
    };
    state.calls.insert(decided.call, call);
    Ok(())
}

/// The call whose approval came with other arguments; those are approved with it.
fn edited_call<'a>(state: &'a State, event: &Event, call: CallId, replaced: ActionId) -> Result<&'a Call, Illegal> {
    match state.calls.get(&call) {
        Some(open) if open.action == replaced && open.lost.is_none() && open.stage.is_edited() => Ok(open),
        Some(open) => Err(illegal(event, format!("{call} is {:?}", open.stage))),
        None => Err(illegal(event, format!("{call} is not open"))),
    }
}

pub fn withdrawn(state: &mut State, event: &Event, withdrawn: &ActionWithdrawn) -> Result<(), Illegal> {
    let undecided = state.reply.as_mut().and_then(|reply| reply.undecided.remove(&withdrawn.call));
    let provider_call = match (undecided, state.calls.get(&withdrawn.call)) {
        (Some(provider_call), _) => provider_call,
        (None, Some(Call { stage: Stage::Decided | Stage::Refused(..), lost: None, provider_call, .. })) => provider_call.clone(),
        (None, Some(call)) => return Err(illegal(event, format!("{} is {:?}", withdrawn.call, call.stage))),
        (None, None) => return Err(illegal(event, format!("{} is not open", withdrawn.call))),
    };
    let decided = state.calls.get(&withdrawn.call).map(|call| call.action);
    if decided != withdrawn.action {
        return Err(illegal(event, format!("{} is decided as {decided:?}", withdrawn.call)));
    }
    let note = Some(withdrawn.note.clone());
    end(state, withdrawn.call, CallResult::noted(withdrawn.call, provider_call, false, note, None));
    Ok(())
}

pub fn started(state: &mut State, event: &Event, started: &ToolStarted) -> Result<(), Illegal> {
    let epoch = state.epoch();
    let (_, call) = open_call(state, event, started.action)?;
    if started.epoch != epoch {
        return Err(illegal(event, format!("the owner has epoch {epoch}")));
    }
    let startable = match &call.stage {
        Stage::Decided => true,
        Stage::Unknown => call.class.repeatable(),
        Stage::Started(_) | Stage::Held(_) | Stage::Refused(..) | Stage::Waiting { .. } | Stage::Judged(..) => false,
    };
    if !startable || started.attempt != call.attempts + 1 {
        return Err(illegal(event, format!("attempt {} of the call is {:?}", call.attempts, call.stage)));
    }
    call.attempts = started.attempt;
    call.stage = Stage::Started(Attempt {
        number: started.attempt,
        started: event.draft.id,
        epoch: started.epoch,
        machine: started.machine,
        boot: started.boot.clone(),
        adopted: None,
        since: event.time,
        deadline: None,
        tail: None,
    });
    let touches = call.prepared.touches;
    state.taint.started = state.taint.started.and(touches);
    state.ledger.tool_calls += u64::from(started.attempt == 1);
    state.resumed = false;
    Ok(())
}

pub fn adopted(state: &mut State, event: &Event, adopted: &ToolAdopted) -> Result<(), Illegal> {
    let epoch = state.epoch();
    let (_, call) = running_call(state, event, adopted.action, adopted.attempt)?;
    match &mut call.stage {
        Stage::Started(attempt) if adopted.epoch == epoch && attempt.epoch < epoch && attempt.adopted < Some(epoch) => {
            attempt.adopted = Some(epoch);
        }
        Stage::Started(_)
        | Stage::Decided
        | Stage::Held(_)
        | Stage::Refused(..)
        | Stage::Waiting { .. }
        | Stage::Unknown
        | Stage::Judged(..) => {
            return Err(illegal(event, format!("the owner has epoch {epoch} and the call is {:?}", call.stage)));
        }
    }
    Ok(())
}

pub fn progress(state: &mut State, event: &Event, progress: &ToolProgress) -> Result<(), Illegal> {
    let (_, call) = running_call(state, event, progress.action, progress.attempt)?;
    if let Stage::Started(attempt) = &mut call.stage {
        attempt.tail = Some(progress.output.clone());
    }
    Ok(())
}

pub fn deferred(state: &mut State, event: &Event, deferred: &ToolDeferred) -> Result<(), Illegal> {
    let (id, call) = open_call(state, event, deferred.action)?;
    if std::mem::replace(&mut call.deferred, true) {
        return Err(illegal(event, format!("{id} is deferred")));
    }
    let provider_call = call.provider_call.clone();
    let (note, output) = (Some(deferred.note.clone()), deferred.output.clone().filter(|output| !output.is_empty()));
    state.transcript.add_result(CallResult::noted(id, provider_call, true, note, output));
    Ok(())
}

pub fn backgrounded(state: &mut State, event: &Event, backgrounded: &ToolBackgrounded) -> Result<(), Illegal> {
    let (id, call) = open_call(state, event, backgrounded.action)?;
    if !call.deferred || !std::mem::replace(&mut call.foreground, false) {
        return Err(illegal(event, format!("{id} is not deferred, or in the background already")));
    }
    Ok(())
}

pub fn cancel_requested(state: &mut State, event: &Event, requested: &ToolCancelRequested) -> Result<(), Illegal> {
    let (_, call) = running_call(state, event, requested.action, requested.attempt)?;
    if let Stage::Started(attempt) = &mut call.stage {
        attempt.deadline = Some(requested.deadline);
    }
    call.note = Some(match &call.note {
        Some(note) => Text::from(format!("{} {}", note.shown(), requested.note.shown()).as_str()),
        None => requested.note.clone(),
    });
    Ok(())
}

pub fn finished(state: &mut State, event: &Event, finished: &ToolFinished) -> Result<(), Illegal> {
    let (id, call) = running_call(state, event, finished.action, finished.attempt)?;
    let digest = (!call.prepared.is_about_progress()).then(|| digest(call, finished));
    let result = CallResult {
        call: id,
        provider_call: call.provider_call.clone(),
        ok: finished.ok,
        exit: finished.exit,
        signal: finished.signal,
        note: call.note.clone(),
        output: Some(finished.output.clone()),
    };
    let file = call.prepared.file().filter(|_| finished.ok).map(|(path, content)| (path.to_owned(), content));
    state.recoveries = 0;
    if let Some((path, content)) = file {
        learn(state, path, KnownFile { content, version: event.version });
    }
    if let (Some(run), Some(digest)) = (&mut state.run, digest) {
        run.repeats.note(digest);
    }
    end(state, id, result);
    Ok(())
}

/// What a file holds, told by a call that read or wrote it.
fn learn(state: &mut State, path: String, file: KnownFile) {
    state.files.insert(path, file);
    if state.files.len() > FILES_KNOWN_MAX {
        let oldest = state.files.iter().min_by_key(|(_, file)| file.version).map(|(path, _)| path.clone());
        oldest.map(|path| state.files.remove(&path));
    }
}

/// Of everything that makes two calls and their results equal.
fn digest(call: &Call, finished: &ToolFinished) -> Sha256 {
    let facts = (&call.tool, call.args_hash, finished.ok, finished.exit, finished.signal, &finished.output);
    // Strings and numbers only: nothing in them can fail to be JSON.
    Sha256::of(&serde_json::to_vec(&facts).unwrap_or_default())
}

impl Repeats {
    fn note(&mut self, digest: Sha256) {
        if self.digest == Some(digest) {
            self.count += 1;
        } else {
            *self = Repeats { digest: Some(digest), count: 1, corrected: false };
        }
    }
}

pub fn cancelled(state: &mut State, event: &Event, cancelled: &ToolCancelled) -> Result<(), Illegal> {
    let (_, call) = running_call(state, event, cancelled.action, cancelled.attempt)?;
    call.stage = Stage::Decided;
    Ok(())
}

pub fn unknown(state: &mut State, event: &Event, unknown: &ToolUnknown) -> Result<(), Illegal> {
    let (_, call) = running_call(state, event, unknown.action, unknown.attempt)?;
    call.stage = Stage::Unknown;
    let file = call.prepared.file().map(|(path, _)| path.to_owned());
    call.lost = Some(Lost { reason: unknown.reason, output: unknown.output.clone() });
    // It may hold the one or the other.
    file.map(|path| state.files.remove(&path));
    Ok(())
}

pub fn reconciled(state: &mut State, event: &Event, reconciled: &ToolReconciled) -> Result<(), Illegal> {
    let (id, call) = open_call(state, event, reconciled.action)?;
    let ended = !matches!(call.stage, Stage::Started(_) | Stage::Held(_) | Stage::Waiting { .. });
    let Some(lost) = call.lost.as_ref().filter(|_| ended) else {
        return Err(illegal(event, format!("the call is {:?}", call.stage)));
    };
    let output = Some(lost.output.clone()).filter(|output| !output.is_empty());
    let (ok, note) = (reconciled.verdict == Verdict::Happened, Some(reconciled.note.clone()));
    let result = CallResult::noted(id, call.provider_call.clone(), ok, note, output);
    end(state, id, result);
    Ok(())
}

/// The call is over; a model that was told it had not ended hears of it as a late outcome.
pub(super) fn end(state: &mut State, id: CallId, result: CallResult) {
    let call = state.calls.remove(&id);
    if call.as_ref().is_some_and(|call| call.halt.is_some()) && planted::active(Bug::ResultMissing) {
        return;
    }
    if call.is_some_and(|call| call.deferred) {
        return state.transcript.add_late(result);
    }
    state.transcript.add_result(result);
}

pub(super) fn open_call<'a>(state: &'a mut State, event: &Event, action: ActionId) -> Result<(CallId, &'a mut Call), Illegal> {
    let found = state.calls.iter_mut().find(|(_, call)| call.action == action);
    found.map(|(id, call)| (*id, call)).ok_or_else(|| illegal(event, format!("action {action} is not open")))
}

fn running_call<'a>(state: &'a mut State, event: &Event, action: ActionId, attempt: u16) -> Result<(CallId, &'a mut Call), Illegal> {
    let (id, call) = open_call(state, event, action)?;
    match &call.stage {
        Stage::Started(open) if open.number == attempt => Ok((id, call)),
        Stage::Started(_)
        | Stage::Decided
        | Stage::Held(_)
        | Stage::Refused(..)
        | Stage::Waiting { .. }
        | Stage::Unknown
        | Stage::Judged(..) => Err(illegal(event, format!("attempt {attempt} is not open, the call is {:?}", call.stage))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::id::{SessionId, StreamId};
    use contract::units::Version;

    #[test]
    fn of_very_many_files_the_oldest_are_forgotten() {
        let mut state = State::new(StreamId::session(SessionId([1; 16])));
        let paths: Vec<String> = (0..FILES_KNOWN_MAX + 3).map(|number| format!("file-{number:05}")).collect();
        for (version, path) in (1..).zip(&paths) {
            learn(&mut state, path.clone(), KnownFile { content: Sha256::of(path.as_bytes()), version: Version(version) });
        }
        assert!(state.files.keys().eq(&paths[3..]));
    }
}
