//! The lists that people ask for, as they are shown.

use crate::Throughline;
use crate::status::{self, Standing};
use contract::body::{FinishReason, RunOutcome};
use contract::id::{AskId, HostId, SessionId, StreamId};
use contract::machine::Rest;
use contract::port::{LeaseError, LogError};
use contract::units::{Position, Time, Version};
use journal::{First, ViewsError};
use serde::Serialize;
use std::collections::BTreeMap;
use views::{AskRow, CostRow, ForkedFrom, RunningRow, WorkRow, list};

#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error(transparent)]
    Views(#[from] ViewsError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error("who drives a session cannot be told: {0}")]
    Lease(#[from] LeaseError),
    #[error("the log has not reached position {}", .0.0)]
    NotYet(Position),
}

/// A piece of work in the list, as it is shown; how it is kept is a matter of [`WorkRow`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Work {
    pub session: SessionId,
    pub folder: String,
    /// The first thing that was said to it.
    pub task: String,
    pub model: Option<String>,
    pub created: Time,
    pub changed: Time,
    pub version: Version,
    pub standing: Standing,
    /// The living process that drives it.
    pub holder: Option<HostId>,
    /// Calls with a started attempt, also those in the background.
    pub running: usize,
    pub open_asks: usize,
    /// Model replies in all runs.
    pub turns: u64,
    /// Calls that were started.
    pub tool_calls: u64,
    pub tokens: u64,
    pub cost_micros: u64,
    /// How its last run ended, once one has.
    pub outcome: Option<RunOutcome>,
    pub reason: Option<FinishReason>,
    pub child: bool,
    pub fork: Option<ForkedFrom>,
}

/// An attempt that has not ended as far as the log knows, and who would hear of its end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunningWork {
    #[serde(flatten)]
    pub row: RunningRow,
    /// The living process that drives its session.
    pub holder: Option<HostId>,
}

impl Throughline {
    /// Waits until the log, and the lists of it, have reached this position.
    pub async fn reach(&self, after: Position) -> Result<(), ListError> {
        self.book.catch_up(Some(after)).await
    }

    /// Sessions that people started, the latest changed first.
    pub async fn work(&self, after: Option<Position>, max: usize) -> Result<Vec<Work>, ListError> {
        self.book.catch_up(after).await?;
        let rests: BTreeMap<SessionId, Rest> =
            self.sessions(max).await?.into_iter().filter_map(|tail| Some((tail.stream.session_id()?, tail.rest))).collect();
        let rows: Vec<WorkRow> = self.book.rows(list::WORK, First::Newest, max).await?;
        let mut listed = Vec::new();
        for row in rows.into_iter().filter(|row| !row.child) {
            let standing = self.standing(&row, rests.get(&row.session)).await?;
            let holder = self.holder(row.session).await?;
            listed.push(work(row, standing, holder));
        }
        Ok(listed)
    }

    /// As `status` of the session decides it, from its state; one that is plainly at rest need not be folded for that.
    async fn standing(&self, row: &WorkRow, rest: Option<&Rest>) -> Result<Standing, LogError> {
        if is_at_rest(row, rest) {
            return Ok(Standing::AtRest);
        }
        match self.fold(&StreamId::session(row.session)).await {
            Ok(Ok(state)) => Ok(status::standing(&state)),
            // A damaged session is listed all the same, as far as its row knows.
            Ok(Err(_)) | Err(LogError::Corrupt { .. } | LogError::Unreadable { .. }) => Ok(standing_of_row(row)),
            Err(unavailable @ LogError::Unavailable(_)) => Err(unavailable),
        }
    }

    /// Attempts that were started and have not ended, the oldest first.
    pub async fn running_everywhere(&self, after: Option<Position>) -> Result<Vec<RunningWork>, ListError> {
        self.book.catch_up(after).await?;
        let mut running = Vec::new();
        for row in self.book.rows::<RunningRow>(list::RUNNING, First::Oldest, usize::MAX).await? {
            let holder = self.holder(row.session).await?;
            running.push(RunningWork { row, holder });
        }
        Ok(running)
    }

