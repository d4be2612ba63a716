//! Damage to stored events: found by the first read that meets it, named by version, and kept to its stream.

use super::world::open;
use conformance::events::*;
use contract::body::BadBody;
use contract::event::{BadEvent, NamedBlob};
use contract::id::Sha256;
use contract::limits::BLOB_ROW_BYTES_MAX;
use contract::port::{Append, AppendError, Blobs, Log, LogError};
use contract::text::{Cut, Room, Text};
use contract::{Epoch, Version};
use journal::{BlobFault, GENESIS, Options, SqliteJournal, link};
use rusqlite::{Connection, params};
use std::fs::{self, OpenOptions};
use std::path::Path;
use tempfile::TempDir;

/// Version at which a stream is damaged, whatever the reason.
fn damaged_at<T: std::fmt::Debug>(result: Result<T, LogError>) -> u64 {
    match result {
        Err(LogError::Corrupt { stream: found, version, .. }) if found == stream("one") => version.0,
        other => panic!("{other:?}"),
    }
}

/// A log with a stream of four events and one of two, closed.
async fn stored() -> TempDir {
    let folder = TempDir::new().unwrap();
    let journal = open(folder.path(), 1);
    fill(&journal, &stream("one"), &["a", "b", "c", "d"]).await;
    fill(&journal, &stream("two"), &["x", "y"]).await;
    folder
}

fn tamper(folder: &Path, sql: &str) {
    let database = Connection::open(folder.join("journal.db")).unwrap();
    database.execute_batch(sql).unwrap();
}

/// Reads the damaged stream from its first event, and shows that the other one is whole.
async fn damage_by(sql: &str) -> (u64, u64) {
    let folder = stored().await;
    tamper(folder.path(), sql);
    let journal = open(folder.path(), 2);
    let read = damaged_at(journal.read(&stream("one"), Version(1), 100).await);
    let verified = damaged_at(journal.verify(&stream("one")).await);
    assert_eq!(ids(&journal, &stream("two")).await, named(&["x", "y"]));
    assert_eq!(journal.verify(&stream("two")).await.unwrap().events, 2);
    assert_eq!(versions(journal.append(append(&stream("two"), 2, &["z"])).await.unwrap()), (3, 3));
    (read, verified)
}

#[tokio::test]
async fn tampered_bytes_are_found() {
    let sql = "UPDATE events SET bytes = CAST(replace(CAST(bytes AS TEXT), '1000', '2000') AS BLOB) WHERE stream = 1 AND version = 2";
    assert_eq!(damage_by(sql).await, (2, 2));
}

#[tokio::test]
async fn a_tampered_hash_is_found() {
    assert_eq!(damage_by("UPDATE events SET hash = zeroblob(32) WHERE stream = 1 AND version = 3").await, (3, 3));
}

#[tokio::test]
async fn a_tampered_id_is_found() {
    assert_eq!(damage_by("UPDATE events SET id = zeroblob(16) WHERE stream = 1 AND version = 3").await, (3, 3));
}

#[tokio::test]
async fn a_deleted_event_is_found() {
    assert_eq!(damage_by("DELETE FROM events WHERE stream = 1 AND version = 1").await, (1, 1));
    assert_eq!(damage_by("DELETE FROM events WHERE stream = 1 AND version = 2").await, (2, 2));
}

#[tokio::test]
async fn a_lost_tail_is_found() {
    assert_eq!(damage_by("DELETE FROM events WHERE stream = 1 AND version = 4").await, (4, 4));
    assert_eq!(damage_by("DELETE FROM events WHERE stream = 1 AND version > 2").await, (3, 3));
    assert_eq!(damage_by("DELETE FROM events WHERE stream = 1").await, (1, 1));
}

#[tokio::test]
async fn reordered_events_are_found() {
    let by_version = "UPDATE events SET version = 99 WHERE stream = 1 AND version = 2;
        UPDATE events SET version = 2 WHERE stream = 1 AND version = 3;
        UPDATE events SET version = 3 WHERE stream = 1 AND version = 99;";
    assert_eq!(damage_by(by_version).await, (2, 2));
    let by_position = "UPDATE events SET position = 99 WHERE position = 2;
        UPDATE events SET position = 2 WHERE position = 3;
        UPDATE events SET position = 3 WHERE position = 99;";
    assert_eq!(damage_by(by_position).await, (3, 3));
}

#[tokio::test]
async fn an_event_of_another_stream_is_found() {
    let sql = "DELETE FROM events WHERE stream = 1 AND version = 1;
        INSERT INTO events (position, stream, version, id, hash, bytes)
            SELECT 1, 1, 1, id, hash, bytes FROM events WHERE stream = 2 AND version = 1;";
    let folder = stored().await;
    tamper(folder.path(), sql);
    let read = open(folder.path(), 2).read(&stream("one"), Version(1), 100).await;
    let is_other = matches!(&read, Err(LogError::Unreadable { version: Version(1), source: BadEvent::OtherStream { .. }, .. }));
    assert!(is_other, "{read:?}");
}

