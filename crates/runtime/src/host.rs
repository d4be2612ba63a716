//! What this machine says of itself in a stream of its own: which streams no one may drive, because a panic or an illegal
//! event stops one and not all, and when the process that looks after all sessions began and ended.

mod lives;

pub use lives::Lives;

use crate::{Ports, read};
use contract::body::{Body, HostQuarantined, HostRecovered, HostStarted, HostStopped, Principal};
use contract::event::{Actor, Draft, Event, Level, Trust};
use contract::id::{EventId, StreamId};
use contract::machine::Rest;
use contract::port::{Append, AppendError, Expected, Log, LogError};
use contract::units::Version;
use std::collections::BTreeMap;

/// Races with other processes that are tried again before giving up; each loses only to a success of another.
const RACES_MAX: usize = 16;

/// A machine as its stream tells of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostState {
    pub version: Version,
    /// Streams that no one may drive, with the reason of each.
    pub quarantined: BTreeMap<StreamId, HostQuarantined>,
    pub lives: Lives,
}

impl HostState {
    /// Takes in the next event; the name of one that does not belong here.
    pub fn fold(&mut self, event: &Event) -> Result<(), &'static str> {
        let body = &event.draft.body;
        if let Body::HostQuarantined(quarantined) = body {
            self.quarantined.insert(quarantined.stream.clone(), quarantined.clone());
        } else if let Body::HostRecovered(HostRecovered { stream, .. }) = body {
            if stream.is_daemon() {
                self.lives.release();
            } else {
                self.quarantined.remove(stream);
            }
        } else if let Body::HostStarted(HostStarted { host }) = body {
            self.lives.start(*host, event.time);
        } else if let Body::HostStopped(HostStopped { host }) = body {
            self.lives.stop(*host);
        } else {
            return Err(body.name());
        }
        self.version = event.version;
        Ok(())
    }
}

/// What the stream of a machine says now.
pub async fn state(log: &dyn Log, host: &StreamId) -> Result<HostState, LogError> {
    let mut state = HostState::default();
    read::each(log, host, Version::NONE, |stored| {
        let wrong = |name| LogError::Corrupt {
            stream: host.clone(),
            version: stored.event.version,
            reason: format!("{name} does not belong to a host"),
        };
        state.fold(&stored.event).map_err(wrong)
    })
    .await?;
    Ok(state)
}

/// Records that the stream cannot be driven.
pub async fn quarantine(ports: &Ports, stream: &StreamId, version: Version, reason: &str) -> Result<(), AppendError> {
    let body = HostQuarantined { stream: stream.clone(), version, reason: reason.to_owned() };
    record(ports, body.into(), Actor::System, Trust::System).await
}

/// Records that a person wants the stream driven again; of the daemon's, that it may take sessions again.
pub async fn release(ports: &Ports, stream: &StreamId, by: Principal) -> Result<(), AppendError> {
    let body = HostRecovered { stream: stream.clone(), by: by.clone() };
    record(ports, body.into(), Actor::User(by), Trust::User).await
}

/// Records that this process looks after all sessions from now on.
pub async fn started(ports: &Ports) -> Result<(), AppendError> {
    record(ports, HostStarted { host: ports.place.host }.into(), Actor::System, Trust::System).await
}

/// Records that it has let go of all of them.
pub async fn stopped(ports: &Ports) -> Result<(), AppendError> {
    record(ports, HostStopped { host: ports.place.host }.into(), Actor::System, Trust::System).await
}

async fn record(ports: &Ports, body: Body, actor: Actor, trust: Trust) -> Result<(), AppendError> {
    let host = StreamId::host(ports.place.machine);
    for _ in 0..RACES_MAX {
        let version = state(ports.log.as_ref(), &host).await.map_err(|error| AppendError::Corrupt(error.to_string()))?.version;
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
        let mut offered = ports.log.append(append.clone()).await;
        for _ in 0..RACES_MAX {
            // Offered again under the same id, it is stored once.
            if !matches!(offered, Err(AppendError::Unknown(_))) {
                break;
            }
            offered = ports.log.append(append.clone()).await;
        }
        match offered {
            Ok(_) => return Ok(()),
            Err(AppendError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(AppendError::Unavailable(format!("{RACES_MAX} other writers were first")))
}
