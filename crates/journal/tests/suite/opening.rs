//! Opening: what is kept, and every reason to refuse.

use super::world::open;
use conformance::events::*;
use contract::id::Sha256;
use contract::machine::{Rest, RestClass};
use contract::port::{Append, Blobs, Expected, Log};
use contract::{Epoch, Position, Version};
use journal::{OpenError, Options, SqliteJournal, Verified};
use rusqlite::Connection;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn try_open(folder: &Path) -> Result<SqliteJournal, OpenError> {
    SqliteJournal::open(Options::new(folder, host_id(1)))
}

#[tokio::test]
async fn everything_survives_a_restart() {
    let folder = TempDir::new().unwrap();
    let one = stream("one");
    let journal = open(folder.path(), 1);
    fill(&journal, &one, &["a", "b", "c"]).await;
    journal.acquire(&one).await.unwrap();
    let (events, tail) = (journal.read(&one, Version(1), 10).await.unwrap(), journal.tail(&one).await.unwrap());
    drop(journal);

    let journal = open(folder.path(), 2);
    assert_eq!(journal.read(&one, Version(1), 10).await.unwrap(), events);
    assert_eq!(journal.tail(&one).await.unwrap(), tail);
    assert_eq!(journal.verify(&one).await.unwrap(), Verified { events: 3, hash: events[2].hash });
    assert_eq!(journal.acquire(&one).await.unwrap().epoch, Epoch(2));
    assert!(journal.append(append(&one, 2, &["c"])).await.unwrap().replayed);
    let next = journal.append(append(&one, 3, &["d"])).await.unwrap();
    assert!(next.position > events[2].position);
}

#[tokio::test]
async fn names_of_all_streams_are_listed() {
    let folder = TempDir::new().unwrap();
    let journal = open(folder.path(), 1);
    assert_eq!(journal.stream_names().await.unwrap(), []);
    for name in ["b", "a"] {
        let call = append(&stream(name), 0, &["first"]);
        assert_eq!(call.expected, Expected::NoStream);
        journal.append(call).await.unwrap();
    }
    assert_eq!(journal.stream_names().await.unwrap(), [stream("a"), stream("b")]);
}

#[test]
fn the_folder_is_made_with_its_parents() {
    let parent = TempDir::new().unwrap();
    let folder = parent.path().join("deep/down/data");
    try_open(&folder).unwrap();
    let files: Vec<_> = ["journal.db", "hosts", "blobs", "journal.db.new"].into_iter().filter(|name| folder.join(name).exists()).collect();
    assert_eq!(files, ["journal.db", "hosts", "blobs"]);
}

#[test]
fn a_folder_below_a_file_and_a_file_are_refused() {
    let parent = TempDir::new().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, b"").unwrap();
    for folder in [file.join("data"), file] {
        let refused = try_open(&folder);
        assert!(matches!(&refused, Err(OpenError::NotAFolder { path }) if *path == folder), "{refused:?}");
    }
}

#[test]
fn a_network_file_system_is_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let refused = |probe_filesystem| match SqliteJournal::open(Options { probe_filesystem, ..Options::new(folder.path(), host_id(1)) }) {
        Err(OpenError::NetworkFilesystem { path, kind }) if path == folder.path() => kind,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(|_| Ok(0x6969)), "NFS");
    assert_eq!(refused(|_| Ok(0x517B)), "SMB");
    assert_eq!(refused(|_| Ok(0xFF53_4D42)), "CIFS");
    assert_eq!(refused(|_| Ok(0xFE53_4D42)), "SMB2");
    assert_eq!(refused(|_| Ok(0x5346_414F)), "AFS");
    assert_eq!(refused(|_| Ok(0x00C3_6400)), "Ceph");
    assert!(!folder.path().join("journal.db").exists());
    // FUSE and 9p are allowed.
    for allowed in [(|_: &Path| Ok(0x6573_5546)) as journal::ProbeFilesystem, |_| Ok(0x0102_1997)] {
        SqliteJournal::open(Options { probe_filesystem: allowed, ..Options::new(folder.path(), host_id(1)) }).unwrap();
    }
}

#[test]
fn tables_of_a_newer_program_are_refused() {
    let folder = TempDir::new().unwrap();
    drop(try_open(folder.path()).unwrap());
    let database = Connection::open(folder.path().join("journal.db")).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    let refused = try_open(folder.path());
    assert!(matches!(refused, Err(OpenError::Newer { found: 99, known: 2, .. })), "{refused:?}");
}

/// A log as an older program left it.
fn folder_of_format_1() -> TempDir {
    let folder = TempDir::new().unwrap();
    let database = Connection::open(folder.path().join("journal.db")).unwrap();
    database.pragma_update(None, "journal_mode", "WAL").unwrap();
    database.execute_batch(include_str!("format-1.sql")).unwrap();
    folder
}

