//! `thru stop` and `thru pause`: end or hold the work of a session, and say what came of it.

use super::{local, open_existing, send};
use crate::catalog::{CallLine, Line, Problem, call_line, line};
use crate::fault::{Fault, code};
use crate::render::{Story, out};
use contract::body::Scope;
use contract::id::SessionId;
use contract::input::Rejection;
use contract::limits::STOP_GRACE_MS;
use contract::units::Version;
use serde_json::json;
use std::time::Duration;
use throughline::{SayError, Sent, Standing, Status, Throughline};

/// How often the log is looked at while what runs ends.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Events read at once.
const PAGE: usize = 1_000;
/// The grace of what runs, and five seconds for whoever drives the session to notice and to record it.
const PATIENCE: Duration = Duration::from_millis(STOP_GRACE_MS + 5_000);

pub async fn stop(session: SessionId, scope: Scope, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let sent = match throughline.stop(session, scope, local()).await {
        Err(SayError::Rejected(Rejection::NothingToStop)) => {
            let status = throughline.status(session).await?;
            nothing_to_stop(&status, json);
            return Ok(code::DONE);
        }
        other => other?,
    };
    if !json && sent.holder.is_none() && is_done(&throughline.status(session).await?) {
        out(line(&Line::StoppedAtRest { version: sent.version.0, session: &session.to_string() }).as_bytes());
        return Ok(code::DONE);
    }
    send::tell(&sent, json);
    if sent.holder.is_some() && !json {
        // Whoever drives the session says in the log what it stopped; a slow one is not waited for for ever.
        match tokio::time::timeout(PATIENCE, report(&throughline, &sent)).await {
            Ok(told) => told?,
            Err(_) => out(line(&Line::StillStopping { session: &session.to_string() }).as_bytes()),
        }
    }
    Ok(code::DONE)
}

pub async fn pause(session: SessionId, json: bool) -> Result<u8, Fault> {
    let throughline = open_existing()?;
    let sent = match throughline.pause(session, local()).await {
        Err(SayError::Rejected(Rejection::NothingToPause)) => {
            let status = throughline.status(session).await?;
            return Err(not_paused(session, status.run.is_some(), status.standing == Standing::Stopping));
        }
        other => other?,
    };
    if json {
        send::tell(&sent, json);
    } else {
        out(line(&Line::Paused { version: sent.version.0, session: &session.to_string() }).as_bytes());
    }
    Ok(code::DONE)
}

/// Whether nobody has to do anything for the stop any more.
fn is_done(status: &Status) -> bool {
    status.standing == Standing::AtRest && status.running.is_empty()
}

/// Why a pause was refused, by whether a run is open and being stopped.
pub fn not_paused(session: SessionId, open: bool, stopping: bool) -> Fault {
    let session = session.to_string();
    Fault::new(match (open, stopping) {
        (true, true) => Problem::PauseOfStopping { session: &session },
        (true, false) => Problem::PausedAlready { session: &session },
        (false, _) => Problem::NothingToPause,
    })
}

fn nothing_to_stop(status: &Status, json: bool) {
    let (session, stopping) = (status.session.to_string(), status.standing == Standing::Stopping);
    let holder = status.holder.map(|holder| holder.to_string());
    let said = match (json, stopping) {
        (true, _) => json!({ "session": session, "version": null, "driven_by": holder, "stopping": stopping }).to_string(),
        (false, true) => line(&Line::StoppingAlready { session: &session }),
        (false, false) => line(&Line::NothingToStop { session: &session }),
    };
    out(said.as_bytes());
}

/// Tells what the log says of the stop until it is done, and what keeps running.
async fn report(throughline: &Throughline, sent: &Sent) -> Result<(), Fault> {
    let mut story = Story::new(sent.session);
    let mut next = Version(1);
    loop {
        for one in throughline.events(sent.session, next, PAGE).await? {
            next = one.event.version.next();
            let told = story.tell(&one.event);
            if one.event.version > sent.version {
                told.iter().for_each(|line| out(line.as_bytes()));
            }
        }
        let status = throughline.status(sent.session).await?;
        // What was stored since the events were read is told before anything is called done.
        let all_told = status.version < next;
        // What only kept a message from starting anything is done as soon as it is recorded.
        let acted_on = next > sent.version.next() || status.standing == Standing::AtRest;
        let ending = status.standing == Standing::Stopping || status.running.iter().any(|one| one.stopping);
        if all_told && acted_on && !ending {
            for one in &status.running {
                out(call_line(&CallLine::StillRunning { tool: &one.tool, call: &one.call.to_string() }).as_bytes());
            }
            return Ok(());
        }
        if all_told {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::testing::place;
    use contract::body::Mode;

    /// Nothing follows in the log, and nothing has to.
    #[tokio::test]
    async fn a_message_that_starts_nothing_any_more_is_not_waited_for() {
        let place = place(&[r#"{"text":"one"}"#]);
        let session = place.done().await;
        place.throughline.send(session, "more".to_owned(), Mode::Steer, None, local()).await.unwrap();
        let sent = place.throughline.stop(session, Scope::Turn, local()).await.unwrap();
        let told = tokio::time::timeout(PATIENCE, report(&place.throughline, &sent)).await;
        assert_eq!(told.unwrap(), Ok(()));
    }
}
