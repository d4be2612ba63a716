//! A model call ended. A reply and the decisions about its calls are one fact each, in one append.

use crate::draft::{About, Drafts};
use crate::prompts;
use crate::state::{AfterFailure, State};
use contract::body::{
    ActionDecided, ActionWithdrawn, BudgetWarned, DaySpend, FailureClass, ModelCompleted, ModelFailed, Warning, WithdrawReason,
};
use contract::call::{PreparedCall, Wants};
use contract::effect::EffectId;
use contract::event::{Actor, Draft, Trust};
use contract::id::{ActionId, CallId, EventId, Key};
use contract::input::Rejection;
use contract::limits::{CALLS_PER_REPLY_MAX, REPLY_BYTES_MAX, REPLY_PARTS_MAX};
use contract::outcome::{ModelOutcome, Reply, ReplyPart};
use contract::request::Part;
use contract::text::Text;

pub fn accept(state: &State, effect: EffectId, attempt: u16, outcome: ModelOutcome) -> Result<Vec<Draft>, Rejection> {
    let open = state.model.as_ref().filter(|model| effect == EffectId::Model(model.request) && attempt == model.attempt);
    let Some(model) = open else {
        return Err(Rejection::Stale { effect, attempt });
    };
    let mut ended = Ended { state, effect, attempt, request: model.request, drafts: Drafts::new(state) };
    match outcome {
        ModelOutcome::Replied(reply) if reply.parts.len() <= REPLY_PARTS_MAX => ended.replied(reply),
        ModelOutcome::Replied(_) => ended.failed(FailureClass::Permanent, prompts::reply_too_large(), None),
        // Only a takeover can know that a call was interrupted; said by an executor it is a failure like others.
        ModelOutcome::Failed { class: FailureClass::Interrupted, message, retry_after_ms } => {
            ended.failed(FailureClass::Transient, message, retry_after_ms);
        }
        ModelOutcome::Failed { class, message, retry_after_ms } => ended.failed(class, message, retry_after_ms),
        ModelOutcome::NotAdmitted(day) => ended.not_admitted(day),
        ModelOutcome::Slow { waited_ms } => return slow(state, effect, attempt, model.request, waited_ms),
    }
    if ended.drafts.bytes() > REPLY_BYTES_MAX {
        ended.drafts = Drafts::new(state);
        ended.failed(FailureClass::Permanent, prompts::reply_too_large(), None);
    }
    Ok(ended.drafts.finish())
}

/// It goes on; a person is told once a run.
fn slow(state: &State, effect: EffectId, attempt: u16, request: EventId, waited_ms: u64) -> Result<Vec<Draft>, Rejection> {
    if state.run.as_ref().is_none_or(|run| run.warned.slow_call) {
        return Err(Rejection::Stale { effect, attempt });
    }
    let mut drafts = Drafts::new(state);
    let warned = BudgetWarned { warning: Warning::SlowCall { request, waited_ms } };
    drafts.fact(&Key::outcome(effect, attempt, "slow"), About::system(Some(request)), warned);
    Ok(drafts.finish())
}

/// The end of the open model call.
struct Ended<'a> {
    state: &'a State,
    effect: EffectId,
    attempt: u16,
    request: EventId,
    drafts: Drafts<'a>,
}

impl Ended<'_> {
    fn about(&self) -> About {
        About { cause: Some(self.request), call: None, actor: Actor::Agent, trust: Trust::Untrusted }
    }

    fn key(&self, part: &str) -> Key {
        Key::outcome(self.effect, self.attempt, part)
    }

    fn failed(&mut self, class: FailureClass, message: Text, retry_after_ms: Option<u64>) {
        // Only whoever admits calls can say that one was not admitted.
        let class = if class == FailureClass::DayLimit { FailureClass::Permanent } else { class };
        self.end_failed(ModelFailed { retry_after_ms, ..self.failure(class, message) });
    }

    fn not_admitted(&mut self, day: DaySpend) {
        self.end_failed(ModelFailed { day: Some(day), ..self.failure(FailureClass::DayLimit, Text::from("")) });
    }

    fn failure(&self, class: FailureClass, message: Text) -> ModelFailed {
        let recoverable = self.state.after_failure(class) != AfterFailure::Fail;
        ModelFailed { request: self.request, attempt: self.attempt, class, recoverable, retry_after_ms: None, day: None, message }
    }

    fn end_failed(&mut self, failed: ModelFailed) {
        self.drafts.fact(&self.key("failed"), self.about(), failed);
    }

    fn replied(&mut self, reply: Reply) {
        let mut parts = Vec::with_capacity(reply.parts.len());
        let mut calls = Vec::new();
        for part in reply.parts {
            parts.push(match part {
                // Not every protocol takes an empty or blank text back.
                ReplyPart::Text(text) if text.shown().trim().is_empty() => continue,
                ReplyPart::Text(text) => Part::Text(text),
                ReplyPart::Opaque { protocol, model, bytes } => Part::Opaque { protocol, model, bytes },
                ReplyPart::Call(prepared) => {
                    let call = CallId { reply: self.state.replies, index: calls.len() as u16 };
                    let PreparedCall { provider_call, tool, args, .. } = (*prepared).clone();
                    calls.push((call, *prepared));
                    Part::Call { call, provider_call, tool, args }
                }
            });
        }
        let key = self.key("completed");
        let completed = self.drafts.fact_id(&key);
        let body =
            ModelCompleted { request: self.request, attempt: self.attempt, parts, usage: reply.usage, cost_micros: reply.cost_micros };
        self.drafts.fact(&key, self.about(), body);
        // A question waits for a person, so nothing may happen beside it that the answer could change.
        let asks = calls.iter().any(|(_, prepared)| matches!(prepared.prepared.wants, Some(Wants::Answer { .. })));
        let crowded = asks && calls.len() > 1;
        for (call, prepared) in calls {
            self.decide(completed, call, prepared, crowded);
        }
    }

    fn decide(&mut self, completed: EventId, call: CallId, prepared: PreparedCall, crowded: bool) {
        let about = About::agent(completed).call(call);
        let too_many = usize::from(call.index) >= CALLS_PER_REPLY_MAX;
        // A call that cannot run is never decided, so that no cut of the log can show it as decided and not yet refused.
        let invalid = too_many.then(prompts::withdrawn_too_many).or(prepared.refused);
        let refused = invalid.map(|note| (WithdrawReason::Invalid, note));
        if let Some((reason, note)) = refused.or_else(|| crowded.then(|| (WithdrawReason::NotAlone, prompts::withdrawn_not_alone()))) {
            let withdrawn = ActionWithdrawn { call, action: None, reason, note };
            return self.drafts.fact(&self.key(&format!("withdrawn/{}", call.index)), about, withdrawn);
        }
        let key = self.key(&format!("decided/{}", call.index));
        let decided = ActionDecided {
            action: ActionId::from(self.drafts.fact_id(&key)),
            call,
            provider_call: prepared.provider_call,
            tool: prepared.tool,
            args: prepared.args,
            args_hash: prepared.args_hash,
            class: prepared.class,
            risk: prepared.risk,
            prepared: prepared.prepared,
            replaces: None,
            note: None,
        };
        self.drafts.fact(&key, about, decided);
    }
}
