//! The lists beside the log: brought up to its end whenever somebody asks, and made anew when they are of another log.

use crate::lists::ListError;
use contract::filter::Filter;
use contract::port::{BoxFuture, Clock, Delivery, Log, LogError, Spending, Subscription};
use contract::units::Position;
use journal::{First, Mark, Told, Views, ViewsError};
use serde::de::DeserializeOwned;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use views::{CostRow, day_of, list};

/// Events that are told in one transaction.
const BATCH: usize = 10_000;
/// How long a list waits for a position that the log does not have yet.
const AFTER_PATIENCE: Duration = Duration::from_secs(2);

/// The lists of a data folder, and the log that they are made of.
pub(crate) struct Book {
    log: Arc<dyn Log>,
    views: Arc<Views>,
    clock: Arc<dyn Clock>,
}

impl Book {
    pub fn new(folder: &Path, log: Arc<dyn Log>, clock: Arc<dyn Clock>) -> Book {
        Book { log, views: Arc::new(Views::new(folder, Arc::new(views::Lists))), clock }
    }

    /// The row with this key, as it was when the list was last brought up to the log.
    pub async fn row<R: DeserializeOwned>(&self, list: &'static str, key: String) -> Result<Option<R>, ListError> {
        let views = Arc::clone(&self.views);
        let row = off_thread(move || views.get(list, &key)).await?;
        Ok(row.and_then(|row| serde_json::from_str(&row).ok()))
    }

    /// All rows of a list, as they were when it was last brought up to the log.
    pub async fn rows<R: DeserializeOwned>(&self, list: &'static str, first: First, max: usize) -> Result<Vec<R>, ListError> {
        let views = Arc::clone(&self.views);
        let rows = off_thread(move || views.list(list, first, max)).await?;
        // A row of another shape is of a version that the next rebuild replaces.
        Ok(rows.iter().filter_map(|row| serde_json::from_str(row).ok()).collect())
    }

    /// Brings the lists to the end of the log, and at least to this position.
    pub async fn catch_up(&self, after: Option<Position>) -> Result<(), ListError> {
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
                let mut news = self.log.subscribe(reached, Filter::everything());
                // Ends when the log grows.
                while let Delivery::CaughtUp(_) = news.next().await? {}
            }
        };
        tokio::time::timeout(AFTER_PATIENCE, reach).await.unwrap_or(Err(ListError::NotYet(after)))
    }

    async fn follow_log(&self) -> Result<Position, ListError> {
        loop {
            let mark = self.checked_mark().await?;
            let mut subscription = self.log.subscribe(mark.position, Filter::everything());
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
        let mut subscription = self.log.subscribe(Position(last.0.saturating_sub(1)), Filter::everything());
        if let Ok(Delivery::Event(event)) = subscription.next().await
            && (event.stored.position, event.stored.hash) == (last, hash)
        {
            return Ok(mark);
        }
        let views = Arc::clone(&self.views);
        Ok(off_thread(move || views.reset()).await?)
    }
}

impl Spending for Book {
    fn today(&self) -> BoxFuture<'_, Result<u64, String>> {
        Box::pin(async move {
            let of_today = async {
                self.catch_up(None).await?;
                self.rows::<CostRow>(list::COSTS, First::Newest, usize::MAX).await
            };
            let today = day_of(self.clock.now());
            let rows = of_today.await.map_err(|error| error.to_string())?;
            Ok(rows.iter().filter(|row| row.day == today).map(|row| row.cost_micros).fold(0, u64::saturating_add))
        })
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

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T, ViewsError> + Send + 'static) -> Result<T, ViewsError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(ended) => Err(ViewsError { path: "views.db".into(), reason: ended.to_string() }),
    }
}
