//! Many jobs at once in one process, through the library.

use crate::problem::{Problem, wrong};
use crate::stats::Samples;
use crate::table::Line;
use crate::world::World;
use crate::{floor, job, process, seed};
use contract::config::Autonomy;
use contract::port::Stored;
use std::sync::Arc;
use std::time::Instant;
use throughline::{Home, Throughline};
use tokio::task::JoinSet;

const BAR: &str = "CPU-bound, step p99 ≤ 100 ms";
const BAR_P99_MS: f64 = 100.0;
/// Share of all cores from which on the processor is what is waited for; others may use the machine too.
const BAR_CPU: f64 = 0.8;

pub fn measure(world: &World) -> Result<Vec<Line>, Problem> {
    let (jobs, steps) = world.size.parallel;
    let runtime = World::runtime()?;
    // No command sees the data folder, so it cannot be the folder that they work in.
    let (home, work) = (world.folder()?, world.folder()?);
    let script = job::script(home.path(), steps)?;
    let used = || process::cpu_of_this().map_or(0.0, |cpu| cpu.own_ms + cpu.children_ms);
    let (before, began) = (used(), Instant::now());
    let told = runtime.block_on(async {
        let throughline = Arc::new(Throughline::open(&Home::at(home.path()))?);
        let mut running = JoinSet::new();
        for _ in 0..jobs {
            let (throughline, script, folder) = (Arc::clone(&throughline), script.clone(), work.path().to_owned());
            running.spawn(async move { seed::follow(&throughline, &script, &folder, Autonomy::Full).await });
        }
        running.join_all().await.into_iter().collect::<Result<Vec<_>, Problem>>()
    })?;
    let wall_ms = began.elapsed().as_secs_f64() * 1_000.0;
    drop(runtime);
    process::wait_for_orphans();
    let cpu_ms = used() - before;
    let latencies: Samples = told.iter().flat_map(|events| step_ms(events)).collect();
    let ended: usize = told.iter().map(|events| count(events, "tool.finished")).sum();
    let all = jobs * steps as usize;
    if ended != all {
        return Err(wrong(format!("{ended} of {all} steps ended")));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let busy = cpu_ms / wall_ms / cores;
    let p99 = latencies.quantile(0.99);
    let before = used();
    let floor = floor::at_once_ms(world.folder()?.path(), jobs, steps)?;
    let floor_cpu_ms = used() - before;
    Ok(vec![Line {
        what: "jobs at once in one process",
        figure: format!("{:.1} s, p99 {p99:.0} ms", wall_ms / 1_000.0),
        beside: format!("floor p99 {:.0} ms", floor.quantile(0.99)),
        ratio: Some(p99 / floor.quantile(0.99)),
        bar: BAR,
        met: Some(busy >= BAR_CPU && p99 <= BAR_P99_MS),
        note: format!(
            "{jobs} jobs × {steps} steps, {:.0} steps/s, {:.0} % of {cores} cores, median {:.0} ms beside {:.0} ms, processor time {:.2} ms a step beside {:.2} ms",
            all as f64 * 1_000.0 / wall_ms,
            busy * 100.0,
            latencies.median(),
            floor.median(),
            cpu_ms / all as f64,
            floor_cpu_ms / all as f64
        ),
    }])
}

/// Milliseconds from each request to the next, by the times in the log.
fn step_ms(events: &[Stored]) -> Vec<f64> {
    let requests: Vec<u64> = events.iter().filter(|stored| is(stored, "model.requested")).map(|stored| stored.event.time.0).collect();
    requests.windows(2).map(|pair| pair[1].saturating_sub(pair[0]) as f64).collect()
}

fn count(events: &[Stored], name: &str) -> usize {
    events.iter().filter(|stored| is(stored, name)).count()
}

fn is(stored: &Stored, name: &str) -> bool {
    stored.event.draft.body.name() == name
}