#[tokio::test]
async fn a_log_of_an_older_program_is_brought_up_to_date() {
    let folder = folder_of_format_1();
    // The second time there is nothing left to do.
    for number in 2..4 {
        let journal = open(folder.path(), number);
        for class in RestClass::ALL {
            let expected: &[&str] = match class {
                RestClass::Busy => &["busy"],
                RestClass::Until => &["sooner", "later"],
                RestClass::Waiting => &["waiting"],
                RestClass::Closed => &["closed"],
            };
            let found = journal.resting(class, None, 10).await.unwrap();
            let expected: Vec<_> = expected.iter().map(|name| stream(name)).collect();
            assert_eq!(found.into_iter().map(|tail| tail.stream).collect::<Vec<_>>(), expected, "{class:?}");
        }
        assert_eq!(journal.acquire(&stream("busy")).await.unwrap().epoch, Epoch(u64::from(number)));
        assert_eq!(journal.get(Sha256::of(b"a blob")).await.unwrap(), Some(b"a blob".to_vec()));
    }
    let journal = open(folder.path(), 5);
    assert_eq!(ids(&journal, &stream("busy")).await, named(&["busy first", "busy second"]));
    assert_eq!(journal.verify(&stream("busy")).await.unwrap().events, 2);
    let rested = Append { rest: Rest::Closed, ..append(&stream("busy"), 2, &["third"]) };
    assert_eq!(journal.append(rested).await.unwrap().position, Position(7));
    assert_eq!(journal.resting(RestClass::Busy, None, 10).await.unwrap(), []);
    assert_eq!(journal.resting(RestClass::Closed, None, 10).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_log_that_lost_its_write_ahead_mode_gets_it_back() {
    let folder = TempDir::new().unwrap();
    drop(try_open(folder.path()).unwrap());
    let database = Connection::open(folder.path().join("journal.db")).unwrap();
    database.pragma_update(None, "journal_mode", "DELETE").unwrap();
    drop(database);
    let journal = try_open(folder.path()).unwrap();
    fill(&journal, &stream("one"), &["a"]).await;
    assert!(folder.path().join("journal.db-wal").exists());
}

#[test]
fn a_file_that_is_not_our_database_is_damaged() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("journal.db");
    for content in [Vec::new(), b"x".to_vec(), b"not a database ".repeat(1_000), vec![0; 8_192]] {
        fs::write(&database, &content).unwrap();
        let refused = try_open(folder.path());
        assert!(matches!(&refused, Err(OpenError::Damaged { path, .. }) if *path == database), "{} bytes: {refused:?}", content.len());
        assert_eq!(fs::read(&database).unwrap(), content, "what is damaged is left as it is");
    }
    fs::remove_file(&database).unwrap();
    Connection::open(&database).unwrap().execute_batch("CREATE TABLE foreign_table (x)").unwrap();
    assert!(matches!(try_open(folder.path()), Err(OpenError::Damaged { .. })), "a database of another program");
}

#[test]
fn a_write_ahead_log_without_its_database_is_damaged_and_kept() {
    let folder = TempDir::new().unwrap();
    let (database, log) = (folder.path().join("journal.db"), folder.path().join("journal.db-wal"));
    fs::write(&log, b"what is left").unwrap();
    assert!(matches!(try_open(folder.path()), Err(OpenError::Damaged { .. })));
    assert!(!database.exists());
    // SQLite itself would delete the log beside an empty database.
    fs::write(&database, b"").unwrap();
    assert!(matches!(try_open(folder.path()), Err(OpenError::Damaged { .. })));
    assert_eq!(fs::read(&log).unwrap(), b"what is left");
}

#[test]
fn a_crash_while_the_database_was_made_is_overcome() {
    let folder = TempDir::new().unwrap();
    for leftover in ["journal.db.new", "journal.db.new-wal", "journal.db.new-shm"] {
        fs::write(folder.path().join(leftover), b"half").unwrap();
    }
    try_open(folder.path()).unwrap();
    assert!(!folder.path().join("journal.db.new").exists());
}

#[test]
fn processes_that_open_a_new_folder_at_once_share_one_log() {
    let folder = TempDir::new().unwrap();
    let journals: Vec<_> = std::thread::scope(|scope| {
        let path = folder.path();
        let opening: Vec<_> = (1..=4).map(|number| scope.spawn(move || open(path, number))).collect();
        opening.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        fill(&journals[0], &stream("one"), &["a"]).await;
        for journal in &journals {
            assert_eq!(ids(journal, &stream("one")).await, named(&["a"]));
        }
    });
}
