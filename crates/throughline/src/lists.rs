//! The lists beside the log: brought up to its end whenever somebody asks, and made anew when they are of another log.

use crate::Throughline;
use contract::ask::AskKind;
use contract::filter::Filter;
use contract::id::{AskId, SessionId};
use contract::machine::Rest;
use contract::port::{Delivery, LogError, Subscription};
use contract::units::Position;
use journal::{First, Mark, Told, Views, ViewsError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use views::{AskRow, CostRow, RunningRow, WorkRow, list};

/// Events that are told in one transaction.
const BATCH: usize = 10_000;
/// How long a list waits for a position that the log does not have yet.
const AFTER_PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error(transparent)]
    Views(#[from] ViewsError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error("the log has not reached position {}", .0.0)]
    NotYet(Position),
}

/// A piece of work in the list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Work {
    #[serde(flatten)]
    pub row: WorkRow,
    pub standing: crate::Standing,
    /// Calls with a started attempt, also those in the background.
    pub running: usize,
    pub open_asks: usize,
}

impl Throughline {
    /// Sessions that people started, the latest changed first.
    pub async fn work(&self, after: Option<Position>, max: usize) -> Result<Vec<Work>, ListError> {
        self.catch_up(after).await?;
        let rests: BTreeMap<SessionId, Rest> =
            self.sessions(max).await?.into_iter().filter_map(|tail| Some((tail.stream.session_id()?, tail.rest))).collect();
        let rows: Vec<WorkRow> = self.rows(list::WORK, First::Newest, max).await?;
        let listed = rows.into_iter().filter(|row| !row.child);
        Ok(listed.map(|row| work(row, &rests)).collect())
    }

    /// Attempts that were started and have not ended, the oldest first.
    pub async fn running_everywhere(&self, after: Option<Position>) -> Result<Vec<RunningRow>, ListError> {
        self.catch_up(after).await?;
        self.rows(list::RUNNING, First::Oldest, usize::MAX).await
    }

    /// What models used, the newest day first.
    pub async fn costs(&self, after: Option<Position>) -> Result<Vec<CostRow>, ListError> {
        self.catch_up(after).await?;
        self.rows(list::COSTS, First::Newest, usize::MAX).await
    }

    /// Sessions that ask something, each once, by the oldest ask.
    pub(crate) async fn asking_sessions(&self, after: Option<Position>) -> Result<Vec<SessionId>, ListError> {
        self.catch_up(after).await?;
        let rows: Vec<AskRow> = self.rows(list::ASKS, First::Oldest, usize::MAX).await?;
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
        self.catch_up(None).await?;
        let views = Arc::clone(&self.views);
        let row = off_thread(move || views.get(list::ASKED, &ask.to_string())).await?;
        Ok(row.and_then(|row| serde_json::from_str(&row).ok()))
    }

    async fn rows<R: DeserializeOwned>(&self, list: &'static str, first: First, max: usize) -> Result<Vec<R>, ListError> {
        let views = Arc::clone(&self.views);
        let rows = off_thread(move || views.list(list, first, max)).await?;
        // A row of another shape is of a version that the next rebuild replaces.
        Ok(rows.iter().filter_map(|row| serde_json::from_str(row).ok()).collect())
    }

    /// Brings the lists to the end of the log, and at least to this position.
    async fn catch_up(&self, after: Option<Position>) -> Result<(), ListError> {
        let Some(after) = after else {
            self.follow_log().await?;
            return Ok(());
        };
        let reach = async {
            loop {
                let reached = self.follow_log().await?;
                if reached >= after {
                    return Ok(());
                }
                let mut news = self.log().subscribe(reached, Filter::everything());
                // Ends when the log grows.
                while let Delivery::CaughtUp(_) = news.next().await? {}
            }
        };
        tokio::time::timeout(AFTER_PATIENCE, reach).await.unwrap_or(Err(ListError::NotYet(after)))
    }

    async fn follow_log(&self) -> Result<Position, ListError> {
        loop {
            let mark = self.checked_mark().await?;
            let mut subscription = self.log().subscribe(mark.position, Filter::everything());
            if let Some(reached) = self.tell_from(subscription.as_mut(), mark).await? {
                return Ok(reached);
            }
        }
    }