#[tokio::test]
async fn a_tampered_stream_row_is_found() {
    assert_eq!(damage_by("UPDATE streams SET hash = zeroblob(32) WHERE id = 1").await, (4, 4));
    assert_eq!(damage_by("UPDATE streams SET version = 3 WHERE id = 1").await, (3, 3));
    assert_eq!(damage_by("UPDATE streams SET version = 9 WHERE id = 1").await, (5, 5));
    assert_eq!(damage_by("UPDATE streams SET version = -9 WHERE id = 1").await, (0, 0));
}

#[tokio::test]
async fn damage_is_found_wherever_a_read_begins() {
    let folder = stored().await;
    tamper(folder.path(), "DELETE FROM events WHERE stream = 1 AND version = 4");
    let journal = open(folder.path(), 2);
    for from in 1..=6 {
        assert_eq!(damaged_at(journal.read(&stream("one"), Version(from), 10).await), 4, "from {from}");
    }
    assert_eq!(ids_of(&journal.read(&stream("one"), Version(1), 3).await.unwrap()), named(&["a", "b", "c"]), "what is whole can be read");

    let folder = stored().await;
    tamper(folder.path(), "DELETE FROM events WHERE stream = 1 AND version = 2");
    let journal = open(folder.path(), 2);
    assert_eq!(damaged_at(journal.read(&stream("one"), Version(3), 10).await), 2, "the event before is missing");
    assert_eq!(ids_of(&journal.read(&stream("one"), Version(4), 10).await.unwrap()), named(&["d"]));
}

#[tokio::test]
async fn a_damaged_stream_is_not_extended_over_an_event() {
    let folder = stored().await;
    // The first of two events finds its place free, the second does not: neither may stay.
    tamper(folder.path(), "DELETE FROM events WHERE stream = 1 AND version = 3; UPDATE streams SET version = 2 WHERE id = 1");
    let journal = open(folder.path(), 2);
    let refused = journal.append(append(&stream("one"), 2, &["e", "f"])).await;
    assert!(matches!(refused, Err(AppendError::Corrupt(_))), "{refused:?}");
    assert_eq!(versions(journal.append(append(&stream("two"), 2, &["z"])).await.unwrap()), (3, 3), "others go on");
    let database = Connection::open(folder.path().join("journal.db")).unwrap();
    let left: i64 = database.query_row("SELECT count(*) FROM events WHERE stream = 1", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 3);
}

#[tokio::test]
async fn an_id_that_occurs_twice_is_found_by_verify() {
    let folder = TempDir::new().unwrap();
    let journal = open(folder.path(), 1);
    fill(&journal, &stream("one"), &["a", "b", "a"]).await;
    assert_eq!(ids(&journal, &stream("one")).await, named(&["a", "b", "a"]), "there is no index of ids");
    assert_eq!(damaged_at(journal.verify(&stream("one")).await), 3);
}

#[tokio::test]
async fn an_event_of_a_newer_program_is_unreadable_not_corrupt() {
    let folder = stored().await;
    let database = Connection::open(folder.path().join("journal.db")).unwrap();
    let event = "FROM events WHERE stream = 1 AND version = 4";
    let old: String = database.query_row(&format!("SELECT CAST(bytes AS TEXT) {event}"), [], |row| row.get(0)).unwrap();
    let before = "SELECT hash FROM events WHERE stream = 1 AND version = 3";
    let previous = contract::id::Sha256(database.query_row(before, [], |row| row.get(0)).unwrap());
    let new = old.replace("message.sent", "moon.landed").into_bytes();
    let hash = link(previous, &new);
    assert_ne!(previous, GENESIS);
    database.execute("UPDATE events SET bytes = ?1, hash = ?2 WHERE stream = 1 AND version = 4", params![new, hash.0]).unwrap();
    database.execute("UPDATE streams SET hash = ?1 WHERE id = 1", [hash.0]).unwrap();
    drop(database);
    let read = open(folder.path(), 2).read(&stream("one"), Version(1), 10).await;
    let source = match read {
        Err(LogError::Unreadable { version: Version(4), source, .. }) => source,
        other => panic!("{other:?}"),
    };
    assert!(matches!(source, BadEvent::Body(BadBody::UnknownType(name)) if name == "moon.landed"));
}

#[tokio::test]
async fn a_truncated_database_never_reads_as_a_shorter_one() {
    let folder = TempDir::new().unwrap();
    let journal = open(folder.path(), 1);
    for (after, name) in (0..).zip(["a", "b", "c", "d", "e", "f"]) {
        let drafts = vec![draft_of_size(name, 9_000)];
        journal.append(Append { drafts, ..append(&stream("one"), after, &[]) }).await.unwrap();
    }
    let whole = journal.verify(&stream("one")).await.unwrap();
    journal.acquire(&stream("one")).await.unwrap();
    drop(journal);
    let database = folder.path().join("journal.db");
    let content = fs::read(&database).unwrap();
    let pages = content.len() / 4_096;
    assert!(pages > 10, "the test needs a database of some pages, not {pages}");
    let mut refused_at_open = 0;
    let sizes = [0, 1, 50, 100, 512, 4_095].into_iter().chain((1..pages).flat_map(|page| [page * 4_096, page * 4_096 + 2_000]));
    for size in sizes {
        fs::write(&database, &content).unwrap();
        OpenOptions::new().write(true).open(&database).unwrap().set_len(size as u64).unwrap();
        match SqliteJournal::open(Options::new(folder.path(), host_id(2))) {
            Err(error) => {
                assert!(matches!(error, journal::OpenError::Damaged { .. }), "{size}: {error:?}");
                refused_at_open += 1;
            }
            // The end of the last page may be unused; then nothing is lost.
            Ok(journal) => {
                if let Ok(verified) = journal.verify(&stream("one")).await {
                    assert_eq!(verified, whole, "{size}");
                    assert_eq!(journal.acquire(&stream("one")).await.unwrap().epoch, Epoch(2));
                }
            }
        }
    }
    assert!(refused_at_open >= pages - 1, "{refused_at_open} of {pages}");
}

