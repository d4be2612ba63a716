//! Durable events a second through the journal, beside single-row commits of plain SQLite with the same settings.

use crate::problem::{Problem, wrong};
use crate::seed::{self, Seed, random};
use crate::stats::Samples;
use crate::table::Line;
use crate::world::World;
use contract::config::Autonomy;
use contract::event::Draft;
use contract::id::{HostId, SessionId, StreamId};
use contract::machine::Rest;
use contract::port::{Append, Expected, Fence, Log};
use contract::units::{Time, Version};
use journal::{Options, SqliteJournal};
use rusqlite::Connection;
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

const BAR_ONE: &str = "≥ 0.8 × raw";
const BAR_ONE_RATIO: f64 = 0.8;
const BAR_MANY: &str = "≥ 4 × the raw single writer";
const BAR_MANY_RATIO: f64 = 4.0;
const WRITERS: usize = 64;
const SEED_STEPS: u32 = 20;

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let runtime = World::runtime()?;
    let (turns, appends) = world.size.appends;
    let folder = world.folder()?;
    let seed = runtime.block_on(seed::session(world, folder.path(), SEED_STEPS, Autonomy::Full))?;
    let journal = Arc::new(SqliteJournal::open(Options::new(folder.path(), HostId(random()?)))?);
    let drafts: Arc<Vec<Draft>> = Arc::new(seed.events().map(|event| event.draft.clone()).collect());
    let mut one = runtime.block_on(Writer::new(&journal, &drafts))?;
    let mut many = (0..WRITERS).map(|_| runtime.block_on(Writer::new(&journal, &drafts))).collect::<Result<Vec<_>, _>>()?;
    let raw = Raw::open(folder.path(), &seed)?;
    let (mut raws, mut ones, mut manys) = (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..turns {
        raws.push(per_second(appends, || raw.commit(appends))?);
        ones.push(per_second(appends, || runtime.block_on(one.write(appends)))?);
        let each = (appends / 8).max(1);
        manys.push(per_second(WRITERS * each, || all_at_once(&runtime, &mut many, each))?);
    }
    let line = |what, samples: &Samples, bar, bar_ratio: f64| {
        let ratio = samples.median() / raws.median();
        Line {
            what,
            figure: format!("{:.0} events/s", samples.median()),
            beside: format!("raw {:.0}/s", raws.median()),
            ratio: Some(ratio),
            bar,
            met: Some(ratio >= bar_ratio),
            note: format!("noise ±{:.0} %, raw ±{:.0} %", samples.noise() * 100.0, raws.noise() * 100.0),
        }
    };
    Ok(vec![
        line("1 writer, an event an append", &ones, BAR_ONE, BAR_ONE_RATIO),
        line("64 writers, an event an append", &manys, BAR_MANY, BAR_MANY_RATIO),
    ])
}

fn per_second(count: usize, work: impl FnOnce() -> Result<(), Problem>) -> Result<f64, Problem> {
    let began = Instant::now();
    work()?;
    Ok(count as f64 / began.elapsed().as_secs_f64())
}

/// One stream and its owner.
struct Writer {
    journal: Arc<SqliteJournal>,
    drafts: Arc<Vec<Draft>>,
    stream: StreamId,
    fence: Fence,
    at: Version,
}

impl Writer {
    async fn new(journal: &Arc<SqliteJournal>, drafts: &Arc<Vec<Draft>>) -> Result<Writer, Problem> {
        let stream = StreamId::session(SessionId(random()?));
        let fence = Fence { epoch: journal.acquire(&stream).await?.epoch };
        Ok(Writer { journal: journal.clone(), drafts: drafts.clone(), stream, fence, at: Version::NONE })
    }

    async fn write(&mut self, appends: usize) -> Result<(), Problem> {
        for draft in self.drafts.clone().iter().cycle().take(appends) {
            let append = Append {
                stream: self.stream.clone(),
                expected: Expected::after(self.at),
                time: Time(0),
                drafts: vec![draft.clone()],
                fence: Some(self.fence),
                rest: Rest::Busy,
            };
            self.at = self.journal.append(append).await?.last;
        }
        Ok(())
    }
}

fn all_at_once(runtime: &Runtime, writers: &mut Vec<Writer>, each: usize) -> Result<(), Problem> {
    let mut writing = JoinSet::new();
    for mut writer in writers.drain(..) {
        writing.spawn_on(
            async move {
                writer.write(each).await?;
                Ok::<Writer, Problem>(writer)
            },
            runtime.handle(),
        );
    }
    for written in runtime.block_on(writing.join_all()) {
        writers.push(written?);
    }
    Ok(())
}

/// Plain SQLite with the settings of the journal.
struct Raw {
    connection: Connection,
    rows: Vec<Vec<u8>>,
}

impl Raw {
    fn open(folder: &std::path::Path, seed: &Seed) -> Result<Raw, Problem> {
        let connection = Connection::open(folder.join("raw.db"))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.execute_batch("CREATE TABLE events (position INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB NOT NULL) STRICT")?;
        let rows: Vec<Vec<u8>> = seed.stored.iter().map(|stored| stored.bytes.clone()).collect();
        if rows.is_empty() { Err(wrong("no events to store")) } else { Ok(Raw { connection, rows }) }
    }

    fn commit(&self, commits: usize) -> Result<(), Problem> {
        for bytes in self.rows.iter().cycle().take(commits) {
            self.connection.prepare_cached("INSERT INTO events (bytes) VALUES (?1)")?.execute([bytes])?;
        }
        Ok(())
    }
}
