//! A call is decided, attempted, and ended once.
//!
//! ```text
//! decided ──started──▶ running ──finished──▶ ended
//!    ▲  │                │ │
//!    │  └─withdrawn─▶ ended│ └──unknown──▶ unknown ──reconciled──▶ ended
//!    └────cancelled───────┘                 └──started──▶ running (pure and idempotent only)
//! ```

use super::illegal;
use crate::state::{Attempt, Call, Lost, Stage, State};
use contract::body::{ActionDecided, ActionWithdrawn, ToolAdopted, ToolCancelled, ToolFinished, ToolReconciled, ToolStarted, ToolUnknown};
use contract::event::Event;
use contract::id::{ActionId, CallId};
use contract::machine::Illegal;
use contract::request::CallResult;
use contract::text::Text;

pub fn decided(state: &mut State, event: &Event, decided: &ActionDecided) -> Result<(), Illegal> {
    let waits = state.reply.as_mut().and_then(|reply| reply.undecided.remove(&decided.call));
    if waits.is_none() {
        return Err(illegal(event, format!("{} does not wait for a decision", decided.call)));
    }
    let call = Call {
        action: decided.action,
        decided: event.draft.id,
        provider_call: decided.provider_call.clone(),
        tool: decided.tool.clone(),
        args: decided.args.clone(),
        args_hash: decided.args_hash,
        class: decided.class,
        witness: decided.prepared.witness,
        attempts: 0,
        lost: None,
        stage: Stage::Decided,
    };
    state.calls.insert(decided.call, call);
    Ok(())
}

pub fn withdrawn(state: &mut State, event: &Event, withdrawn: &ActionWithdrawn) -> Result<(), Illegal> {
    let undecided = state.reply.as_mut().and_then(|reply| reply.undecided.remove(&withdrawn.call));
    let provider_call = match (undecided, state.calls.get(&withdrawn.call)) {
        (Some(provider_call), _) => provider_call,
        (None, Some(Call { stage: Stage::Decided, lost: None, provider_call, .. })) => provider_call.clone(),
        (None, Some(call)) => return Err(illegal(event, format!("{} is {:?}", withdrawn.call, call.stage))),
        (None, None) => return Err(illegal(event, format!("{} is not open", withdrawn.call))),
    };
    let decided = state.calls.remove(&withdrawn.call).map(|call| call.action);
    if decided != withdrawn.action {
        return Err(illegal(event, format!("{} is decided as {decided:?}", withdrawn.call)));
    }
    state.transcript.add_result(CallResult {
        call: withdrawn.call,
        provider_call,
        ok: false,
        exit: None,
        signal: None,
        note: Some(withdrawn.note.clone()),
        output: None,
    });
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
        Stage::Started(_) => false,
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
    });
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
        Stage::Started(_) | Stage::Decided | Stage::Unknown => {
            return Err(illegal(event, format!("the owner has epoch {epoch} and the call is {:?}", call.stage)));
        }
    }
    Ok(())
}

pub fn finished(state: &mut State, event: &Event, finished: &ToolFinished) -> Result<(), Illegal> {
    let (id, call) = running_call(state, event, finished.action, finished.attempt)?;
    let result = CallResult {
        call: id,
        provider_call: call.provider_call.clone(),
        ok: finished.ok,
        exit: finished.exit,
        signal: finished.signal,
        note: None,
        output: Some(finished.output.clone()),
    };
    state.recoveries = 0;
    end(state, id, result);
    Ok(())
}

pub fn cancelled(state: &mut State, event: &Event, cancelled: &ToolCancelled) -> Result<(), Illegal> {
    let (_, call) = running_call(state, event, cancelled.action, cancelled.attempt)?;
    call.stage = Stage::Decided;
    Ok(())
}

pub fn unknown(state: &mut State, event: &Event, unknown: &ToolUnknown) -> Result<(), Illegal> {
    let (_, call) = running_call(state, event, unknown.action, unknown.attempt)?;
    call.stage = Stage::Unknown;
    call.lost = Some(Lost { reason: unknown.reason, output: unknown.output.clone() });
    Ok(())
}

pub fn reconciled(state: &mut State, event: &Event, reconciled: &ToolReconciled) -> Result<(), Illegal> {
    let (id, call) = open_call(state, event, reconciled.action)?;
    let output = match (&call.stage, &call.lost) {
        (Stage::Unknown | Stage::Decided, Some(lost)) => lost.output.clone(),
        (Stage::Unknown | Stage::Decided | Stage::Started(_), _) => {
            return Err(illegal(event, format!("the call is {:?}", call.stage)));
        }
    };
    let result = CallResult {
        call: id,
        provider_call: call.provider_call.clone(),
        ok: false,
        exit: None,
        signal: None,
        note: Some(reconciled.note.clone()),
        output: Some(output).filter(|output: &Text| !output.is_empty()),
    };
    end(state, id, result);
    Ok(())
}

fn end(state: &mut State, id: CallId, result: CallResult) {
    state.calls.remove(&id);
    state.transcript.add_result(result);
}

fn open_call<'a>(state: &'a mut State, event: &Event, action: ActionId) -> Result<(CallId, &'a mut Call), Illegal> {
    let found = state.calls.iter_mut().find(|(_, call)| call.action == action);
    found.map(|(id, call)| (*id, call)).ok_or_else(|| illegal(event, format!("action {action} is not open")))
}

fn running_call<'a>(state: &'a mut State, event: &Event, action: ActionId, attempt: u16) -> Result<(CallId, &'a mut Call), Illegal> {
    let (id, call) = open_call(state, event, action)?;
    match &call.stage {
        Stage::Started(open) if open.number == attempt => Ok((id, call)),
        Stage::Started(_) | Stage::Decided | Stage::Unknown => {
            Err(illegal(event, format!("attempt {attempt} is not open, the call is {:?}", call.stage)))
        }
    }
}
