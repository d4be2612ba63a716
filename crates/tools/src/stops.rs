//! What runs inside this process and can be told to end.

use contract::id::ActionId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

type Attempt = (ActionId, u16);

#[derive(Debug, Default)]
pub(crate) struct Stops {
    running: Mutex<BTreeMap<Attempt, Arc<Notify>>>,
}

impl Stops {
    /// Runs until the end, or until somebody tells it to end; then it is dropped where it stands.
    pub(crate) async fn until_told<T>(&self, attempt: Attempt, work: impl Future<Output = T>) -> Option<T> {
        let told = Arc::new(Notify::new());
        self.lock().insert(attempt, told.clone());
        let _leaving = Leaving { stops: self, attempt };
        tokio::select! {
            done = work => Some(done),
            () = told.notified() => None,
        }
    }

    /// Whether such an attempt runs here.
    pub(crate) fn tell(&self, attempt: Attempt) -> bool {
        self.lock().get(&attempt).inspect(|told| told.notify_one()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Attempt, Arc<Notify>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets the attempt, also when whoever waits for it goes away.
struct Leaving<'a> {
    stops: &'a Stops,
    attempt: Attempt,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.stops.lock().remove(&self.attempt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};

    const ATTEMPT: Attempt = (ActionId([1; 16]), 1);

    #[tokio::test]
    async fn what_runs_ends_by_itself_or_when_it_is_told() {
        let stops = Stops::default();
        assert!(!stops.tell(ATTEMPT), "nothing runs yet");
        assert_eq!(stops.until_told(ATTEMPT, ready(7)).await, Some(7));
        assert!(!stops.tell(ATTEMPT), "it has ended");
        let telling = async { assert!(stops.tell(ATTEMPT)) };
        let (ended, ()) = tokio::join!(stops.until_told(ATTEMPT, pending::<()>()), telling);
        assert_eq!(ended, None);
        drop(Box::pin(stops.until_told(ATTEMPT, pending::<()>())));
        assert!(!stops.tell(ATTEMPT), "nobody waits for it");
    }
}
