//! What the end of a session needs to know and its state does not hold, counted from its events. What was used is in the
//! ledger of the state, as status, cost and limits have it.

use contract::ask::Subject;
use contract::body::{Body, WithdrawReason};
use contract::event::Event;
use contract::id::CallId;
use contract::units::Time;
use std::collections::BTreeSet;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    began: Option<Time>,
    ended: Time,
    /// As models told them; what nobody told is in the ledger only.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// The last call that was refused in this run has not been followed by one that succeeded.
    pub denied: bool,
    /// Calls that only ask something: a person who declines to answer forbids nothing.
    questions: BTreeSet<CallId>,
}

impl Tally {
    /// From the first event to the last.
    pub fn elapsed_ms(&self) -> u64 {
        self.ended.0.saturating_sub(self.began.unwrap_or(self.ended).0)
    }

    pub fn count(&mut self, event: &Event) {
        self.began.get_or_insert(event.time);
        self.ended = event.time;
        if let Body::RunStarted(_) = event.draft.body {
            self.denied = false;
        }
        if let Body::AskOpened(opened) = &event.draft.body
            && let Subject::Question { call, .. } = &opened.ask.subject
        {
            self.questions.insert(*call);
        }
        if let Body::ActionWithdrawn(withdrawn) = &event.draft.body {
            let refused = matches!(withdrawn.reason, WithdrawReason::Denied | WithdrawReason::Rule | WithdrawReason::Expired);
            self.denied |= refused && !self.questions.remove(&withdrawn.call);
        }
        if let Body::ToolFinished(finished) = &event.draft.body {
            self.denied &= !finished.ok;
        }
        if let Body::ModelCompleted(completed) = &event.draft.body {
            self.tokens_in += completed.usage.input + completed.usage.cache_read + completed.usage.cache_write;
            self.tokens_out += completed.usage.output;
        }
    }
}
