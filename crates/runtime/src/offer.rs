//! What any process may do with a session it does not own: say something to it. The owner notices and decides.

use crate::tails::with_tails;
use crate::{Ports, read};
use agent::{Agent, State};
use contract::event::Event;
use contract::id::StreamId;
use contract::input::{Input, Rejection};
use contract::machine::{Illegal, Machine};
use contract::port::{Append, AppendError, Expected, LogError, Stored};
use contract::units::Version;

/// Other writers that may be first, one after the other, before the input counts as not accepted.
const RACES_MAX: usize = 64;

#[derive(Debug, thiserror::Error)]
pub enum OfferError {
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

/// Folds the stream, lets the machine accept the input, and appends the facts. A repeat answers where the first is.
pub async fn offer(ports: &Ports, stream: &StreamId, input: Input) -> Result<Version, OfferError> {
    let mut state = State::new(stream.clone());
    for _ in 0..RACES_MAX {
        let known = state.version;
        let mut fold = |stored: &Stored| Ok::<_, OfferError>(Agent::fold(&mut state, &stored.event)?);
        if known == Version::NONE {
            read::for_folding(ports.log.as_ref(), stream, |stored, _| fold(stored)).await?;
        } else {
            read::each(ports.log.as_ref(), stream, known, fold).await?;
        }
        let now = ports.clock.now().max(state.time);
        let input = with_tails(ports, &state, input.clone()).await;
        let drafts = match Agent::accept(&state, input, now) {
            Ok(drafts) => drafts,
            Err(Rejection::Known(version)) => return Ok(version),
            Err(rejection) => return Err(rejection.into()),
        };
        let mut after = state.clone();
        for draft in &drafts {
            let event = Event { version: after.version.next(), time: now, draft: draft.clone() };
            Agent::fold(&mut after, &event)?;
        }
        let append = Append {
            stream: stream.clone(),
            expected: Expected::after(state.version),
            time: now,
            drafts,
            fence: None,
            rest: Agent::rest(&after),
        };
        match ports.log.append(append).await {
            Ok(appended) => return Ok(appended.last),
            // Whether it was stored is seen in the log: the machine knows the key of what it has.
            Err(AppendError::Conflict { .. } | AppendError::Unknown(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(AppendError::Unavailable(format!("{RACES_MAX} other writers were first")).into())
}