    /// Tells the lists of everything that follows the mark; none when somebody else was faster.
    async fn tell_from(&self, subscription: &mut dyn Subscription, mut mark: Mark) -> Result<Option<Position>, ListError> {
        loop {
            let (told, upto, is_end) = batch(subscription, mark.position).await?;
            if told.is_empty() && upto == mark.position {
                return Ok(is_end.then_some(upto));
            }
            let views = Arc::clone(&self.views);
            let now = off_thread(move || views.apply(mark, upto, &told)).await?;
            if now.position != upto {
                return Ok(None);
            }
            if is_end {
                return Ok(Some(upto));
            }
            mark = now;
        }
    }

    /// How far the lists are right. Those of another log, such as a restored one, are right up to nowhere.
    async fn checked_mark(&self) -> Result<Mark, ListError> {
        let views = Arc::clone(&self.views);
        let mark = off_thread(move || views.mark()).await?;
        let Some((last, hash)) = mark.last else { return Ok(mark) };
        let mut subscription = self.log().subscribe(Position(last.0.saturating_sub(1)), Filter::everything());
        if let Ok(Delivery::Event(event)) = subscription.next().await
            && (event.stored.position, event.stored.hash) == (last, hash)
        {
            return Ok(mark);
        }
        let views = Arc::clone(&self.views);
        Ok(off_thread(move || views.reset()).await?)
    }
}

/// Events up to the end of the log or of the batch: them, how far they reach, and whether that is the end.
async fn batch(subscription: &mut dyn Subscription, from: Position) -> Result<(Vec<Told>, Position, bool), LogError> {
    let (mut told, mut upto) = (Vec::new(), from);
    while told.len() < BATCH {
        match subscription.next().await {
            Ok(Delivery::Event(event)) => {
                upto = event.stored.position;
                let stored = event.stored;
                told.push(Told { stream: event.stream, position: stored.position, hash: stored.hash, event: stored.event });
            }
            Ok(Delivery::CaughtUp(position)) => return Ok((told, position.max(upto), true)),
            Ok(Delivery::Lagged(position)) => return Ok((told, position.max(upto), false)),
            // What cannot be read is missing from the lists, and `thru verify` says why.
            Err(LogError::Corrupt { .. } | LogError::Unreadable { .. }) => {}
            Err(unavailable @ LogError::Unavailable(_)) => return Err(unavailable),
        }
    }
    Ok((told, upto, false))
}

fn work(row: WorkRow, rests: &BTreeMap<SessionId, Rest>) -> Work {
    let standing = standing(&row, rests.get(&row.session));
    Work { standing, running: row.running(), open_asks: row.asks().len(), row }
}

fn standing(row: &WorkRow, rest: Option<&Rest>) -> crate::Standing {
    use crate::Standing;
    let kinds = || row.asks().values().copied().collect::<Vec<AskKind>>();
    match row.standing() {
        views::Standing::Stopping => Standing::Stopping,
        views::Standing::Paused | views::Standing::Asked => Standing::Parked { asks: kinds() },
        views::Standing::Acting => Standing::Acting,
        views::Standing::Thinking => Standing::Asking,
        views::Standing::Retrying { at } => Standing::Retrying { at },
        views::Standing::Due => match rest {
            Some(Rest::Until(at)) => Standing::Waiting { at: *at },
            Some(Rest::Busy | Rest::Waiting | Rest::Closed) | None => Standing::Due,
        },
        // A message that nobody has begun with shows only in how the stream rests.
        views::Standing::AtRest if rest == Some(&Rest::Busy) && row.running() == 0 => Standing::Due,
        views::Standing::AtRest => Standing::AtRest,
    }
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T, ViewsError> + Send + 'static) -> Result<T, ViewsError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(ended) => Err(ViewsError { path: "views.db".into(), reason: ended.to_string() }),
    }
}

/// The lists of a data folder.
pub(crate) fn open(folder: &std::path::Path) -> Arc<Views> {
    Arc::new(Views::new(folder, Arc::new(views::Lists)))
}
