//! Every process of one case, found by the folder it stands in.

use super::fault::Fault;
use crate::until::{DEADLINE, within};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pid: i32,
    folder: PathBuf,
}

impl Process {
    pub fn kill(&self) {
        if let Some(pid) = Pid::from_raw(self.pid) {
            // One that ended meanwhile needs no signal.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Living processes that stand in the folder or below; one that ended and was not reaped stands nowhere.
pub fn below(folder: &Path) -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let process = |pid: i32| Some(Process { pid, folder: std::fs::read_link(format!("/proc/{pid}/cwd")).ok()? });
    pids.filter_map(process).filter(|process| process.folder.starts_with(folder)).collect()
}

/// Waits until nothing runs below the folder any more.
pub fn until_none(folder: &Path) -> Result<(), Fault> {
    let quiet = within(DEADLINE, || below(folder).is_empty().then_some(()));
    quiet.ok_or_else(|| Fault::Stuck(format!("still running: {:?}", below(folder))))
}

/// Kills everything below the folder.
pub fn end_all(folder: &Path) {
    // What cannot be killed within the deadline is left to the kernel.
    let _ = within(DEADLINE, || {
        let left = below(folder);
        left.iter().for_each(Process::kill);
        left.is_empty().then_some(())
    });
}
