//! The list of work: every session that a person started, how it stands, and what it has used.

use crate::asks::ended;
use crate::{Seen, excerpt, list};
use contract::ask::AskKind;
use contract::body::{Body, FailureClass, FinishReason, ModelCompleted, RunOutcome, SessionCreated, SessionForked, Spend};
use contract::config::Prices;
use contract::id::{AskId, SessionId};
use contract::units::{Time, Version};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkRow {
    pub session: SessionId,
    pub folder: String,
    /// The first thing that was said to it.
    pub task: String,
    pub model: Option<String>,
    pub created: Time,
    pub changed: Time,
    pub version: Version,
    /// Model replies in all runs.
    pub turns: u64,
    /// Actions that were started.
    pub tool_calls: u64,
    pub tokens: u64,
    /// Millionths of the price unit.
    pub cost_micros: u64,
    /// How its last run ended, once one has.
    pub outcome: Option<RunOutcome>,
    pub reason: Option<FinishReason>,
    run: Option<OpenRun>,
    /// Open asks.
    asks: BTreeMap<AskId, AskKind>,
    /// Calls with a started attempt.
    running: BTreeSet<String>,
    /// It was started by another session, and is no work of its own.
    pub child: bool,
    /// The session and version that it branches off from.
    pub fork: Option<ForkedFrom>,
}

/// Where a fork branched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkedFrom {
    pub from: SessionId,
    pub at: Version,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct OpenRun {
    paused: bool,
    stopping: bool,
    prices: Option<Prices>,
    asking: Option<Asking>,
    retry_at: Option<Time>,
}

/// An open model call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Asking {
    model: String,
    reserve: Spend,
}

/// How a session stands, as far as its events tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Stopping,
    Paused,
    /// Something is asked of a person.
    Asked,
    Acting,
    Thinking,
    Retrying {
        at: Time,
    },
    /// Its run is between two steps, or nobody goes on with it.
    Due,
    /// No run is open.
    AtRest,
}

/// What a model call used, when it ended.
pub struct Charge {
    pub model: String,
    pub spend: Spend,
    /// Whether anybody knows what it cost.
    pub priced: bool,
}

impl WorkRow {
    fn new(seen: &Seen<'_>) -> WorkRow {
        WorkRow {
            session: seen.session,
            folder: String::new(),
            task: String::new(),
            model: None,
            created: seen.event.time,
            changed: seen.event.time,
            version: Version::NONE,
            turns: 0,
            tool_calls: 0,
            tokens: 0,
            cost_micros: 0,
            outcome: None,
            reason: None,
            run: None,
            asks: BTreeMap::new(),
            running: BTreeSet::new(),
            child: false,
            fork: None,
        }
    }

    #[must_use]
    pub fn standing(&self) -> Standing {
        let run = self.run.as_ref();
        if run.is_some_and(|run| run.stopping) {
            return Standing::Stopping;
        }
        if run.is_some_and(|run| run.paused) {
            return Standing::Paused;
        }
        let parked = self.asks.values().any(|kind| matches!(kind, AskKind::Limit | AskKind::Resume));
        match run {
            _ if parked => Standing::Asked,
            Some(_) if !self.running.is_empty() => Standing::Acting,
            Some(OpenRun { asking: Some(_), .. }) => Standing::Thinking,
            _ if !self.asks.is_empty() => Standing::Asked,
            Some(OpenRun { retry_at: Some(at), .. }) => Standing::Retrying { at: *at },
            Some(_) => Standing::Due,
            None => Standing::AtRest,
        }
    }

    /// Calls with a started attempt, also those in the background.
    #[must_use]
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// What is asked of a person.
    #[must_use]
    pub fn asks(&self) -> &BTreeMap<AskId, AskKind> {
        &self.asks
    }
}

pub fn see(seen: &mut Seen<'_>) {
    let key = seen.session.to_string();
    let mut row = seen.get::<WorkRow>(list::WORK, &key).unwrap_or_else(|| WorkRow::new(seen));
    (row.changed, row.version) = (seen.event.time, seen.event.version);
    if let Some(charge) = charge_of(&row, &seen.event.draft.body) {
        row.tokens = row.tokens.saturating_add(charge.spend.tokens);
        row.cost_micros = row.cost_micros.saturating_add(charge.spend.cost_micros);
    }
    if let Body::SessionForked(forked) = &seen.event.draft.body {
        let from = seen.get::<WorkRow>(list::WORK, &forked.from.to_string());
        branch_off(&mut row, forked, from);
    }
    note(&mut row, seen);
    seen.put(list::WORK, &key, seen.position.0, &row);
}

/// A fork works where the other session does, and has said and used nothing yet.
fn branch_off(row: &mut WorkRow, forked: &SessionForked, from: Option<WorkRow>) {
    row.fork = Some(ForkedFrom { from: forked.from, at: forked.at });
    if let Some(from) = from {
        (row.folder, row.model) = (from.folder, from.model);
    }
}

