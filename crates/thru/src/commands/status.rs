//! `thru status`: how sessions stand, from the log alone.

use super::open_existing;
use crate::catalog::{self, StatusLine};
use crate::fault::{Fault, code};
use crate::render::{Where, card, excerpt, fault, out};
use contract::id::SessionId;
use contract::port::Clock;
use throughline::{Status, SystemClock, Throughline};

/// Sessions that are listed; older ones are found by their id.
const LISTED_MAX: usize = 20;

pub async fn run(session: Option<SessionId>, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    match session {
        Some(session) => show(&throughline.status(session).await?, json, true),
        None => return list(&throughline, json).await,
    }
    Ok(code::DONE)
}

/// One that cannot be read does not hide the others.
async fn list(throughline: &Throughline, json: bool) -> Result<u8, Fault> {
    let mut exit = code::DONE;
    let sessions = throughline.sessions(LISTED_MAX).await?;
    for session in sessions.iter().filter_map(|tail| tail.stream.session_id()) {
        match throughline.status(session).await {
            Ok(status) => show(&status, json, false),
            Err(error) => exit = fault(&Fault::from(error), false),
        }
    }
    Ok(exit)
}

/// Prints how a session stands.
pub fn show(status: &Status, json: bool, whole: bool) {
    if json {
        // It holds strings, numbers and lists of such: nothing in it can fail to be JSON.
        return out(serde_json::to_string(status).unwrap_or_default().as_bytes());
    }
    let say = |what: &StatusLine<'_>| out(catalog::status(what).as_bytes());
    let (session, task) = (status.session.to_string(), excerpt(&status.task));
    say(&StatusLine::Session { session: &session, standing: &status.standing, driven: status.holder.is_some(), task: &task });
    if !whole {
        return;
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
