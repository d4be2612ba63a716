//! Which hosts on this data folder are alive.
//!
//! Owns `hosts/<host>.lock`: a host holds an exclusive lock on its file for life, so the kernel lets go of it however
//! the process ends, and a lock that can be taken belongs to a dead host. A process that dies while it starts another
//! leaves the lock to that one until its program begins; the file says who the host was, and one who is gone is dead
//! all the same, so a host must not go on as a child of its process. Must not know what a host owns.

use crate::durable;
use contract::id::HostId;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of a lock file that are read: a number, a boot and a namespace take about a hundred.
const SAID_BYTES_MAX: u64 = 4 * 1024;

/// Held while a process opens the data folder, so that no file is removed between its making and its locking.
pub(crate) struct Gate {
    folder: PathBuf,
    _lock: File,
}

impl Gate {
    /// Waits for other processes that are opening the same data folder; they hold the gate for milliseconds.
    pub fn pass(data_folder: &Path) -> io::Result<Gate> {
        let folder = data_folder.join("hosts");
        durable::create_folder(&folder)?;
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(folder.join("gate"))?;
        lock.lock()?;
        Ok(Gate { folder, _lock: lock })
    }
}

/// How many hosts of a data folder are alive, and how many left their file when they died.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    pub alive: usize,
    pub dead: usize,
}

/// Looks at every host. Under the gate, because a look at a file that is just being locked would be taken for its owner.
pub fn survey(data_folder: &Path) -> io::Result<Survey> {
    let gate = Gate::pass(data_folder)?;
    let mut survey = Survey::default();
    for entry in fs::read_dir(&gate.folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "lock") {
            continue;
        }
        match File::open(&path).map(|file| file.try_lock_shared()) {
            Ok(Ok(())) => survey.dead += 1,
            Ok(Err(TryLockError::WouldBlock)) => survey.alive += 1,
            Ok(Err(TryLockError::Error(error))) => return Err(error),
            // A host that ends removes its own file without passing the gate.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(survey)
}

/// This host among the others. Dropping it is the end of this host.
pub(crate) struct Hosts {
    folder: PathBuf,
    me: HostId,
    _lock: File,
}

impl Hosts {
    /// Removes the files of the dead and takes the lock of this host.
    pub fn enter(gate: &Gate, me: HostId) -> io::Result<Hosts> {
        let folder = gate.folder.clone();
        remove_dead(&folder)?;
        let mut lock = OpenOptions::new().write(true).create(true).truncate(false).open(lock_path(&folder, me))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::AddrInUse, format!("another process runs as host {me}")));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        lock.set_len(0)?;
        write!(lock, "{}", Process::this())?;
        Ok(Hosts { folder, me, _lock: lock })
    }

    pub fn me(&self) -> HostId {
        self.me
    }

    /// The check takes a shared lock, so two hosts that ask about a dead third at once do not see each other.
    pub fn is_alive(&self, host: HostId) -> io::Result<bool> {
        if host == self.me {
            return Ok(true);
        }
        let file = match File::open(lock_path(&self.folder, host)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => {
                let mut said = Vec::new();
                file.take(SAID_BYTES_MAX).read_to_end(&mut said)?;
                // Who holds its lock lives, whatever became of what it wrote there.
                let named = std::str::from_utf8(&said).ok().and_then(Process::parse);
                Ok(!named.is_some_and(|process| process.is_gone()))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// A process by its number, and where that number means something.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    number: i32,
    /// The boot of the kernel and the namespace of process numbers; unknown where the kernel does not tell.
    place: Option<String>,
}

impl Process {
    fn this() -> Process {
        Process { number: rustix::process::getpid().as_raw_pid(), place: Process::place() }
    }

    fn place() -> Option<String> {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
        Some(format!("{} {}", boot.trim(), namespace.display()))
    }

    fn parse(said: &str) -> Option<Process> {
        let mut lines = said.lines();
        // Another number would ask the kernel for a group of processes.
        let number = lines.next()?.parse().ok().filter(|number| *number > 0)?;
        Some(Process { number, place: lines.next().map(str::to_owned) })
    }

    /// Whether it surely does not run any more: where the number means something else, nobody knows.
    fn is_gone(&self) -> bool {
        let is_here = self.place.is_some() && self.place == Process::place();
        let found = Pid::from_raw(self.number).map(test_kill_process);
        is_here && found == Some(Err(Errno::SRCH))
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.number)?;
        self.place.as_ref().map_or(Ok(()), |place| writeln!(f, "{place}"))
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        // A file that stays is that of a dead host and is removed by the next one that opens the folder.
        let _ = fs::remove_file(lock_path(&self.folder, self.me));
    }
}

fn lock_path(folder: &Path, host: HostId) -> PathBuf {
    folder.join(format!("{host}.lock"))
}

fn remove_dead(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "lock") {
            continue;
        }
        let file = match File::open(&path) {
            Ok(file) => file,
            // A host that ends removes its own file without passing the gate.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        if file.try_lock().is_ok() {
            durable::remove_if_there(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use damage::damaged;
    use proptest::prelude::*;

    fn process() -> impl Strategy<Value = Process> {
        let place = prop_oneof![Just(Process::place()), prop::option::of("[!-~]{0,12}")];
        (1i32.., place).prop_map(|(number, place)| Process { number, place })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn a_process_comes_back_from_its_file(process in process()) {
            prop_assert_eq!(Process::parse(&process.to_string()), Some(process));
        }

        /// Whoever holds its lock lives, unless its file surely names a process of this place that is gone.
        #[test]
        fn whatever_a_lock_says_its_holder_is_not_taken_for_dead(
            said in prop_oneof![
                damaged(process().prop_map(|process| process.to_string().into_bytes())),
                any::<i32>().prop_map(|number| Process { number, place: Process::place() }.to_string().into_bytes()),
            ]
        ) {
            let folder = tempfile::tempdir().unwrap();
            let hosts = Hosts::enter(&Gate::pass(folder.path()).unwrap(), HostId([1; 16])).unwrap();
            let other = HostId([2; 16]);
            let path = lock_path(&hosts.folder, other);
            fs::write(&path, &said).unwrap();
            prop_assert!(!hosts.is_alive(other).unwrap(), "nobody holds it");
            let held = File::open(&path).unwrap();
            held.lock().unwrap();
            let named = std::str::from_utf8(&said).ok().and_then(Process::parse);
            prop_assert!(named.as_ref().is_none_or(|process| process.number > 0), "{named:?}");
            let is_gone = named.is_some_and(|process| process.place == Process::place() && process.is_gone());
            prop_assert_eq!(hosts.is_alive(other).unwrap(), !is_gone);
        }
    }
}
