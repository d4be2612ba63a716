//! A log under test, with hosts that come and go.
//!
//! An implementation says how a host starts and how it dies; a suite for what only some can bring about has a trait of
//! its own.

use crate::journal::{Journal, Loss};
use crate::losing::Losing;
use crate::process::Process;
use contract::id::{HostId, StreamId};
use contract::units::Version;
use std::sync::Arc;

/// A new, empty log.
pub trait World: Send + Sync {
    /// Starts the host with this number, which never ran before.
    fn start(&self, number: u8) -> Host;

    /// Ends a host as its process would end: what it holds is not let go of.
    fn kill(&self, host: Host);

    /// Starts a host whose first append gets no answer. An implementation that can lose one itself should.
    fn start_losing(&self, number: u8, loss: Loss) -> Host {
        let Host { id, journal } = self.start(number);
        Host { id, journal: Arc::new(Losing::new(journal, loss)) }
    }
}

/// A running host.
pub struct Host {
    pub id: HostId,
    pub journal: Arc<dyn Journal>,
}

impl Host {
    /// Drops everything of the host and tells its id.
    ///
    /// # Panics
    /// When something else still uses it, because then it would live on.
    #[must_use]
    pub fn drop_all(self) -> HostId {
        assert_eq!(Arc::strong_count(&self.journal), 1, "a killed host is used nowhere else");
        self.id
    }
}

/// A world whose stored events can be reached past the log.
pub trait Damageable: World {
    /// Does the damage. No host runs meanwhile.
    fn damage(&self, damage: Damage);
}

#[derive(Clone, Debug)]
pub enum Damage {
    /// Other bytes, without their hash.
    Bytes { stream: StreamId, version: Version },
    /// An event is gone.
    Missing { stream: StreamId, version: Version },
}

/// A world whose hosts can be processes of their own.
pub trait Spawning: World {
    /// Starts a process that runs [`crate::process::serve`] as the host with this number.
    fn spawn(&self, number: u8) -> Process;
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("id", &self.id).finish_non_exhaustive()
    }
}
