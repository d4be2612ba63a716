//! What a session has cost so far, counted from its events.

use contract::body::Body;
use contract::event::Event;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub events: u64,
    pub calls: u32,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub cost_micros: u64,
}

impl Tally {
    pub fn count(&mut self, event: &Event) {
        self.events += 1;
        if let Body::ActionDecided(_) = event.draft.body {
            self.calls += 1;
        }
        if let Body::ModelCompleted(completed) = &event.draft.body {
            self.tokens_in += completed.usage.input + completed.usage.cache_read + completed.usage.cache_write;
            self.tokens_out += completed.usage.output;
            self.cost_micros += completed.cost_micros.unwrap_or_default();
        }
    }
}
