//! Storage that fails while it is used.

use super::world::open;
use conformance::events::*;
use contract::port::{Append, AppendError, Blobs, LeaseError, Log, LogError};
use contract::{Epoch, Version};
use journal::{Options, SqliteJournal, Tuning};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::task::JoinSet;

/// Room for the tables and a few dozen events of four kilobytes.
const PAGES_MAX: u32 = 60;

fn open_on_full_disk(folder: &Path) -> SqliteJournal {
    let tuning = Tuning { pages_max: Some(PAGES_MAX), ..Tuning::default() };
    SqliteJournal::open_tuned(Options::new(folder, host_id(1)), tuning).unwrap()
}

fn large(name: &str, stream_name: &str, after: u64) -> Append {
    Append { drafts: vec![draft_of_size(name, 4_000)], ..append(&stream(stream_name), after, &[]) }
}

#[tokio::test]
async fn a_full_disk_breaks_the_writer_and_loses_nothing_it_acknowledged() {
    let folder = TempDir::new().unwrap();
    let journal = open_on_full_disk(folder.path());
    let mut acknowledged = Vec::new();
    let broken = loop {
        let after = acknowledged.len() as u64;
        let name = format!("event {after}");
        match journal.append(large(&name, "one", after)).await {
            Ok(appended) => {
                assert_eq!(versions(appended), (after + 1, after + 1));
                acknowledged.push(event_id(&name));
            }
            Err(error) => break error,
        }
    };
    assert!(matches!(&broken, AppendError::Broken(reason) if reason.contains("full")), "{broken:?}");
    assert!(acknowledged.len() > 10);
    // Everything after is refused, also what would fit.
    assert!(matches!(journal.append(append(&stream("two"), 0, &["small"])).await, Err(AppendError::Broken(_))));
    assert!(matches!(journal.acquire(&stream("two")).await, Err(LeaseError::Unavailable(_))));
    assert!(matches!(journal.release(&stream("two"), Epoch(1)).await, Err(LeaseError::Unavailable(_))));
    assert!(matches!(journal.put(vec![1]).await, Err(LogError::Unavailable(_))));
    assert_eq!(ids(&journal, &stream("one")).await, acknowledged);
    drop(journal);

    let journal = open(folder.path(), 2);
    assert_eq!(ids(&journal, &stream("one")).await, acknowledged);
    assert_eq!(journal.tail(&stream("two")).await.unwrap(), None);
    let next = acknowledged.len() as u64;
    assert_eq!(versions(journal.append(large("next", "one", next)).await.unwrap()), (next + 1, next + 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_call_of_a_failed_batch_is_told() {
    let folder = TempDir::new().unwrap();
    let journal = Arc::new(open_on_full_disk(folder.path()));
    let mut tasks = JoinSet::new();
    for number in 0..100 {
        let journal = Arc::clone(&journal);
        tasks.spawn(async move { (number, journal.append(large("first", &number.to_string(), 0)).await) });
    }
    let mut acknowledged = Vec::new();
    for (number, result) in tasks.join_all().await {
        match result {
            Ok(_) => acknowledged.push(number),
            Err(error) => assert!(matches!(error, AppendError::Broken(_)), "{error:?}"),
        }
    }
    assert!(acknowledged.len() < 100);
    drop(journal);
    let journal = open(folder.path(), 2);
    for number in acknowledged {
        assert_eq!(ids(&journal, &stream(&number.to_string())).await, named(&["first"]));
    }
}

#[tokio::test]
async fn a_busy_database_is_unavailable_and_later_available() {
    let folder = TempDir::new().unwrap();
    let tuning = Tuning { busy_timeout_ms: 1, ..Tuning::default() };
    let journal = SqliteJournal::open_tuned(Options::new(folder.path(), host_id(1)), tuning).unwrap();
    let other = Connection::open(folder.path().join("journal.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = journal.append(append(&stream("one"), 0, &["a"])).await;
    assert!(matches!(refused, Err(AppendError::Unavailable(_))), "{refused:?}");
    assert!(matches!(journal.acquire(&stream("one")).await, Err(LeaseError::Unavailable(_))));
    assert_eq!(journal.read(&stream("one"), Version(1), 10).await.unwrap(), [], "readers are not held up, and nothing was stored");
    other.execute_batch("ROLLBACK").unwrap();
    assert!(!journal.append(append(&stream("one"), 0, &["a"])).await.unwrap().replayed);
}

#[tokio::test]
async fn one_refused_call_does_not_undo_the_others_of_its_batch() {
    let folder = TempDir::new().unwrap();
    let journal = open(folder.path(), 1);
    fill(&journal, &stream("one"), &["a"]).await;
    // Polled together before the writer answers, the three share a transaction or follow each other: the answers are the same.
    let (good, refused, blob) = tokio::join!(
        journal.append(append(&stream("two"), 0, &["x"])),
        journal.append(append(&stream("one"), 0, &["b", "c"])),
        journal.put(b"bytes".to_vec()),
    );
    assert_eq!(versions(good.unwrap()), (1, 1));
    assert_eq!(refused, Err(AppendError::Conflict { actual: Version(1) }));
    assert_eq!(journal.get(blob.unwrap()).await.unwrap(), Some(b"bytes".to_vec()));
    assert_eq!(ids(&journal, &stream("two")).await, named(&["x"]));
    assert_eq!(ids(&journal, &stream("one")).await, named(&["a"]));
}

#[tokio::test]
async fn an_append_whose_caller_went_away_is_stored_whole_or_not_at_all() {
    let folder = TempDir::new().unwrap();
    let journal = Arc::new(open(folder.path(), 1));
    let call = append(&stream("one"), 0, &["a", "b"]);
    let abandoned = tokio::spawn({
        let (journal, call) = (Arc::clone(&journal), call.clone());
        async move { journal.append(call).await }
    });
    tokio::task::yield_now().await;
    abandoned.abort();
    let _ = abandoned.await;
    // A repeat of the same call is Ok whatever became of the first.
    assert_eq!(versions(journal.append(call).await.unwrap()), (1, 2));
    assert_eq!(ids(&*journal, &stream("one")).await, named(&["a", "b"]));
}
