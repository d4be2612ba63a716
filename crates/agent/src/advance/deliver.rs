//! What people want to count beyond this session is brought to where it counts, also when the session waits for them.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::DeliveryStarted;
use contract::units::Time;

pub fn step(state: &State, _now: Time, drafts: &mut Drafts<'_>) {
    for delivery in state.deliveries.iter().filter(|delivery| delivery.started.is_none()) {
        let started = DeliveryStarted { to: delivery.to.clone(), key: delivery.key.clone(), parcel: delivery.parcel.clone() };
        drafts.intent(About::system(Some(delivery.cause)), started);
    }
}
