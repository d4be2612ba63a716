//! Streams that no one may drive, as this machine's own stream has them: a panic or an illegal event stops one, not all.

use crate::{Ports, read};
use contract::body::{Body, HostQuarantined, HostRecovered, Principal};
use contract::event::{Actor, Draft, Level, Trust};
use contract::id::{EventId, StreamId};
use contract::machine::Rest;
use contract::port::{Append, AppendError, Expected, Log, LogError};
use contract::units::Version;
use std::collections::BTreeMap;

/// Races with other processes that are tried again before giving up; each loses only to a success of another.
const RACES_MAX: usize = 16;

/// Quarantined streams with the reason of each.
pub async fn quarantined(log: &dyn Log, host: &StreamId) -> Result<BTreeMap<StreamId, HostQuarantined>, LogError> {
    Ok(fold(log, host).await?.1)
}

async fn fold(log: &dyn Log, host: &StreamId) -> Result<(Version, BTreeMap<StreamId, HostQuarantined>), LogError> {
    let mut streams = BTreeMap::new();
    let mut version = Version::NONE;
    read::each(log, host, Version::NONE, |stored| {
        version = stored.event.version;
        let body = &stored.event.draft.body;
        if let Body::HostQuarantined(quarantined) = body {
            streams.insert(quarantined.stream.clone(), quarantined.clone());
        } else if let Body::HostRecovered(recovered) = body {
            streams.remove(&recovered.stream);
        } else {
            let reason = format!("{} does not belong to a host", body.name());
            return Err(LogError::Corrupt { stream: host.clone(), version, reason });
        }
        Ok(())
    })
    .await?;
    Ok((version, streams))
}

/// Records that the stream cannot be driven.
pub async fn quarantine(ports: &Ports, stream: &StreamId, version: Version, reason: &str) -> Result<(), AppendError> {
    let body = HostQuarantined { stream: stream.clone(), version, reason: reason.to_owned() };
    record(ports, body.into(), Actor::System, Trust::System).await
}

/// Records that a person wants the stream driven again.
pub async fn release(ports: &Ports, stream: &StreamId, by: Principal) -> Result<(), AppendError> {
    let body = HostRecovered { stream: stream.clone(), by: by.clone() };
    record(ports, body.into(), Actor::User(by), Trust::User).await
}

async fn record(ports: &Ports, body: Body, actor: Actor, trust: Trust) -> Result<(), AppendError> {
    let host = StreamId::host(ports.place.machine);
    for _ in 0..RACES_MAX {
        let (version, _) = fold(ports.log.as_ref(), &host).await.map_err(|error| AppendError::Corrupt(error.to_string()))?;
        let draft = Draft {
            id: EventId::of_intent(&host, version, 0, &body),
            cause: None,
            correlation: None,
            run: None,
            level: Level::Core,
            call: None,
            actor: actor.clone(),
            trust,
            body: body.clone(),
        };
        let append = Append {
            stream: host.clone(),
            expected: Expected::after(version),
            time: ports.clock.now(),
            drafts: vec![draft],
            fence: None,
            rest: Rest::Waiting,
        };
        match ports.log.append(append).await {
            Ok(_) => return Ok(()),
            Err(AppendError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(AppendError::Unavailable(format!("{RACES_MAX} other writers were first")))
}
