//! How a session stands, as its log has it: what runs, what waits, what it is parked on.

use crate::running::disagreement;
use crate::{StartError, Throughline};
use agent::State;
use agent::state::Stage;
use contract::ask::AskKind;
use contract::body::Body;
use contract::id::{HostId, SessionId, StreamId};
use contract::machine::Rest;
use contract::port::Stored;
use contract::units::{Time, Version};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    pub session: SessionId,
    pub folder: String,
    /// The first thing that was said to it.
    pub task: String,
    pub version: Version,
    pub standing: Standing,
    /// The living process that drives it.
    pub holder: Option<HostId>,
    pub running: Vec<RunningTool>,
    /// Messages that no model has been shown yet.
    pub waiting: Vec<String>,
    pub turns: u32,
    pub tool_calls: u32,
    pub tokens: u64,
    pub cost_micros: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nothing to do.
    AtRest,
    /// A model is being asked.
    Asking,
    /// Tools run.
    Acting,
    /// A failed model call is made again at this time.
    Retrying { at: Time },
    /// It waits for a person.
    Parked { asks: Vec<AskKind> },
    /// There is work that nobody is doing yet.
    Due,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunningTool {
    pub tool: String,
    pub args: String,
    pub attempt: u16,
    pub since: Time,
}

/// What only the events themselves tell.
#[derive(Default)]
struct Seen {
    task: Option<String>,
    tool_calls: u32,
    tokens: u64,
    cost_micros: u64,
    started: BTreeMap<(contract::id::ActionId, u16), Time>,
}

impl Seen {
    fn look(&mut self, stored: &Stored) {
        let body = &stored.event.draft.body;
        if let Body::MessageReceived(received) = body {
            self.task.get_or_insert_with(|| received.text.shown());
        } else if let Body::ActionDecided(_) = body {
            self.tool_calls += 1;
        } else if let Body::ModelCompleted(completed) = body {
            let usage = completed.usage;
            self.tokens += usage.input + usage.output + usage.cache_read + usage.cache_write;
            self.cost_micros += completed.cost_micros.unwrap_or_default();
        } else if let Body::ToolStarted(started) = body {
            self.started.insert((started.action, started.attempt), stored.event.time);
        }
    }
}

impl Throughline {
    pub async fn status(&self, session: SessionId) -> Result<Status, StartError> {
        let stream = StreamId::session(session);
        if self.log().tail(&stream).await?.is_none() {
            return Err(StartError::NoSession(session));
        }
        let mut seen = Seen::default();
        let folded = self
            .fold_with(&stream, |_, stored| {
                seen.look(stored);
                Ok(())
            })
            .await?;
        let state = folded.map_err(|illegal| disagreement(&stream, illegal))?;
        let holder = self.holder(session).await?;
        Ok(status(session, &state, seen, holder))
    }
}

fn status(session: SessionId, state: &State, seen: Seen, holder: Option<HostId>) -> Status {
    let running = state.calls.values().filter_map(|call| match &call.stage {
        Stage::Started(attempt) => Some(RunningTool {
            tool: call.tool.clone(),
            args: call.args.shown(),
            attempt: attempt.number,
            since: seen.started.get(&(call.action, attempt.number)).copied().unwrap_or(state.time),
        }),
        Stage::Decided | Stage::Unknown => None,
    });
    let running: Vec<_> = running.collect();
    Status {
        session,
        folder: state.session.as_ref().map(|session| session.folder.clone()).unwrap_or_default(),
        task: seen.task.unwrap_or_default(),
        version: state.version,
        standing: standing(state, !running.is_empty()),
        holder,
        running,
        waiting: state.inbox.iter().map(|message| message.text.shown()).collect(),
        turns: state.replies,
        tool_calls: seen.tool_calls,
        tokens: seen.tokens,
        cost_micros: seen.cost_micros,
    }
}

fn standing(state: &State, acting: bool) -> Standing {
    if state.is_parked() {
        return Standing::Parked { asks: state.asks.values().map(|ask| ask.kind).collect() };
    }
    if acting {
        return Standing::Acting;
    }
    if state.model.is_some() {
        return Standing::Asking;
    }
    match agent::rest::rest(state) {
        Rest::Until(at) => Standing::Retrying { at },
        Rest::Busy => Standing::Due,
        Rest::Waiting | Rest::Closed => Standing::AtRest,
    }
}
