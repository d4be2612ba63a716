//! The worlds of both logs: in memory, and in a folder.

use conformance::events::host_id;
use conformance::process::{Process, serve};
use conformance::{Damage, Damageable, Host, Loss, Spawning, World};
use journal::{MemoryJournal, Options, SqliteJournal, Tuning};
use rusqlite::{Connection, params};
use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// Where a process of its own finds its log and who it is.
const CHILD: &str = "JOURNAL_TEST_CHILD";

pub struct Memory(MemoryJournal);

impl Memory {
    pub fn new() -> Memory {
        let first = MemoryJournal::new(host_id(0));
        first.mark_dead(host_id(0));
        Memory(first)
    }
}

impl World for Memory {
    fn start(&self, number: u8) -> Host {
        Host { id: host_id(number), journal: Arc::new(self.0.host(host_id(number))) }
    }

    fn kill(&self, host: Host) {
        self.0.mark_dead(host.drop_all());
    }
}

pub struct Sqlite {
    folder: TempDir,
    tuning: Tuning,
}

impl Sqlite {
    pub fn new() -> Sqlite {
        Sqlite::tuned(Tuning::default())
    }

    pub fn tuned(tuning: Tuning) -> Sqlite {
        Sqlite { folder: TempDir::new().unwrap(), tuning }
    }

    fn start_tuned(&self, number: u8, tuning: Tuning) -> Host {
        let journal = SqliteJournal::open_tuned(Options::new(self.folder.path(), host_id(number)), tuning).unwrap();
        Host { id: host_id(number), journal: Arc::new(journal) }
    }
}

impl World for Sqlite {
    fn start(&self, number: u8) -> Host {
        self.start_tuned(number, self.tuning)
    }

    fn kill(&self, host: Host) {
        let _ = host.drop_all();
    }

    fn start_losing(&self, number: u8, loss: Loss) -> Host {
        let loss = match loss {
            Loss::Stored => journal::Loss::Stored,
            Loss::NotStored => journal::Loss::NotStored,
        };
        self.start_tuned(number, Tuning { loss: Some(loss), ..self.tuning })
    }
}

impl Damageable for Sqlite {
    fn damage(&self, damage: Damage) {
        let (sql, stream, version) = match damage {
            Damage::Bytes { stream, version } => ("UPDATE events SET bytes = zeroblob(9)", stream, version),
            Damage::Missing { stream, version } => ("DELETE FROM events", stream, version),
        };
        let place = "WHERE stream = (SELECT id FROM streams WHERE name = ?1) AND version = ?2";
        let database = Connection::open(self.folder.path().join("journal.db")).unwrap();
        assert_eq!(database.execute(&format!("{sql} {place}"), params![stream.as_str(), version.0 as i64]).unwrap(), 1);
    }
}

impl Spawning for Sqlite {
    fn spawn(&self, number: u8) -> Process {
        let mut command = Command::new(env::current_exe().unwrap());
        let who = format!("{number} {}", self.folder.path().display());
        Process::start(command.args(["--exact", "suite::world::a_child_serves_its_parent", "--nocapture"]).env(CHILD, who))
    }
}

/// The other process; among the tests of this one it has nothing to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_serves_its_parent() {
    if let Ok(who) = env::var(CHILD) {
        let (number, folder) = who.split_once(' ').unwrap();
        serve(&open(Path::new(folder), number.parse().unwrap())).await;
    }
}

pub fn open(folder: &Path, number: u8) -> SqliteJournal {
    SqliteJournal::open(Options::new(folder, host_id(number))).unwrap()
}
