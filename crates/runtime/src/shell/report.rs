//! The way of an executor back to the loop: what came of its effect.

use super::Message;
use crate::drive::Cause;
use crate::text::Trouble;
use contract::body::{FailureClass, UnknownReason};
use contract::effect::{Effect, EffectId};
use contract::outcome::{DeliveryOutcome, ModelOutcome, Outcome, ToolOutcome};
use contract::text::Text;
use tokio::sync::mpsc::UnboundedSender;

#[derive(Clone)]
pub(super) struct Reporter {
    effect: EffectId,
    attempt: u16,
    causes: UnboundedSender<Message>,
}

impl Reporter {
    pub(super) fn new(effect: Effect, causes: UnboundedSender<Message>) -> Reporter {
        Reporter { effect: effect.id(), attempt: effect.attempt(), causes }
    }

    /// A loop that has ended recovers the effect later, so nobody need hear of it.
    pub(super) fn end(&self, outcome: Outcome) {
        let cause = Cause::Outcome { effect: self.effect, attempt: self.attempt, outcome };
        drop(self.causes.send(Message::Cause(cause)));
    }

    /// The log or a blob cannot be read or written, so that no outcome could be recorded either.
    pub(super) fn give_up(&self, trouble: Trouble) {
        drop(self.causes.send(Message::Cause(Cause::Broken(trouble))));
    }

    /// The executor panicked: what it did is not known.
    pub(super) fn end_broken(&self) {
        let outcome = match self.effect {
            EffectId::Tool(_) => Outcome::Tool(ToolOutcome::Unknown { reason: UnknownReason::Lost, output: Text::Inline(String::new()) }),
            EffectId::Model(_) => Outcome::Model(ModelOutcome::Failed {
                class: FailureClass::Permanent,
                message: Text::Inline("executor panicked".to_owned()),
                retry_after_ms: None,
            }),
            // What was to stop has an outcome of its own, and the next owner tells it again.
            EffectId::Stop(_) => return,
            EffectId::Deliver(_) => Outcome::Delivery(DeliveryOutcome::Failed("executor panicked".to_owned())),
            EffectId::Prepare(_) => {
                return self.give_up("the configuration of the run cannot be made".to_owned());
            }
        };
        self.end(outcome);
    }
}
