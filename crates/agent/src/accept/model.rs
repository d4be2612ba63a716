//! A model call ended. A reply and the decisions about its calls are one fact each, in one append.

use crate::draft::{About, Drafts};
use crate::prompts;
use crate::state::State;
use contract::body::{ActionDecided, ActionWithdrawn, FailureClass, ModelCompleted, ModelFailed, WithdrawReason};
use contract::call::PreparedCall;
use contract::effect::EffectId;
use contract::event::{Actor, Draft, Trust};
use contract::id::{ActionId, CallId, EventId, Key};
use contract::input::Rejection;
use contract::limits::{CALLS_PER_REPLY_MAX, REPLY_PARTS_MAX};
use contract::outcome::{ModelOutcome, Reply, ReplyPart};
use contract::request::Part;
use contract::text::Text;

pub fn accept(state: &State, effect: EffectId, attempt: u16, outcome: ModelOutcome) -> Result<Vec<Draft>, Rejection> {
    let open = state.model.as_ref().filter(|model| effect == EffectId::Model(model.request) && attempt == model.attempt);
    let Some(model) = open else {
        return Err(Rejection::Stale { effect, attempt });
    };
    let about = About { cause: Some(model.request), call: None, actor: Actor::Agent, trust: Trust::Untrusted };
    let mut drafts = Drafts::new(state);
    match outcome {
        ModelOutcome::Replied(reply) if reply.parts.len() <= REPLY_PARTS_MAX => {
            replied(state, effect, attempt, &mut drafts, model.request, about, reply);
        }
        ModelOutcome::Replied(_) => {
            let message = prompts::reply_too_large();
            failed(effect, attempt, &mut drafts, model.request, about, FailureClass::Permanent, message);
        }
        ModelOutcome::Failed { class, message } => {
            // Only a takeover can know that a call was interrupted; said by an executor it is a failure like others.
            let class = if class == FailureClass::Interrupted { FailureClass::Transient } else { class };
            failed(effect, attempt, &mut drafts, model.request, about, class, message);
        }
    }
    Ok(drafts.finish())
}

fn failed(effect: EffectId, attempt: u16, drafts: &mut Drafts<'_>, request: EventId, about: About, class: FailureClass, message: Text) {
    let failed = ModelFailed { request, attempt, class, recoverable: false, message };
    drafts.fact(&Key::outcome(effect, attempt, "failed"), about, failed);
}

fn replied(state: &State, effect: EffectId, attempt: u16, drafts: &mut Drafts<'_>, request: EventId, about: About, reply: Reply) {
    let completed_key = Key::outcome(effect, attempt, "completed");
    let completed = drafts.fact_id(&completed_key);
    let mut parts = Vec::with_capacity(reply.parts.len());
    let mut calls = Vec::new();
    for part in reply.parts {
        parts.push(match part {
            // No protocol accepts an empty text back.
            ReplyPart::Text(text) if text.is_empty() => continue,
            ReplyPart::Text(text) => Part::Text(text),
            ReplyPart::Opaque { protocol, model, bytes } => Part::Opaque { protocol, model, bytes },
            ReplyPart::Call(prepared) => {
                let call = CallId { reply: state.replies, index: calls.len() as u16 };
                let part = Part::Call {
                    call,
                    provider_call: prepared.provider_call.clone(),
                    tool: prepared.tool.clone(),
                    args: prepared.args.clone(),
                };
                calls.push((call, prepared));
                part
            }
        });
    }
    drafts.fact(&completed_key, about, ModelCompleted { request, attempt, parts, usage: reply.usage, cost_micros: reply.cost_micros });
    for (call, prepared) in calls {
        decide(effect, attempt, drafts, completed, call, *prepared);
    }
}

fn decide(effect: EffectId, attempt: u16, drafts: &mut Drafts<'_>, completed: EventId, call: CallId, prepared: PreparedCall) {
    let about = About::agent(completed).call(call);
    let too_many = usize::from(call.index) >= CALLS_PER_REPLY_MAX;
    // A call that cannot run is never decided, so that no cut of the log can show it as decided and not yet refused.
    if let Some(note) = too_many.then(prompts::withdrawn_too_many).or(prepared.refused) {
        let key = Key::outcome(effect, attempt, &format!("withdrawn/{}", call.index));
        let withdrawn = ActionWithdrawn { call, action: None, reason: WithdrawReason::Invalid, note };
        return drafts.fact(&key, about, withdrawn);
    }
    let decided_key = Key::outcome(effect, attempt, &format!("decided/{}", call.index));
    let decided = drafts.fact_id(&decided_key);
    let action = ActionId::from(decided);
    let body = ActionDecided {
        action,
        call,
        provider_call: prepared.provider_call,
        tool: prepared.tool,
        args: prepared.args,
        args_hash: prepared.args_hash,
        class: prepared.class,
        risk: prepared.risk,
        prepared: prepared.prepared,
    };
    drafts.fact(&decided_key, about, body);
}
