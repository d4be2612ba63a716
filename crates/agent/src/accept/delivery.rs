//! Something was brought to another stream, or refused there.

use crate::draft::{About, Drafts};
use crate::state::State;
use contract::body::{Body, DeliveryFailed, DeliveryFinished};
use contract::effect::EffectId;
use contract::event::Draft;
use contract::id::Key;
use contract::input::Rejection;
use contract::outcome::DeliveryOutcome;

pub fn accept(state: &State, effect: EffectId, attempt: u16, outcome: DeliveryOutcome) -> Result<Vec<Draft>, Rejection> {
    let open = state.deliveries.iter().filter_map(|delivery| delivery.started);
    let Some(delivery) = open.into_iter().find(|started| effect == EffectId::Deliver(*started)) else {
        return Err(Rejection::Stale { effect, attempt });
    };
    let body: Body = match outcome {
        DeliveryOutcome::Finished => DeliveryFinished { delivery }.into(),
        DeliveryOutcome::Failed(reason) => DeliveryFailed { delivery, reason }.into(),
    };
    let mut drafts = Drafts::new(state);
    drafts.fact(&Key::outcome(effect, attempt, "ended"), About::system(Some(delivery)), body);
    Ok(drafts.finish())
}
