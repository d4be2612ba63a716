//! Blobs as rows and files: never other bytes than their hash says.

use super::world::open;
use conformance::events::*;
use contract::id::Sha256;
use contract::limits::BLOB_ROW_BYTES_MAX;
use contract::port::Blobs;
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const LARGE: usize = BLOB_ROW_BYTES_MAX + 1;

#[tokio::test]
async fn only_large_blobs_are_files() {
    let folder = TempDir::new().unwrap();
    let journal = open(folder.path(), 1);
    let small = journal.put(bytes(BLOB_ROW_BYTES_MAX)).await.unwrap();
    let large = journal.put(bytes(LARGE)).await.unwrap();
    assert!(!file_of(folder.path(), small).exists());
    assert_eq!(fs::read(file_of(folder.path(), large)).unwrap(), bytes(LARGE));
    assert_eq!(fs::read_dir(folder.path().join("blobs/new")).unwrap().count(), 0, "no draft stays");
}

#[tokio::test]
async fn damaged_bytes_are_refused_and_healed_by_a_put() {
    let folder = TempDir::new().unwrap();
    let journal = open(folder.path(), 1);
    let small = journal.put(bytes(100)).await.unwrap();
    let large = journal.put(bytes(LARGE)).await.unwrap();
    let database = Connection::open(folder.path().join("journal.db")).unwrap();
    assert_eq!(database.execute("UPDATE blobs SET bytes = zeroblob(100)", []).unwrap(), 1);
    fs::write(file_of(folder.path(), large), b"other bytes").unwrap();
    for (blob, size) in [(small, 100), (large, LARGE)] {
        let refused = journal.get(blob).await.unwrap_err().to_string();
        assert!(refused.contains("is damaged") && refused.contains(&blob.to_string()), "{refused}");
        journal.put(bytes(size)).await.unwrap();
        assert_eq!(journal.get(blob).await.unwrap(), Some(bytes(size)));
    }
}

#[tokio::test]
async fn drafts_of_dead_hosts_are_removed() {
    let folder = TempDir::new().unwrap();
    let living = open(folder.path(), 1);
    let drafts = folder.path().join("blobs/new");
    let (of_dead, of_living) = (drafts.join(format!("{}-0", host_id(9))), drafts.join(format!("{}-7", host_id(1))));
    fs::write(&of_dead, b"half").unwrap();
    fs::write(&of_living, b"half").unwrap();
    let _second = open(folder.path(), 2);
    assert!(!of_dead.exists());
    assert!(of_living.exists());
    drop(living);
}

fn bytes(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i % 251) as u8).collect()
}

fn file_of(folder: &Path, sha256: Sha256) -> PathBuf {
    let name = sha256.to_string();
    folder.join("blobs").join(&name[..2]).join(&name[2..])
}
