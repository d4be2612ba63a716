//! Every process of one desk, found by the folder it stands in: whatever a test leaves behind is seen here and ended.

use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use testkit::until::until;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: i32,
    pub folder: PathBuf,
}

/// Living processes whose folder is below `root`; a zombie has none and does not count.
pub fn living(root: &Path) -> Vec<Process> {
    let pids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let process = |pid: i32| Some(Process { pid, folder: std::fs::read_link(format!("/proc/{pid}/cwd")).ok()? });
    pids.filter_map(process).filter(|process| process.folder.starts_with(root)).collect()
}

pub fn signal(pid: i32, signal: Signal) {
    // One that ended meanwhile needs no signal.
    let _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
}

pub fn kill_all(root: &Path) {
    until("every process ends", || {
        let living = living(root);
        living.iter().for_each(|process| signal(process.pid, Signal::KILL));
        living.is_empty().then_some(())
    });
}
