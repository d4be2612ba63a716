//! What people want to count beyond this session is brought to where it counts, also when the session waits for them.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::{DeliveryFailed, DeliveryStarted};
use contract::units::Time;

/// Why something is not brought.
const ELSEWHERE: &str = "it was answered on another machine";

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    for delivery in state.deliveries.iter().filter(|delivery| delivery.started.is_none()) {
        let started = DeliveryStarted { to: delivery.to.clone(), key: delivery.key.clone(), parcel: delivery.parcel.clone() };
        drafts.intent(About::system(Some(delivery.cause)), started);
    }
    if !drafts.is_empty() {
        return;
    }
    // A session that was carried here brings nothing of what people said elsewhere: whoever made it could have said it.
    for delivery in state.deliveries.iter().filter(|delivery| !state.is_due_here(delivery)).filter_map(|delivery| delivery.started) {
        let reason = ELSEWHERE.to_owned();
        drafts.intent(About::system(Some(delivery)), DeliveryFailed { delivery, reason });
    }
}
