//! How a session stands, as its log has it: what runs, what waits, what it is parked on.

use crate::delivery::{Deliveries, Delivery};
use crate::running::disagreement;
use crate::{AskView, StartError, Throughline};
use agent::State;
use agent::rest::Turn;
use agent::state::{Call, Fork, Retry, Run, Stage};
use contract::ask::AskKind;
use contract::body::Body;
use contract::call::Sandbox;
use contract::config::Limits;
use contract::id::{CallId, HostId, Key, SessionId, StreamId};
use contract::limits::OUTPUT_TAIL_BYTES_MAX;
use contract::machine::Rest;
use contract::port::Stored;
use contract::units::{Time, Version};
use runtime::read::Whose;
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    pub session: SessionId,
    pub folder: String,
    /// Where it branches off from another session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fork: Option<Fork>,
    /// The first thing that was said to it.
    pub task: String,
    pub version: Version,
    pub standing: Standing,
    /// The living process that drives it.
    pub holder: Option<HostId>,
    pub running: Vec<RunningTool>,
    /// What became of every message, and which of them no model has been shown yet.
    pub messages: Vec<Delivery>,
    /// What a person is asked.
    pub asks: Vec<AskView>,
    /// Replies of the whole session.
    pub turns: u32,
    /// Those of the open run, and how many it may have.
    pub run: Option<RunTurns>,
    /// Calls that were started.
    pub tool_calls: u64,
    pub tokens: u64,
    pub cost_micros: u64,
    pub limits: Limits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RunTurns {
    pub turns: u64,
    pub turns_allowed: u64,
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
    /// A call waits, and the first that does until this time.
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
    /// What holds it, if it is a command.
    pub sandbox: Option<Sandbox>,
    /// It was told to end.
    pub stopping: bool,
    /// The end of its output, when it runs on this machine.
    pub output: Option<String>,
}

/// What only the events themselves tell.
#[derive(Default)]
struct Seen {
    task: Option<String>,
    deliveries: Deliveries,
}

impl Seen {
    fn look(&mut self, state: &State, stored: &Stored, whose: Whose) {
        if whose == Whose::Inherited {
            return;
        }
        if let Body::SessionForked(_) = &stored.event.draft.body {
            self.deliveries.inherit(&state.inbox, stored.event.version);
        }
        let waiting: Vec<&Key> = state.inbox.iter().map(|message| &message.key).collect();
        self.deliveries.look(stored, &waiting);
        if let Body::MessageReceived(received) = &stored.event.draft.body {
            self.task.get_or_insert_with(|| received.text.shown());
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
            .fold_with(&stream, |state, stored, whose| {
                seen.look(state, stored, whose);
                Ok(())
            })
            .await?;
        let state = folded.map_err(|illegal| disagreement(&stream, illegal))?;
        let running = self.running_tools(&state).await;
        Ok(Status {
            session,
            folder: state.session.as_ref().map(|session| session.folder.clone()).unwrap_or_default(),
            fork: state.session.as_ref().and_then(|session| session.fork),
            task: seen.task.unwrap_or_default(),
            version: state.version,
            standing: standing(&state),
            holder: self.holder(session).await?,
            running,
            messages: seen.deliveries.finish(),
            asks: self.asks_of(session, &state).await?,
            turns: state.replies,
            run: state.run.as_ref().map(run_turns),
            tool_calls: state.ledger.tool_calls,
            tokens: state.ledger.spent.tokens,
            cost_micros: state.ledger.spent.cost_micros,
            limits: state.session.as_ref().map(|session| session.options.limits).unwrap_or_default(),
        })
    }

    async fn running_tools(&self, state: &State) -> Vec<RunningTool> {
        let mut running = Vec::new();
        for (id, call) in &state.calls {
            let Some(attempt) = call.attempt() else { continue };
            running.push(RunningTool {
                call: *id,
                tool: call.tool.clone(),
                args: call.args.shown(),
                attempt: attempt.number,
                since: attempt.since,
                background: !call.foreground,
                sandbox: call.prepared.sandbox,
                stopping: attempt.deadline.is_some(),
                output: self.ports.tools.tail(call.action, attempt.number, OUTPUT_TAIL_BYTES_MAX).await,
            });
        }
        running
    }
}

/// How a session stands, wherever it is told.
pub(crate) fn standing(state: &State) -> Standing {
    let acting = state.calls.values().any(|call| call.attempt().is_some());
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
    // A run may also be due to reach its limit of time, which is nothing that it waits for.
    match (agent::rest::rest(state), retried_at(state), waits_until(state)) {
        (Rest::Until(_), Some(at), _) => Standing::Retrying { at },
        (Rest::Until(_), None, Some(at)) => Standing::Waiting { at },
        (Rest::Busy, ..) if agent::rest::turn(state) == Turn::Nobody => Standing::AtRest,
        (Rest::Busy, ..) | (Rest::Until(_), None, None) => Standing::Due,
        (Rest::Waiting | Rest::Closed, ..) => Standing::AtRest,
    }
}

fn retried_at(state: &State) -> Option<Time> {
    match state.run.as_ref()?.retry {
        Retry::At(at) => Some(at),
        Retry::No | Retry::Wanted { .. } => None,
    }
}

fn waits_until(state: &State) -> Option<Time> {
    let waits = |call: &Call| match &call.stage {
        Stage::Waiting { at, .. } => Some(*at),
        Stage::Started(_) | Stage::Decided | Stage::Held(_) | Stage::Refused(..) | Stage::Unknown | Stage::Judged(..) => None,
    };
    state.calls.values().filter_map(waits).min()
}

fn run_turns(run: &Run) -> RunTurns {
    RunTurns { turns: run.turns.taken, turns_allowed: u64::from(run.config.max_turns).saturating_add(run.turns.extended) }
}

fn kinds(state: &State) -> Vec<AskKind> {
    state.asks.values().map(|open| open.ask.subject.kind()).collect()
}
