//! How much of the machine the processes of a room may take.
//!
//! The kernel does not count processes for root, so a group of processes does where one can be made. Must not fail a room:
//! what cannot be limited is told.

use rustix::process::{Pid, Resource, Rlimit, getrlimit, setrlimit};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of one file: enough for an image of a disk, too little for most disks to be full at once.
const FILE_BYTES_MAX: u64 = 64 << 30;
/// Files open at once in one process.
const OPEN_FILES_MAX: u64 = 65_536;
const NAME: &str = "throughline-";

/// For this process and all that it starts. Processes are counted in the namespace of users that this process is in, so
/// they are only limited where that is the room's own.
pub(super) fn apply(processes_max: Option<u64>) -> io::Result<()> {
    let limits = [(Resource::Core, 0), (Resource::Fsize, FILE_BYTES_MAX), (Resource::Nofile, OPEN_FILES_MAX)];
    for (resource, most) in limits.into_iter().chain(processes_max.map(|most| (Resource::Nproc, most))) {
        let Rlimit { current, maximum } = getrlimit(resource);
        let least = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
        setrlimit(resource, Rlimit { current: least(current), maximum: least(maximum) })?;
    }
    Ok(())
}

/// A group in which processes are counted; it goes with the last of them.
#[derive(Debug)]
pub(super) struct Counted {
    folder: PathBuf,
}

impl Counted {
    /// Makes a group below one of those that this process is in; none where that is not allowed.
    pub(super) fn new(processes_max: u64) -> Option<Counted> {
        // One supervisor makes one room after another.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("{NAME}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        parents(&groups, &mounts).into_iter().find_map(|parent| {
            sweep(&parent);
            let folder = parent.join(&name);
            fs::create_dir(&folder).ok()?;
            let counted = Counted { folder };
            fs::write(counted.folder.join("pids.max"), processes_max.to_string()).ok()?;
            Some(counted)
        })
    }

    pub(super) fn add(&self, process: Pid) -> io::Result<()> {
        fs::write(self.folder.join("cgroup.procs"), process.as_raw_pid().to_string())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // One that cannot go now is swept by whoever makes the next.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Removes groups whose makers are gone; one with a process in it stays by itself.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(NAME)?.split_once('-')?.0.parse::<u32>().ok());
        if maker.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Folders in which a group that counts processes may be made: of the first kind of groups the one that this process is
/// in; of the second also the one above, because there a group with processes has no others below it.
fn parents(groups: &str, mounts: &str) -> Vec<PathBuf> {
    let mut parents = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let is_second_kind = controllers.is_empty();
        if !is_second_kind && !controllers.split(',').any(|controller| controller == "pids") {
            continue;
        }
        let Some((root, point)) = mounted(mounts, is_second_kind) else { continue };
        let Ok(inside) = Path::new(path).strip_prefix(root) else { continue };
        let own = Path::new(point).join(inside);
        let above = own.parent().filter(|above| is_second_kind && above.starts_with(point)).map(Path::to_owned);
        parents.push(own);
        parents.extend(above);
    }
    parents
}

/// Which part of the tree of groups is mounted, and where.
fn mounted(mounts: &str, is_second_kind: bool) -> Option<(&str, &str)> {
    mounts.lines().find_map(|line| {
        let (place, what) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, point) = (place.next()?, place.next()?);
        let mut what = what.split(' ');
        let (kind, options) = (what.next()?, what.nth(1)?);
        let counts = options.split(',').any(|option| option == "pids");
        let is_it = if is_second_kind { kind == "cgroup2" } else { kind == "cgroup" && counts };
        is_it.then_some((root, point))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_made_where_the_kernel_counts() {
        let first = "31 26 0:27 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n";
        let second = "32 26 0:28 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        let part = "33 26 0:29 /a /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let found = |groups: &str, mounts: &str| parents(groups, mounts).iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
        assert_eq!(found("8:pids:/x\n4:memory:/y\n", first), ["/sys/fs/cgroup/pids/x"]);
        assert_eq!(found("8:cpu,pids:/\n", first), ["/sys/fs/cgroup/pids/"]);
        assert_eq!(found("0::/u/s\n", second), ["/sys/fs/cgroup/unified/u/s", "/sys/fs/cgroup/unified/u"]);
        assert_eq!(found("0::/\n", second), ["/sys/fs/cgroup/unified/"]);
        assert_eq!(found("0::/a/b\n", part), ["/sys/fs/cgroup/b", "/sys/fs/cgroup"]);
        assert_eq!(found("0::/other\n", part), Vec::<String>::new());
        assert_eq!(found("8:pids:/x\n", second), Vec::<String>::new());
        assert_eq!(found("nonsense\n", "nonsense\n"), Vec::<String>::new());
    }
}
