//! Rules that count for good: what their stream says, and saying something to it. Any process may; nobody owns it.

use crate::offer::OfferError;
use crate::{Ports, read};
use agent::standing::{Said, Standing};
use contract::body::Principal;
use contract::id::{Key, StreamId};
use contract::input::Rejection;
use contract::machine::Rest;
use contract::port::{Append, AppendError, Expected, Log};
use contract::units::Version;

/// Other writers that may be first, one after the other, before what is said counts as not accepted.
const RACES_MAX: usize = 64;

/// The rules as they are now.
pub async fn state(log: &dyn Log) -> Result<Standing, OfferError> {
    let mut standing = Standing::default();
    catch_up(log, &mut standing).await?;
    Ok(standing)
}

async fn catch_up(log: &dyn Log, standing: &mut Standing) -> Result<(), OfferError> {
    let known = standing.version;
    read::each(log, &StreamId::policy(), known, |stored| Ok::<_, OfferError>(standing.fold(&stored.event)?)).await
}

/// Records it; what was said before, or is so already, answers where that is.
pub async fn say(ports: &Ports, key: &Key, said: Said, by: Principal) -> Result<Version, OfferError> {
    let mut standing = Standing::default();
    for _ in 0..RACES_MAX {
        catch_up(ports.log.as_ref(), &mut standing).await?;
        let draft = match standing.accept(key, said.clone(), by.clone()) {
            Ok(draft) => draft,
            Err(Rejection::Known(version)) => return Ok(version),
            Err(rejection) => return Err(rejection.into()),
        };
        let append = Append {
            stream: StreamId::policy(),
            expected: Expected::after(standing.version),
            time: ports.clock.now(),
            drafts: vec![draft],
            fence: None,
            rest: Rest::Waiting,
        };
        match ports.log.append(append).await {
            Ok(appended) => return Ok(appended.last),
            // Whether it was stored is seen in the log, which knows its key.
            Err(AppendError::Conflict { .. } | AppendError::Unknown(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(AppendError::Unavailable(format!("{RACES_MAX} other writers were first")).into())
}