/// What the end of a model call is charged, by the open request of its session.
pub fn charge(seen: &mut Seen<'_>) -> Option<Charge> {
    charge_of(&seen.get::<WorkRow>(list::WORK, &seen.session.to_string())?, &seen.event.draft.body)
}

fn charge_of(row: &WorkRow, body: &Body) -> Option<Charge> {
    let run = row.run.as_ref()?;
    let asking = run.asking.as_ref()?;
    let (spend, priced) = if let Body::ModelCompleted(completed) = body {
        spent(completed, run.prices)
    } else if let Body::ModelFailed(failed) = body {
        // Only a call that was cut off may have used something that nobody saw.
        (failed.class == FailureClass::Interrupted).then_some((asking.reserve, true))?
    } else if let Body::ModelAborted(_) = body {
        (asking.reserve, true)
    } else {
        return None;
    };
    Some(Charge { model: asking.model.clone(), spend, priced })
}

fn spent(completed: &ModelCompleted, prices: Option<Prices>) -> (Spend, bool) {
    let cost = completed.cost_micros.or_else(|| prices.map(|prices| prices.cost_of(&completed.usage)));
    (Spend { tokens: completed.usage.tokens(), cost_micros: cost.unwrap_or_default() }, cost.is_some())
}

fn note(row: &mut WorkRow, seen: &Seen<'_>) {
    let body = &seen.event.draft.body;
    if let Some(ask) = ended(body) {
        row.asks.remove(&ask);
    }
    match body {
        Body::SessionCreated(created) => note_created(row, created),
        Body::MessageReceived(received) if row.task.is_empty() => row.task = excerpt(&received.text.shown()),
        Body::RunStarted(started) => {
            row.model = Some(started.config.model.clone());
            row.run = Some(OpenRun { prices: started.config.prices, ..OpenRun::default() });
        }
        Body::RunPaused(_) => in_run(row, |run| run.paused = true),
        Body::RunResumed(_) => in_run(row, |run| run.paused = false),
        Body::RunCancelRequested(_) => in_run(row, |run| (run.stopping, run.paused) = (true, false)),
        Body::RunFinished(finished) => {
            row.run = None;
            (row.outcome, row.reason) = (Some(finished.outcome), finished.reason);
        }
        Body::ModelRequested(requested) => {
            let (model, reserve) = (requested.model.clone(), requested.reserve);
            in_run(row, |run| (run.asking, run.retry_at) = (Some(Asking { model, reserve }), None));
        }
        Body::ModelCompleted(_) => {
            row.turns = row.turns.saturating_add(1);
            in_run(row, |run| run.asking = None);
        }
        Body::ModelFailed(_) | Body::ModelAborted(_) => in_run(row, |run| run.asking = None),
        Body::ModelRetrying(retrying) => in_run(row, |run| run.retry_at = Some(retrying.at)),
        Body::AskOpened(opened) => drop(row.asks.insert(opened.ask.ask, opened.ask.subject.kind())),
        Body::ToolStarted(started) => note_started(row, seen, started.attempt),
        Body::ToolFinished(_) | Body::ToolCancelled(_) | Body::ToolUnknown(_) => {
            if let Some(key) = seen.call_key() {
                row.running.remove(&key);
            }
        }
        Body::SessionForked(_)
        | Body::OwnerTaken(_)
        | Body::MessageReceived(_)
        | Body::MessageWithdrawn(_)
        | Body::MessageSent(_)
        | Body::ResourceLoaded(_)
        | Body::ActionDecided(_)
        | Body::ActionWithdrawn(_)
        | Body::AskAnswered(_)
        | Body::AskExpired(_)
        | Body::AskSuperseded(_)
        | Body::ToolAdopted(_)
        | Body::ToolProgress(_)
        | Body::ToolDeferred(_)
        | Body::ToolBackgrounded(_)
        | Body::ToolCancelRequested(_)
        | Body::ToolReconciled(_)
        | Body::TimerSet(_)
        | Body::TimerFired(_)
        | Body::TimerCancelled(_)
        | Body::BudgetWarned(_)
        | Body::DeliveryStarted(_)
        | Body::DeliveryFinished(_)
        | Body::DeliveryFailed(_)
        | Body::PolicyRuleAdded(_)
        | Body::PolicyRuleRemoved(_)
        | Body::HostQuarantined(_)
        | Body::HostRecovered(_)
        | Body::HostStarted(_)
        | Body::HostStopped(_) => {}
    }
}

fn note_created(row: &mut WorkRow, created: &SessionCreated) {
    row.folder.clone_from(&created.folder);
    row.model.clone_from(&created.options.model);
    row.child = created.origin.is_some();
}

fn note_started(row: &mut WorkRow, seen: &Seen<'_>, attempt: u16) {
    row.tool_calls = row.tool_calls.saturating_add(u64::from(attempt == 1));
    row.running.extend(seen.call_key());
}

fn in_run(row: &mut WorkRow, change: impl FnOnce(&mut OpenRun)) {
    if let Some(run) = &mut row.run {
        change(run);
    }
}
