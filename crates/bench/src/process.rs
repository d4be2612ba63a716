//! What the kernel knows about a process.

use crate::problem::{Problem, io};
use rustix::process::WaitOptions;
use std::fs;

/// Clock ticks of a second in `/proc`, which the kernel fixes for all programs.
const TICKS_PER_S: f64 = 100.0;

/// Milliseconds of processor time.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    pub own_ms: f64,
    /// Of children that were waited for, with theirs.
    pub children_ms: f64,
}

pub fn cpu_of_this() -> Option<Cpu> {
    cpu("self")
}

/// Makes this process the parent of everything below it whose parent has ended, so that nothing is missing in
/// [`Cpu::children_ms`] once it was waited for.
pub fn adopt_orphans() -> Result<(), Problem> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(|error| io("orphans")(error.into()))
}

/// Waits until nothing below this process is left. Only while nobody else waits for a child.
pub fn wait_for_orphans() {
    while rustix::process::wait(WaitOptions::empty()).is_ok_and(|ended| ended.is_some()) {}
}

/// Processor time of a process by its number.
pub fn cpu(pid: &str) -> Option<Cpu> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold spaces, so fields are counted from its end.
    let fields: Vec<&str> = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().collect();
    let ms = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).map(|ticks| ticks * 1_000.0 / TICKS_PER_S);
    Some(Cpu { own_ms: ms(11)? + ms(12)?, children_ms: ms(13)? + ms(14)? })
}

/// Most memory that the process ever had, in KiB.
pub fn peak_kib(pid: u32) -> Option<u64> {
    status(pid, "VmHWM:")
}

pub fn resident_kib(pid: u32) -> Option<u64> {
    status(pid, "VmRSS:")
}

/// Children of all threads of the process; none where the kernel does not tell.
pub fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let listed = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    listed.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()).collect()
}

fn status(pid: u32, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(field))?.split_whitespace().next()?.parse().ok()
}