/// A log whose second event names a blob of so many bytes, closed.
async fn stored_with_blob(bytes: usize) -> (TempDir, Vec<u8>) {
    let folder = stored().await;
    let journal = open(folder.path(), 2);
    let Cut { text, blob } = Text::cut("x".repeat(bytes), Room::SHOWN);
    let blob = blob.unwrap();
    journal.put(blob.clone()).await.unwrap();
    let drafts = vec![draft_with("long", text)];
    journal.append(Append { drafts, ..append(&stream("one"), 4, &[]) }).await.unwrap();
    assert_eq!(journal.verify(&stream("one")).await.unwrap().events, 5);
    (folder, blob)
}

/// The event is as it was written, and yet not all of it is there any more.
#[tokio::test]
async fn a_blob_that_is_changed_or_gone_is_found_at_the_event_that_names_it() {
    for sql in ["UPDATE blobs SET bytes = zeroblob(9000)", "DELETE FROM blobs"] {
        let (folder, _) = stored_with_blob(9_000).await;
        tamper(folder.path(), sql);
        let journal = open(folder.path(), 3);
        assert_eq!(damaged_at(journal.verify(&stream("one")).await), 5, "{sql}");
        assert_eq!(journal.verify(&stream("two")).await.unwrap().events, 2, "{sql}");
    }
    let (folder, blob) = stored_with_blob(BLOB_ROW_BYTES_MAX + 1).await;
    let name = Sha256::of(&blob).to_string();
    fs::write(folder.path().join("blobs").join(&name[..2]).join(&name[2..]), b"other bytes").unwrap();
    assert_eq!(damaged_at(open(folder.path(), 3).verify(&stream("one")).await), 5);
}

/// Whoever only measures reads no byte, so it costs the same whatever the blobs hold, and finds what has another size.
#[tokio::test]
async fn blobs_can_be_measured_without_being_read() {
    for bytes in [9_000, BLOB_ROW_BYTES_MAX + 1] {
        let (folder, blob) = stored_with_blob(bytes).await;
        let named = NamedBlob { sha256: Sha256::of(&blob), bytes: blob.len() as u64 };
        let name = named.sha256.to_string();
        let file = folder.path().join("blobs").join(&name[..2]).join(&name[2..]);
        let put = |length: usize| {
            if bytes > BLOB_ROW_BYTES_MAX {
                fs::write(&file, vec![0; length]).unwrap();
            } else {
                tamper(folder.path(), &format!("UPDATE blobs SET bytes = zeroblob({length})"));
            }
        };
        let journal = open(folder.path(), 3);
        assert_eq!(journal.missing_blobs(vec![named]).await.unwrap(), []);
        put(bytes);
        assert_eq!(journal.missing_blobs(vec![named]).await.unwrap(), [], "its size is right");
        assert_eq!(journal.verify_events(&stream("one")).await.unwrap().events, 5);
        assert_eq!(damaged_at(journal.verify(&stream("one")).await), 5);
        put(bytes + 1);
        let fault = BlobFault::Size { blob: named, found: named.bytes + 1 };
        assert_eq!(journal.missing_blobs(vec![named]).await.unwrap(), [(named, fault)]);
    }
    let gone = NamedBlob { sha256: Sha256([7; 32]), bytes: 7 };
    let folder = stored().await;
    let journal = open(folder.path(), 3);
    assert_eq!(journal.missing_blobs(vec![gone]).await.unwrap(), [(gone, BlobFault::Missing(gone.sha256))]);
}

#[tokio::test]
async fn a_tampered_time_of_the_tail_is_found() {
    let folder = stored().await;
    tamper(folder.path(), "UPDATE streams SET time = time + 1 WHERE id = 1");
    assert_eq!(damaged_at(open(folder.path(), 2).verify(&stream("one")).await), 4);
}

#[tokio::test]
async fn tables_that_are_not_as_they_were_made_are_found() {
    let folder = stored().await;
    let sql = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'for ever', 'for some time') WHERE name = 'leases'";
    tamper(folder.path(), sql);
    let refused = open(folder.path(), 2).verify(&stream("one")).await;
    assert!(matches!(&refused, Err(LogError::Unavailable(reason)) if reason.contains("damaged")), "{refused:?}");
}
