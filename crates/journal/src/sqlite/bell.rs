//! How a process learns that another one has committed.
//!
//! Owns the signal between processes. A commit is written to the write-ahead log first and can be read only after it
//! was synced, so a change of that file alone comes too early. Whoever has committed therefore touches the file: that
//! is the bell, and nothing has to be looked for without it. A process that dies between the two rings no bell; what it
//! wrote is found by one look a while after. Must not read the log.

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fd::OwnedFd;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::fs::{Timestamps, UTIME_NOW, futimens};
use rustix::io::{Errno, write};
use std::fs::{File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between a write that is followed by no bell and the look for what it was; and between two looks where no file can be
/// watched: sooner than a person notices.
const LOOK_AFTER: Duration = Duration::from_millis(200);
/// Bytes of notices taken at once, enough for some dozens; more are taken in turns.
const NOTICES_BYTES: usize = 4 * 1024;

const LOG_FILE: &str = "journal.db-wal";

/// The side of the writer.
#[derive(Debug)]
pub(super) struct Bell {
    /// Absent for one that a test uses to stand for a process that died.
    path: Option<PathBuf>,
    /// Opened by the first ring: after a commit it is there, and it stays the same file while the database is open.
    log_file: Option<File>,
}

impl Bell {
    pub fn new(folder: &Path, rings: bool) -> Bell {
        Bell { path: rings.then(|| folder.join(LOG_FILE)), log_file: None }
    }

    pub fn ring(&mut self) {
        if let (Some(path), None) = (&self.path, &self.log_file) {
            self.log_file = OpenOptions::new().write(true).open(path).ok();
        }
        let now = || Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        if let Some(log_file) = &self.log_file {
            // Without it the others find the commit a little later.
            let _ = futimens(log_file, &Timestamps { last_access: now(), last_modification: now() });
        }
    }
}

/// The side of whoever waits for commits.
#[derive(Debug)]
pub(super) struct Listener {
    /// Absent where files cannot be watched.
    notices: Option<OwnedFd>,
    end: Arc<OwnedFd>,
    /// When to look without a bell.
    look_at: Option<Instant>,
}

/// Ends the waiting of a listener.
#[derive(Debug)]
pub(super) struct Ender(Arc<OwnedFd>);

/// Why the waiting was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Something may have been committed.
    Commit,
    End,
}

impl Listener {
    pub fn new(folder: &Path, may_watch: bool) -> io::Result<(Listener, Ender)> {
        let end = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        // A machine has a limited number of watches, and some file systems have none.
        let notices = if may_watch { watch(folder).ok() } else { None };
        let look_at = notices.is_none().then(|| Instant::now() + LOOK_AFTER);
        Ok((Listener { notices, end: Arc::clone(&end), look_at }, Ender(end)))
    }

    /// Waits for the next commit of any process, this one included.
    pub fn wait(&mut self) -> io::Result<Heard> {
        loop {
            let now = Instant::now();
            if self.look_at.is_some_and(|at| at <= now) {
                self.look_at = self.notices.is_none().then(|| now + LOOK_AFTER);
                return Ok(Heard::Commit);
            }
            if self.sleep(now)? {
                return Ok(Heard::End);
            }
            match self.take_notices() {
                Some(Notice::Rung) => return Ok(Heard::Commit),
                Some(Notice::Written) => self.look_at = Some(Instant::now() + LOOK_AFTER),
                Some(Notice::Unwatched) => {
                    self.notices = None;
                    self.look_at = Some(Instant::now());
                }
                None => {}
            }
        }
    }

    /// A look that failed is made again.
    pub fn look_again(&mut self) {
        self.look_at = Some(Instant::now() + LOOK_AFTER);
    }

    /// Sleeps until there is a notice or it is time to look; true at the end.
    fn sleep(&self, now: Instant) -> io::Result<bool> {
        let timeout = self.look_at.map(|at| {
            let left = at.saturating_duration_since(now);
            // Both are small: at most the pause between two looks.
            Timespec { tv_sec: left.as_secs() as _, tv_nsec: left.subsec_nanos().into() }
        });
        let mut sources = vec![PollFd::new(&*self.end, PollFlags::IN)];
        sources.extend(self.notices.iter().map(|notices| PollFd::new(notices, PollFlags::IN)));
        match poll(&mut sources, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(sources.first().is_some_and(|end| !end.revents().is_empty())),
            Err(error) => Err(error.into()),
        }
    }

    /// The most that the notices at hand say.
    fn take_notices(&self) -> Option<Notice> {
        let mut buffer = [MaybeUninit::uninit(); NOTICES_BYTES];
        let mut reader = inotify::Reader::new(self.notices.as_ref()?, &mut buffer);
        let mut most = None;
        loop {
            let notice = match reader.next() {
                Ok(event) => notice(event.events(), event.file_name().map(|name| name.to_bytes())),
                Err(Errno::INTR) => continue,
                Err(Errno::WOULDBLOCK) => return most,
                Err(_) => Some(Notice::Unwatched),
            };
            most = most.max(notice);
            if most == Some(Notice::Unwatched) {
                return most;
            }
        }
    }
}

