//! `thru status`: how sessions stand, from the log alone.

use super::open_existing;
use crate::args::StatusOf;
use crate::catalog::{self, StatusLine};
use crate::fault::{Fault, code};
use crate::render::{Where, card, excerpt, out};
use contract::port::Clock;
use contract::units::Position;
use throughline::{RunningRow, Standing, StartError, Status, SystemClock, Throughline};

/// Sessions that are listed; older ones are found by their id.
const LISTED_MAX: usize = 20;

pub async fn run(what: StatusOf, after: Option<Position>, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    match what {
        StatusOf::Session(session) => show(&throughline.status(session).await?, json),
        StatusOf::Work => list(&throughline, after, json).await?,
        StatusOf::Running => list_running(&throughline, after, json).await?,
    }
    Ok(code::DONE)
}

/// The latest work, from the lists beside the log.
async fn list(throughline: &Throughline, after: Option<Position>, json: bool) -> Result<(), Fault> {
    for work in throughline.work(after, LISTED_MAX).await? {
        if json {
            // It holds strings, numbers and lists of such: nothing in it can fail to be JSON.
            out(serde_json::to_string(&work).unwrap_or_default().as_bytes());
            continue;
        }
        let driven = throughline.holder(work.row.session).await.map_err(StartError::from)?.is_some();
        head(&work.row.session.to_string(), &work.standing, driven, &work.row.task);
    }
    Ok(())
}

/// Every command that runs, in whichever session.
async fn list_running(throughline: &Throughline, after: Option<Position>, json: bool) -> Result<(), Fault> {
    for row in throughline.running_everywhere(after).await? {
        if json {
            out(serde_json::to_string(&row).unwrap_or_default().as_bytes());
            continue;
        }
        let (session, call, args) = (row.session.to_string(), row.call.to_string(), excerpt(&row.args));
        let seconds = SystemClock.now().0.saturating_sub(row.since.0) / 1_000;
        let RunningRow { tool, background, stopping, .. } = &row;
        out(session.as_bytes());
        say(&StatusLine::Running { tool, call: &call, args: &args, seconds, background: *background, stopping: *stopping });
    }
    Ok(())
}

fn say(what: &StatusLine<'_>) {
    out(catalog::status(what).as_bytes());
}

fn head(session: &str, standing: &Standing, driven: bool, task: &str) {
    say(&StatusLine::Session { session, standing, driven, task: &excerpt(task) });
}

/// Prints how a session stands.
pub fn show(status: &Status, json: bool) {
    if json {
        // It holds strings, numbers and lists of such: nothing in it can fail to be JSON.
        return out(serde_json::to_string(status).unwrap_or_default().as_bytes());
    }
    head(&status.session.to_string(), &status.standing, status.holder.is_some(), &status.task);
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