    /// What models used, the newest day first.
    pub async fn costs(&self, after: Option<Position>) -> Result<Vec<CostRow>, ListError> {
        self.book.catch_up(after).await?;
        self.book.rows(list::COSTS, First::Newest, usize::MAX).await
    }

    /// Sessions that ask something, each once, by the oldest ask.
    pub(crate) async fn asking_sessions(&self, after: Option<Position>) -> Result<Vec<SessionId>, ListError> {
        self.book.catch_up(after).await?;
        let rows: Vec<AskRow> = self.book.rows(list::ASKS, First::Oldest, usize::MAX).await?;
        let mut sessions = Vec::new();
        for row in rows {
            if !sessions.contains(&row.session) {
                sessions.push(row.session);
            }
        }
        Ok(sessions)
    }

    /// The session that asked this, if any ever did.
    pub(crate) async fn session_of_ask(&self, ask: AskId) -> Result<Option<SessionId>, ListError> {
        self.book.catch_up(None).await?;
        self.book.row(list::ASKED, ask.to_string()).await
    }
}

fn work(row: WorkRow, standing: Standing, holder: Option<HostId>) -> Work {
    let (running, open_asks) = (row.running(), row.asks().len());
    let WorkRow { session, folder, task, model, created, changed, version, turns, tool_calls, .. } = row;
    let WorkRow { tokens, cost_micros, outcome, reason, child, fork, .. } = row;
    Work {
        session,
        folder,
        task,
        model,
        created,
        changed,
        version,
        standing,
        holder,
        running,
        open_asks,
        turns,
        tool_calls,
        tokens,
        cost_micros,
        outcome,
        reason,
        child,
        fork,
    }
}

/// Whether nothing is open in it and its stream needs nothing.
fn is_at_rest(row: &WorkRow, rest: Option<&Rest>) -> bool {
    let needs_nothing = matches!(rest, Some(Rest::Waiting | Rest::Closed));
    needs_nothing && row.standing() == views::Standing::AtRest
}

fn standing_of_row(row: &WorkRow) -> Standing {
    match row.standing() {
        views::Standing::Stopping => Standing::Stopping,
        views::Standing::Paused | views::Standing::Asked => Standing::Parked { asks: row.asks().values().copied().collect() },
        views::Standing::Acting => Standing::Acting,
        views::Standing::Thinking => Standing::Asking,
        views::Standing::Retrying { at } => Standing::Retrying { at },
        views::Standing::Due => Standing::Due,
        views::Standing::AtRest => Standing::AtRest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent::State;
    use contract::port::{Projection, Rows};

    #[derive(Default)]
    struct Memory(BTreeMap<(&'static str, String), String>);

    impl Rows for Memory {
        fn get(&mut self, list: &'static str, key: &str) -> Option<String> {
            self.0.get(&(list, key.to_owned())).cloned()
        }

        fn put(&mut self, list: &'static str, key: &str, _: u64, row: String) {
            self.0.insert((list, key.to_owned()), row);
        }

        fn remove(&mut self, list: &'static str, key: &str) {
            self.0.remove(&(list, key.to_owned()));
        }
    }

    /// Whatever the list does not look up must be what looking it up would say.
    #[test]
    fn the_list_and_the_session_say_the_same_for_every_prefix_of_every_history() {
        let (mut resting, mut others) = (0, 0);
        for history in histories::played().unwrap() {
            let Some(session) = history.stream.session_id() else { continue };
            let (mut rows, mut state) = (Memory::default(), State::new(history.stream.clone()));
            history.inherited.iter().for_each(|(_, event)| agent::fold::fold(&mut state, event).unwrap());
            for event in &history.events {
                views::Lists.see(&mut rows, &history.stream, Position(event.version.0), event);
                agent::fold::fold(&mut state, event).unwrap();
                let row: WorkRow = serde_json::from_str(&rows.get(list::WORK, &session.to_string()).unwrap()).unwrap();
                let (said, known) = (status::standing(&state), is_at_rest(&row, Some(&agent::rest::rest(&state))));
                if known {
                    resting += 1;
                    assert_eq!(said, Standing::AtRest, "{} at {}", history.name, event.version);
                } else {
                    others += 1;
                }
            }
        }
        assert!(resting > 20 && others > 100, "{resting} at rest, {others} looked up");
    }
}
