//! Host locks as files.

use super::world::open;
use conformance::events::*;
use contract::Epoch;
use contract::port::{LeaseError, Log};
use journal::{OpenError, Options, SqliteJournal};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn lock_of(folder: &Path, number: u8) -> PathBuf {
    folder.join("hosts").join(format!("{}.lock", host_id(number)))
}

#[tokio::test]
async fn a_host_holds_its_lock_for_life() {
    let folder = TempDir::new().unwrap();
    let journal = open(folder.path(), 1);
    let lock = lock_of(folder.path(), 1);
    assert_eq!(fs::read_to_string(&lock).unwrap().lines().next(), Some(std::process::id().to_string().as_str()));
    assert!(fs::File::open(&lock).unwrap().try_lock_shared().is_err());
    drop(journal);
    assert!(!lock.exists());
}

#[tokio::test]
async fn files_of_dead_hosts_are_removed_and_those_of_living_stay() {
    let folder = TempDir::new().unwrap();
    let living = open(folder.path(), 1);
    fs::write(lock_of(folder.path(), 9), b"1\n").unwrap();
    let second = open(folder.path(), 2);
    assert_eq!([1, 2, 9].map(|number| lock_of(folder.path(), number).exists()), [true, true, false]);
    living.acquire(&stream("one")).await.unwrap();
    assert_eq!(second.acquire(&stream("one")).await, Err(LeaseError::Held { holder: host_id(1) }));
}

#[tokio::test]
async fn a_crashed_host_leaves_its_file_but_not_its_lease() {
    let folder = TempDir::new().unwrap();
    let witness = open(folder.path(), 2);
    let crashed = open(folder.path(), 1);
    crashed.acquire(&stream("one")).await.unwrap();
    drop(crashed);
    // The kernel lets go of the lock of a process that was killed, the file stays.
    fs::write(lock_of(folder.path(), 1), b"1\n").unwrap();
    assert_eq!(witness.holder(&stream("one")).await.unwrap(), None);
    assert_eq!(witness.acquire(&stream("one")).await.unwrap().epoch, Epoch(2));
}

#[tokio::test]
async fn a_look_at_a_dead_host_does_not_make_it_look_alive() {
    let folder = TempDir::new().unwrap();
    let witness = open(folder.path(), 2);
    let crashed = open(folder.path(), 1);
    crashed.acquire(&stream("one")).await.unwrap();
    drop(crashed);
    fs::write(lock_of(folder.path(), 1), b"1\n").unwrap();
    let other_look = fs::File::open(lock_of(folder.path(), 1)).unwrap();
    other_look.try_lock_shared().unwrap();
    assert_eq!(witness.holder(&stream("one")).await.unwrap(), None);
    assert_eq!(witness.acquire(&stream("one")).await.unwrap().host, host_id(2));
}

/// A process that was killed while it started another left its lock to that one, for as long as that takes.
#[tokio::test]
async fn a_lock_that_outlives_its_process_does_not_keep_its_streams() {
    let folder = TempDir::new().unwrap();
    let witness = open(folder.path(), 2);
    let here = fs::read_to_string(lock_of(folder.path(), 2)).unwrap().lines().nth(1).unwrap().to_owned();
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let (gone, running) = (gone.id(), std::process::id());
    let crashed = open(folder.path(), 1);
    crashed.acquire(&stream("one")).await.unwrap();
    drop(crashed);
    let file = fs::File::create(lock_of(folder.path(), 1)).unwrap();
    file.try_lock().unwrap();
    let unknown = [format!("{running}\n{here}\n"), format!("{gone}\nanother kernel\n"), format!("{gone}\n"), String::new()];
    for said in unknown {
        fs::write(lock_of(folder.path(), 1), &said).unwrap();
        assert_eq!(witness.holder(&stream("one")).await.unwrap(), Some(host_id(1)), "{said:?}");
    }
    fs::write(lock_of(folder.path(), 1), format!("{gone}\n{here}\n")).unwrap();
    assert_eq!(witness.holder(&stream("one")).await.unwrap(), None);
    assert_eq!(witness.acquire(&stream("one")).await.unwrap().epoch, Epoch(2));
}

#[test]
fn one_host_id_runs_once() {
    let folder = TempDir::new().unwrap();
    let _first = open(folder.path(), 1);
    let second = SqliteJournal::open(Options::new(folder.path(), host_id(1)));
    assert!(matches!(&second, Err(OpenError::Io { source, .. }) if source.to_string().contains("another process")), "{second:?}");
    assert!(lock_of(folder.path(), 1).exists(), "the refused one does not remove the file of the first");
}
