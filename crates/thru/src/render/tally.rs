//! What a session has cost so far, counted from its events.

use contract::body::{Body, WithdrawReason};
use contract::event::Event;
use contract::units::Time;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub turns: u32,
    pub calls: u32,
    began: Option<Time>,
    ended: Time,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub cost_micros: u64,
    /// The last thing that was refused has not been followed by a call that succeeded.
    pub denied: bool,
}

impl Tally {
    /// From the first event to the last.
    pub fn elapsed_ms(&self) -> u64 {
        self.ended.0.saturating_sub(self.began.unwrap_or(self.ended).0)
    }

    pub fn count(&mut self, event: &Event) {
        self.began.get_or_insert(event.time);
        self.ended = event.time;
        if let Body::ActionDecided(_) = event.draft.body {
            self.calls += 1;
        }
        if let Body::ActionWithdrawn(withdrawn) = &event.draft.body {
            self.denied |= matches!(withdrawn.reason, WithdrawReason::Denied | WithdrawReason::Rule | WithdrawReason::Expired);
        }
        if let Body::ToolFinished(finished) = &event.draft.body {
            self.denied &= !finished.ok;
        }
        if let Body::ModelCompleted(completed) = &event.draft.body {
            self.turns += 1;
            self.tokens_in += completed.usage.input + completed.usage.cache_read + completed.usage.cache_write;
            self.tokens_out += completed.usage.output;
            self.cost_micros += completed.cost_micros.unwrap_or_default();
        }
    }
}
