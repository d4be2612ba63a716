//! A tool attempt ended, or was found running. Only the open attempt may say so.

use crate::draft::{About, Drafts};
use crate::state::{Attempt, State};
use contract::body::{Body, ToolAdopted, ToolCancelled, ToolFinished, ToolUnknown};
use contract::effect::EffectId;
use contract::event::{Actor, Draft, Trust};
use contract::id::{ActionId, CallId, Key};
use contract::input::Rejection;
use contract::outcome::ToolOutcome;
use contract::planted::{self, Bug};

pub fn accept(state: &State, effect: EffectId, attempt: u16, outcome: ToolOutcome) -> Result<Vec<Draft>, Rejection> {
    let Some((call, action, tool, open)) = open_attempt(state, effect) else {
        return Err(Rejection::Stale { effect, attempt });
    };
    if open.number != attempt && !planted::active(Bug::LateResult) {
        return Err(Rejection::Stale { effect, attempt });
    }
    if outcome == ToolOutcome::Adopted && !open.is_left_to(state.epoch()) {
        return Err(Rejection::Stale { effect, attempt });
    }
    let attempt = open.number;
    // An attempt may be adopted once in each epoch, so the key of that fact names the epoch too.
    let adopted = format!("adopted/{}", state.epoch());
    let (part, body): (&str, Body) = match outcome {
        ToolOutcome::Finished { ok, output, exit, signal } => {
            ("finished", ToolFinished { action, attempt, ok, output, exit, signal }.into())
        }
        ToolOutcome::Adopted => (&adopted, ToolAdopted { action, attempt, epoch: state.epoch() }.into()),
        ToolOutcome::Cancelled(reason) => ("cancelled", ToolCancelled { action, attempt, reason }.into()),
        ToolOutcome::Unknown { reason, output } => ("unknown", ToolUnknown { action, attempt, reason, output }.into()),
    };
    let about = About { cause: Some(open.started), call: Some(call), actor: Actor::Tool(tool), trust: Trust::Tool };
    let mut drafts = Drafts::new(state);
    drafts.fact(&Key::outcome(effect, attempt, part), about, body);
    Ok(drafts.finish())
}

fn open_attempt(state: &State, effect: EffectId) -> Option<(CallId, ActionId, String, &Attempt)> {
    let EffectId::Tool(action) = effect else { return None };
    let (id, call) = state.call_of(action)?;
    Some((id, action, call.tool.clone(), call.attempt()?))
}
