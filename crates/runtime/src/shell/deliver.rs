//! Brings something to another stream, as often as it takes: the other one has it once.

use crate::offer::OfferError;
use crate::text::Trouble;
use crate::{Ports, standing};
use agent::State;
use agent::standing::Said;
use contract::body::{Parcel, RuleSource};
use contract::crash;
use contract::id::{EventId, Key, StreamId};
use contract::outcome::{DeliveryOutcome, Outcome};
use contract::port::{AppendError, LogError};
use std::time::Duration;

/// Pause after which a log that could not be written is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// What an open delivery needs of the state.
pub(super) struct Delivering {
    from: StreamId,
    key: Key,
    parcel: Parcel,
}

impl Delivering {
    pub(super) fn new(state: &State, stream: &StreamId, delivery: EventId) -> Option<Delivering> {
        let open = state.deliveries.iter().find(|open| open.started == Some(delivery))?;
        Some(Delivering { from: stream.clone(), key: open.key.clone(), parcel: open.parcel.clone() })
    }
}

pub(super) async fn deliver(ports: Ports, delivering: Delivering) -> Result<Outcome, Trouble> {
    let Delivering { from, key, parcel: Parcel::Rule { rule, folder, ask, by } } = delivering;
    let said = Said::Add { rule, folder, from: RuleSource { stream: from, ask } };
    loop {
        let outcome = match standing::say(&ports, &key, said.clone(), by.clone()).await {
            Ok(_) => DeliveryOutcome::Finished,
            Err(OfferError::Append(AppendError::Unavailable(_)) | OfferError::Log(LogError::Unavailable(_))) => {
                tokio::time::sleep(AGAIN).await;
                continue;
            }
            Err(refused) => DeliveryOutcome::Failed(refused.to_string()),
        };
        crash::point("delivered");
        return Ok(Outcome::Delivery(outcome));
    }
}
