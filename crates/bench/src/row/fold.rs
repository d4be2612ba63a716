//! Events a second: folded when they are decoded already, and from the log, where each is read, verified and decoded.

use crate::problem::{Problem, wrong};
use crate::seed::{self, random};
use crate::stats::Samples;
use crate::table::Line;
use crate::world::World;
use agent::{Agent, State};
use contract::config::Autonomy;
use contract::event::Event;
use contract::id::{HostId, SessionId, StreamId};
use contract::machine::{Machine, Rest};
use contract::port::{Append, Expected, Log};
use contract::units::{Time, Version};
use journal::{Options, SqliteJournal};
use std::time::Instant;

const BAR_FOLD: &str = "≥ 1,000,000/s";
const BAR_FOLD_PER_S: f64 = 1_000_000.0;
const BAR_OPEN: &str = "≥ 200,000/s";
const BAR_OPEN_PER_S: f64 = 200_000.0;
/// Events read at once, as the driver does.
const READ_MAX: usize = 1_000;
/// Events of one append.
const APPEND: usize = 100;

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let runtime = World::runtime()?;
    let folder = world.folder()?;
    let seed = runtime.block_on(seed::session(world, folder.path(), world.size.steps.1, Autonomy::Full))?;
    let events: Vec<Event> = seed.events().cloned().collect();
    let journal = SqliteJournal::open(Options::new(folder.path(), HostId(random()?)))?;
    let stream = StreamId::session(SessionId(random()?));
    runtime.block_on(store(&journal, &stream, &events))?;
    let (mut folds, mut opens) = (Samples::default(), Samples::default());
    for _ in 0..world.size.folds {
        folds.push(per_second(&events, || fold(&stream, &events))?);
        opens.push(per_second(&events, || runtime.block_on(open(&journal, &stream)))?);
    }
    let line = |what, samples: &Samples, bar, bar_per_s| Line {
        what,
        figure: format!("{:.0}/s", samples.median()),
        bar,
        met: Some(samples.median() >= bar_per_s),
        note: format!("a session of {} events, noise ±{:.0} %", events.len(), samples.noise() * 100.0),
        ..Line::default()
    };
    Ok(vec![
        line("fold of decoded events", &folds, BAR_FOLD, BAR_FOLD_PER_S),
        line("open: read, verify, decode, fold", &opens, BAR_OPEN, BAR_OPEN_PER_S),
    ])
}

async fn store(journal: &SqliteJournal, stream: &StreamId, events: &[Event]) -> Result<(), Problem> {
    let mut version = Version::NONE;
    for events in events.chunks(APPEND) {
        let drafts = events.iter().map(|event| event.draft.clone()).collect();
        let expected = Expected::after(version);
        let append = Append { stream: stream.clone(), expected, time: Time(0), drafts, fence: None, rest: Rest::Waiting };
        version = journal.append(append).await?.last;
    }
    Ok(())
}

fn per_second(events: &[Event], work: impl FnOnce() -> Result<State, Problem>) -> Result<f64, Problem> {
    let began = Instant::now();
    let state = work()?;
    let took = began.elapsed();
    if state.version.0 as usize != events.len() {
        return Err(wrong("not all events were folded"));
    }
    Ok(events.len() as f64 / took.as_secs_f64())
}

fn fold<'a>(stream: &StreamId, events: impl IntoIterator<Item = &'a Event>) -> Result<State, Problem> {
    let mut state = State::new(stream.clone());
    for event in events {
        Agent::fold(&mut state, event).map_err(|illegal| wrong(illegal.to_string()))?;
    }
    Ok(state)
}

async fn open(journal: &SqliteJournal, stream: &StreamId) -> Result<State, Problem> {
    let mut state = State::new(stream.clone());
    loop {
        let stored = journal.read(stream, state.version.next(), READ_MAX).await?;
        for one in &stored {
            Agent::fold(&mut state, &one.event).map_err(|illegal| wrong(illegal.to_string()))?;
        }
        if stored.len() < READ_MAX {
            return Ok(state);
        }
    }
}
