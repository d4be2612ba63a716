//! What is to be brought to another stream: wanted with the answer of a person, then open, then gone.

use super::illegal;
use crate::state::{Delivery, OpenAsk, State};
use contract::ask::{Answer, Grant};
use contract::body::{AskAnswered, DeliveryStarted, Parcel};
use contract::event::Event;
use contract::id::{EventId, Key, StreamId};
use contract::machine::Illegal;

/// An approval for good makes its rule count in later sessions too.
pub fn wanted(state: &mut State, event: &Event, open: &OpenAsk, answered: &AskAnswered) {
    let (Answer::Approve { grant: Grant::Always }, Some(rule), Some(session)) = (&answered.answer, &answered.rule, &state.session) else {
        return;
    };
    let parcel = Parcel::Rule { rule: rule.clone(), folder: session.folder.clone(), ask: answered.ask, by: answered.by.clone() };
    let key = Key::standing(answered.ask);
    let (cause, root) = (event.draft.id, open.root);
    let machine = state.owner.as_ref().map(|owner| owner.machine);
    state.deliveries.push(Delivery { started: None, cause, root, to: StreamId::policy(), key, parcel, machine });
}

pub fn started(state: &mut State, event: &Event, started: &DeliveryStarted) -> Result<(), Illegal> {
    let wanted = state.deliveries.iter_mut().find(|delivery| delivery.started.is_none() && delivery.key == started.key);
    match wanted {
        Some(delivery) => delivery.started = Some(event.draft.id),
        None => return Err(illegal(event, format!("nothing is to be delivered under {}", started.key))),
    }
    Ok(())
}

pub fn ended(state: &mut State, event: &Event, delivery: EventId) -> Result<(), Illegal> {
    let open = state.deliveries.len();
    state.deliveries.retain(|other| other.started != Some(delivery));
    if state.deliveries.len() == open { Err(illegal(event, format!("{delivery} is not open"))) } else { Ok(()) }
}
