//! Text of a reply is said to the person as soon as it is whole, also when calls follow.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::MessageSent;
use contract::units::Time;

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    if let Some(reply) = state.reply.as_ref().filter(|reply| reply.has_text && !reply.said) {
        drafts.intent(About::agent(reply.completed), MessageSent { completed: reply.completed });
    }
}
