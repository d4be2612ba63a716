//! Events that another log holds keep their versions, bytes and hashes, and nobody owns them under an epoch they had.

use super::world::*;
use conformance::events::*;
use contract::machine::Rest;
use contract::port::{AppendError, Log};
use contract::{Epoch, Version};
use journal::{Import, SqliteJournal};
use tempfile::TempDir;

/// The stored bytes of a stream of four events.
async fn exported(journal: &SqliteJournal) -> Vec<Vec<u8>> {
    fill(journal, &stream("one"), &["a", "b", "c", "d"]).await;
    let stored = journal.read(&stream("one"), Version(1), 100).await.unwrap();
    stored.into_iter().map(|stored| stored.bytes).collect()
}

fn import(base: u64, events: &[Vec<u8>]) -> Import {
    Import { stream: stream("one"), base: Version(base), events: events.to_vec(), rest: Rest::Waiting, epoch: Epoch(7) }
}

#[tokio::test]
async fn imported_events_have_the_same_hashes_in_any_number_of_parts() {
    let (here, there) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (from, to) = (open(here.path(), 1), open(there.path(), 2));
    let events = exported(&from).await;
    assert_eq!(versions(to.import(import(0, &events[..1])).await.unwrap()), (1, 1));
    assert_eq!(versions(to.import(import(1, &events[1..])).await.unwrap()), (2, 4));
    assert!(to.import(import(1, &events[1..])).await.unwrap().replayed, "the same again is no conflict");
    assert_eq!(to.verify(&stream("one")).await.unwrap(), from.verify(&stream("one")).await.unwrap());
    let tail = to.tail(&stream("one")).await.unwrap().unwrap();
    assert_eq!(tail.rest, Rest::Waiting);
    assert_eq!(to.acquire(&stream("one")).await.unwrap().epoch, Epoch(8), "whoever takes it comes after all earlier owners");
}

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let (here, there) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (from, to) = (open(here.path(), 1), open(there.path(), 2));
    let events = exported(&from).await;
    for (base, part) in [(0, &events[1..]), (0, &events[..0]), (1, &events[..2])] {
        assert!(matches!(to.import(import(base, part)).await, Err(AppendError::Unavailable(_))), "{base}");
    }
    assert_eq!(to.import(import(2, &events[2..])).await, Err(AppendError::Conflict { actual: Version(0) }));
    let garbage = vec![b"{}".to_vec()];
    assert!(matches!(to.import(import(0, &garbage)).await, Err(AppendError::Unavailable(_))));
    assert!(to.tail(&stream("one")).await.unwrap().is_none());
}
