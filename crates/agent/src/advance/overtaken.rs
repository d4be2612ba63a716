//! A message that came after a call was asked about overtakes the ask: the model decides anew, with the message in view.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::{AskSuperseded, SupersedeReason};
use contract::units::Time;

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    for open in state.asks.values() {
        if let Some(message) = state.overtaking(open) {
            let about = About { call: open.ask.subject.call(), ..About::system(Some(message.event)) };
            drafts.intent(about, AskSuperseded { ask: open.ask.ask, reason: SupersedeReason::NewerMessage });
        }
    }
}