impl Ender {
    pub fn end(&self) {
        // A counter that is full already wakes the listener just as well.
        let _ = write(&*self.0, &1u64.to_ne_bytes());
    }
}

/// What a notice says, the later the more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Notice {
    /// Something is being committed.
    Written,
    /// Something was committed.
    Rung,
    /// There will be no more notices.
    Unwatched,
}

fn notice(events: ReadFlags, file_name: Option<&[u8]>) -> Option<Notice> {
    if events.intersects(ReadFlags::IGNORED | ReadFlags::UNMOUNT) {
        return Some(Notice::Unwatched);
    }
    // Notices were dropped, any of which may have been a bell.
    if events.contains(ReadFlags::QUEUE_OVERFLOW) {
        return Some(Notice::Rung);
    }
    if file_name != Some(LOG_FILE.as_bytes()) {
        return None;
    }
    Some(if events.contains(ReadFlags::ATTRIB) { Notice::Rung } else { Notice::Written })
}

/// Watches the folder, which tells of the files in it: the write-ahead log is another file after it was removed by the
/// last process that closed the database.
fn watch(folder: &Path) -> rustix::io::Result<OwnedFd> {
    let notices = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
    inotify::add_watch(&notices, folder, WatchFlags::ATTRIB | WatchFlags::CREATE | WatchFlags::MODIFY | WatchFlags::ONLYDIR)?;
    Ok(notices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    proptest! {
        /// The kernel may say anything about any file; only the write-ahead log and lost notices wake anybody.
        #[test]
        fn a_notice_means_one_thing_whatever_comes_with_it(
            bits: u32,
            name in prop::option::of(prop_oneof![Just(LOG_FILE.as_bytes().to_vec()), prop::collection::vec(any::<u8>(), 0..20)]),
        ) {
            let events = ReadFlags::from_bits_retain(bits);
            let is_log = name.as_deref() == Some(LOG_FILE.as_bytes());
            let has = |flag: ReadFlags| events.contains(flag);
            let expected = match notice(events, name.as_deref()) {
                None => !is_log,
                Some(Notice::Unwatched) => has(ReadFlags::IGNORED) || has(ReadFlags::UNMOUNT),
                Some(Notice::Rung) => has(ReadFlags::QUEUE_OVERFLOW) || (is_log && has(ReadFlags::ATTRIB)),
                Some(Notice::Written) => is_log && !has(ReadFlags::ATTRIB),
            };
            prop_assert!(expected, "{events:?} {name:?}");
        }
    }

    #[test]
    fn a_bell_is_heard_and_a_write_is_looked_for_a_while_after() {
        let folder = tempfile::TempDir::new().unwrap();
        let log_file = folder.path().join(LOG_FILE);
        fs::write(&log_file, b"").unwrap();
        let (mut listener, ender) = Listener::new(folder.path(), true).unwrap();
        assert_eq!(listener.take_notices(), None);
        fs::write(folder.path().join("other"), b"x").unwrap();
        assert_eq!(listener.take_notices(), None, "other files mean nothing");
        fs::write(&log_file, b"x").unwrap();
        assert_eq!(listener.take_notices(), Some(Notice::Written));
        Bell::new(folder.path(), true).ring();
        assert_eq!(listener.wait().unwrap(), Heard::Commit);
        assert_eq!(listener.look_at, None, "nothing is looked for without a reason");
        fs::write(&log_file, b"xx").unwrap();
        assert_eq!(listener.wait().unwrap(), Heard::Commit, "after a while");
        assert_eq!(listener.look_at, None);
        ender.end();
        assert_eq!(listener.wait().unwrap(), Heard::End);
    }

    #[test]
    fn a_new_write_ahead_log_is_watched_too() {
        let folder = tempfile::TempDir::new().unwrap();
        let log_file = folder.path().join(LOG_FILE);
        fs::write(&log_file, b"").unwrap();
        let (listener, _ender) = Listener::new(folder.path(), true).unwrap();
        fs::remove_file(&log_file).unwrap();
        fs::write(&log_file, b"").unwrap();
        assert_eq!(listener.take_notices(), Some(Notice::Written));
        Bell::new(folder.path(), true).ring();
        assert_eq!(listener.take_notices(), Some(Notice::Rung));
    }

    #[test]
    fn without_a_watch_the_log_is_looked_at_again_and_again() {
        let folder = tempfile::TempDir::new().unwrap();
        let (mut listener, ender) = Listener::new(folder.path(), false).unwrap();
        assert_eq!([listener.wait().unwrap(), listener.wait().unwrap()], [Heard::Commit; 2]);
        ender.end();
        assert_eq!(listener.wait().unwrap(), Heard::End);

        let (mut listener, _ender) = Listener::new(folder.path(), true).unwrap();
        drop(folder);
        assert_eq!([listener.wait().unwrap(), listener.wait().unwrap()], [Heard::Commit; 2], "also when the watch is lost");
    }
}
