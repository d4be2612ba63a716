//! A session made by the product itself, to be stored again elsewhere.

use crate::job::{self, TURNS_MAX};
use crate::problem::{Problem, wrong};
use crate::world::World;
use contract::body::Body;
use contract::config::{Autonomy, Policy};
use contract::event::Event;
use contract::id::HostId;
use contract::port::{Blobs, Stored};
use journal::{Options, SqliteJournal};
use std::path::Path;
use throughline::{Home, Job, Throughline, Until};

/// The events of a session, and the blob that they name.
#[derive(Debug)]
pub struct Seed {
    pub stored: Vec<Stored>,
    pub config: Vec<u8>,
}

impl Seed {
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.stored.iter().map(|stored| &stored.event)
    }
}

/// Runs a job of so many steps through the library, until it is done or asks. The script stays where it is.
pub async fn session(world: &World, scripts: &Path, steps: u32, autonomy: Autonomy) -> Result<Seed, Problem> {
    let home = world.folder()?;
    let script = job::script(scripts, steps)?;
    let throughline = Throughline::open(&Home::at(home.path()))?;
    let stored = follow(&throughline, &script, scripts, autonomy).await?;
    let config = stored
        .iter()
        .find_map(|stored| if let Body::RunStarted(started) = &stored.event.draft.body { Some(started.config.sha256) } else { None });
    let config = config.ok_or_else(|| wrong("no run was started"))?;
    let journal = SqliteJournal::open(Options::new(home.path(), HostId(random()?)))?;
    let config = journal.get(config).await?.ok_or_else(|| wrong("the configuration is not stored"))?;
    Ok(Seed { stored, config })
}

/// Drives one job and gives all its events.
pub async fn follow(throughline: &Throughline, script: &Path, folder: &Path, autonomy: Autonomy) -> Result<Vec<Stored>, Problem> {
    let policy = Policy { autonomy, ..Policy::default() };
    let job = Job { policy, max_turns: Some(TURNS_MAX), ..Job::new(folder, format!("script:{}", script.display()), "Go") };
    let mut running = throughline.start(job).await?;
    let mut events = Vec::new();
    while let Some(more) = running.next(Until::PersonNeeded).await? {
        events.extend(more);
    }
    drop(running.end().await);
    Ok(events)
}

pub fn random() -> Result<[u8; 16], Problem> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| wrong(format!("no randomness: {error}")))?;
    Ok(bytes)
}
