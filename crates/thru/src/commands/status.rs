//! `thru status`: how sessions stand, from the log alone.

use super::open_existing;
use crate::args::StatusOf;
use crate::catalog::{self, StatusLine};
use crate::fault::{Fault, code};
use crate::render::{Where, card, excerpt, out};
use contract::id::{HostId, SessionId};
use contract::port::Clock;
use contract::units::Position;
use throughline::{RunningRow, RunningWork, Standing, Status, SystemClock, Throughline};

/// Sessions that are listed; older ones are found by their id.
const LISTED_MAX: usize = 20;

pub async fn run(what: StatusOf, after: Option<Position>, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    match what {
        StatusOf::Session(session) => {
            if let Some(after) = after {
                throughline.reach(after).await?;
            }
            show(&throughline.status(session).await?, json);
        }
        StatusOf::Work => list(&throughline, after, json).await?,
        StatusOf::Running => list_running(&throughline, after, json).await?,
    }
    Ok(code::DONE)
}

/// The latest work, from the lists beside the log.
async fn list(throughline: &Throughline, after: Option<Position>, json: bool) -> Result<(), Fault> {
    let listed = throughline.work(after, LISTED_MAX).await?;
    if listed.is_empty() && !json {
        say(&StatusLine::NoSessions);
    }
    for work in listed {
        if json {
            // It holds strings, numbers and lists of such: nothing in it can fail to be JSON.
            out(serde_json::to_string(&work).unwrap_or_default().as_bytes());
            continue;
        }
        let unwatched = work.running > 0;
        head(work.session, &work.standing, work.holder, unwatched, &work.task);
    }
    Ok(())
}

/// Every command that runs, in whichever session.
async fn list_running(throughline: &Throughline, after: Option<Position>, json: bool) -> Result<(), Fault> {
    let running = throughline.running_everywhere(after).await?;
    if running.is_empty() && !json {
        say(&StatusLine::NothingRuns);
    }
    for RunningWork { row, holder } in running {
        if json {
            out(serde_json::to_string(&RunningWork { row, holder }).unwrap_or_default().as_bytes());
            continue;
        }
        let (session, call, args) = (row.session.to_string(), row.call.to_string(), excerpt(&row.args));
        let seconds = SystemClock.now().0.saturating_sub(row.since.0) / 1_000;
        let holder = holder.map(|holder| holder.to_string());
        let RunningRow { tool, background, stopping, .. } = &row;
        say(&StatusLine::Of { session: &session, holder: holder.as_deref() });
        say(&StatusLine::Running {
            tool,
            call: &call,
            args: &args,
            seconds,
            background: *background,
            stopping: *stopping,
            driven: holder.is_some(),
            sandbox: row.sandbox,
        });
    }
    Ok(())
}

fn say(what: &StatusLine<'_>) {
    out(catalog::status(what).as_bytes());
}

/// Who does what is left to do, and how to go on when nobody does; `unwatched` when something would run without anybody.
fn head(session: SessionId, standing: &Standing, holder: Option<HostId>, unwatched: bool, task: &str) {
    let (session, holder) = (session.to_string(), holder.map(|holder| holder.to_string()));
    let forsaken = holder.is_none() && (unwatched || needs_driver(standing));
    say(&StatusLine::Session { session: &session, standing, holder: holder.as_deref(), forsaken, task: &excerpt(task) });
    if forsaken {
        say(&StatusLine::HowToResume { session: &session });
    }
}

/// Whether it goes on only when a process drives it.
fn needs_driver(standing: &Standing) -> bool {
    match standing {
        Standing::Asking | Standing::Acting | Standing::Retrying { .. } | Standing::Waiting { .. } | Standing::Stopping | Standing::Due => {
            true
        }
        // Without an ask it is paused.
        Standing::Parked { asks } => asks.is_empty(),
        Standing::AtRest => false,
    }
}

/// Prints how a session stands.
pub fn show(status: &Status, json: bool) {
    if json {
        // It holds strings, numbers and lists of such: nothing in it can fail to be JSON.
        return out(serde_json::to_string(status).unwrap_or_default().as_bytes());
    }
    head(status.session, &status.standing, status.holder, !status.running.is_empty(), &status.task);
    if let Some(fork) = &status.fork {
        say(&StatusLine::Forked { from: &fork.from.to_string(), at: fork.at.0 });
    }
    for running in &status.running {
        let seconds = SystemClock.now().0.saturating_sub(running.since.0) / 1_000;
        say(&StatusLine::Running {
            tool: &running.tool,
            call: &running.call.to_string(),
            args: &excerpt(&running.args),
            seconds,
            background: running.background,
            stopping: running.stopping,
            driven: status.holder.is_some(),
            sandbox: running.sandbox,
        });
        let last = running.output.as_deref().and_then(|output| output.trim_end().lines().next_back());
        if let Some(last) = last {
            say(&StatusLine::Output { text: &excerpt(last) });
        }
    }
    for message in &status.messages {
        say(&StatusLine::Message { event: message.version.0, fate: &message.fate, text: &excerpt(&message.text) });
    }
    for view in &status.asks {
        card(view, Where::Elsewhere).iter().for_each(|line| out(line.as_bytes()));
    }
    let Status { turns, run, tool_calls, tokens, cost_micros, version, folder, .. } = status;
    let (turns, run, calls) = (*turns, *run, *tool_calls);
    say(&StatusLine::Figures { turns, run, calls, tokens: *tokens, cost_micros: *cost_micros, events: version.0, folder });
}
