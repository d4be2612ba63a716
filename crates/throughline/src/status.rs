//! How a session stands, as its log has it: what runs, what waits, what it is parked on.

use crate::delivery::{Deliveries, Delivery};
use crate::running::disagreement;
use crate::{AskView, StartError, Throughline};
use agent::State;
use agent::rest::Turn;
use agent::state::Stage;
use contract::ask::AskKind;
use contract::body::Body;
use contract::config::Limits;
use contract::id::{CallId, HostId, Key, SessionId, StreamId};
use contract::limits::OUTPUT_TAIL_BYTES_MAX;
use contract::machine::Rest;
use contract::port::Stored;
use contract::units::{Time, Version};
use serde::Serialize;

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
    /// What became of every message.
    pub messages: Vec<Delivery>,
    /// What a person is asked.
    pub asks: Vec<AskView>,
    pub turns: u32,
    pub tool_calls: u32,
    pub tokens: u64,
    pub cost_micros: u64,
    pub limits: Limits,
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
    /// A call waits for this time.
    Waiting { at: Time },
    /// It waits for a person; without an ask, it is paused.
    Parked { asks: Vec<AskKind> },
    /// A person stopped it, and what runs is being ended.
    Stopping,
    /// There is work that nobody is doing yet.
    Due,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunningTool {
    pub call: CallId,
    pub tool: String,
    pub args: String,
    pub attempt: u16,
    pub since: Time,
    /// It does not hold the run.
    pub background: bool,
    /// It was told to end.
    pub stopping: bool,
    /// The end of its output, when it runs on this machine.
    pub output: Option<String>,
}

/// What only the events themselves tell.
#[derive(Default)]
struct Seen {
    task: Option<String>,
    tool_calls: u32,
    deliveries: Deliveries,
}

impl Seen {
    fn look(&mut self, state: &State, stored: &Stored) {
        let waiting: Vec<&Key> = state.inbox.iter().map(|message| &message.key).collect();
        self.deliveries.look(stored, &waiting);
        let body = &stored.event.draft.body;
        if let Body::MessageReceived(received) = body {
            self.task.get_or_insert_with(|| received.text.shown());
        } else if let Body::ActionDecided(_) = body {
            self.tool_calls += 1;
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
            .fold_with(&stream, |state, stored| {
                seen.look(state, stored);
                Ok(())
            })
            .await?;
        let state = folded.map_err(|illegal| disagreement(&stream, illegal))?;
        let running = self.running_tools(&state).await;
        Ok(Status {
            session,
            folder: state.session.as_ref().map(|session| session.folder.clone()).unwrap_or_default(),
            task: seen.task.unwrap_or_default(),
            version: state.version,
            standing: standing(&state, !running.is_empty()),
            holder: self.holder(session).await?,
            running,
            waiting: state.inbox.iter().map(|message| message.text.shown()).collect(),
            messages: seen.deliveries.finish(),
            asks: self.asks_of(session, &state).await?,
            turns: state.replies,
            tool_calls: seen.tool_calls,
            tokens: state.ledger.spent.tokens,
            cost_micros: state.ledger.spent.cost_micros,
            limits: state.session.as_ref().map(|session| session.options.limits).unwrap_or_default(),
        })
    }

    async fn running_tools(&self, state: &State) -> Vec<RunningTool> {
        let mut running = Vec::new();
        for (id, call) in &state.calls {
            let Stage::Started(attempt) = &call.stage else { continue };
            running.push(RunningTool {
                call: *id,
                tool: call.tool.clone(),
                args: call.args.shown(),
                attempt: attempt.number,
                since: attempt.since,
                background: !call.foreground,
                stopping: attempt.deadline.is_some(),
                output: self.ports.tools.tail(call.action, attempt.number, OUTPUT_TAIL_BYTES_MAX).await,
            });
        }
        running
    }
}

fn standing(state: &State, acting: bool) -> Standing {
    if state.is_stopping() {
        return Standing::Stopping;
    }
    if state.is_parked() {
        return Standing::Parked { asks: kinds(state) };
    }
    if acting && state.run.is_some() {
        return Standing::Acting;
    }
    if state.model.is_some() {
        return Standing::Asking;
    }
    if state.waits_for_person() {
        return Standing::Parked { asks: kinds(state) };
    }
    let waits = state.calls.values().any(|call| matches!(call.stage, Stage::Waiting { .. }));
    match agent::rest::rest(state) {
        Rest::Until(at) if waits => Standing::Waiting { at },
        Rest::Until(at) => Standing::Retrying { at },
        Rest::Busy if agent::rest::turn(state) == Turn::Nobody => Standing::AtRest,
        Rest::Busy => Standing::Due,
        Rest::Waiting | Rest::Closed => Standing::AtRest,
    }
}

fn kinds(state: &State) -> Vec<AskKind> {
    state.asks.values().map(|open| open.ask.subject.kind()).collect()
}
