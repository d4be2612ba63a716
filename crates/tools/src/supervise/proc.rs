//! Processes as /proc shows them, and signals that cannot hit the wrong one.
//!
//! Must not decide who is to be signalled.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::BTreeSet;
use std::fs;
use std::os::fd::OwnedFd;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: i32,
    pub parent: i32,
    pub session: i32,
    /// Clock ticks since boot.
    pub start: u64,
    /// It ended and only waits for its parent to notice.
    pub dead: bool,
}

pub(super) fn myself() -> Option<Process> {
    process(i32::try_from(std::process::id()).ok()?)
}

/// Names the space in which pids of this process are counted; empty where that cannot be told.
pub(super) fn namespace() -> String {
    fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned()).unwrap_or_default()
}

pub(super) fn process(pid: i32) -> Option<Process> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Living descendants of `root`, without it.
pub(super) fn descendants(root: i32) -> Vec<Process> {
    let mut rest = living();
    let mut family = BTreeSet::from([root]);
    let mut found = Vec::new();
    // Parents may come after their children in /proc, so each round takes the next generation.
    loop {
        let (next, other): (Vec<_>, Vec<_>) = rest.into_iter().partition(|process| family.contains(&process.parent));
        if next.is_empty() {
            return found;
        }
        family.extend(next.iter().map(|process| process.pid));
        found.extend(next);
        rest = other;
    }
}

/// Living members of the session that `leader` made, the leader included.
///
/// The kernel does not give a number away while a session uses it, so what still has it is of this session, unless
/// another process has become its leader since; the start time tells.
pub(super) fn session(leader: i32, start: u64) -> Vec<Process> {
    if process(leader).is_some_and(|process| process.start != start) {
        return Vec::new();
    }
    living().into_iter().filter(|process| process.session == leader && process.start >= start).collect()
}

/// Sends the signal to exactly this process; gives its handle, which is readable once it ended.
pub(super) fn signal(to: &Process, signal: Signal) -> Option<OwnedFd> {
    let handle = pidfd_open(Pid::from_raw(to.pid)?, PidfdFlags::empty()).ok()?;
    // The handle was taken by number: only if the process behind it is still the same may it be hit.
    let same = process(to.pid).is_some_and(|now| now.start == to.start);
    (same && pidfd_send_signal(&handle, signal).is_ok()).then_some(handle)
}

/// The process below `root` that has this number in the innermost space of numbers it is in.
pub(super) fn inside(root: i32, number: i32) -> Option<i32> {
    let inner = |process: &Process| {
        let status = fs::read_to_string(format!("/proc/{}/status", process.pid)).ok()?;
        status.lines().find_map(|line| line.strip_prefix("NSpid:"))?.split_ascii_whitespace().last()?.parse::<i32>().ok()
    };
    descendants(root).iter().find(|process| inner(process) == Some(number)).map(|process| process.pid)
}

fn living() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(process).filter(|process| !process.dead).collect()
}

/// The name in parentheses may itself hold spaces and parentheses, so fields are counted from the last one.
fn parse(pid: i32, stat: &str) -> Option<Process> {
    let fields: Vec<&str> = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().collect();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
        dead: matches!(*fields.first()?, "Z" | "X" | "x"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use damage::damaged_text;
    use proptest::prelude::*;

    /// A line as the kernel writes it, with 52 fields; any process may choose its own name.
    fn stat() -> impl Strategy<Value = (Process, String)> {
        let name = prop_oneof![".{0,15}", "[() ZS0-9]{0,15}"];
        (any::<[i32; 3]>(), any::<u64>(), "[RSDZXx]", name).prop_map(|([pid, parent, session], start, state, name)| {
            let line = format!("{pid} ({name}) {state} {parent} 0 {session}{}{start}{}", " 0".repeat(15) + " ", " 0".repeat(30));
            (Process { pid, parent, session, start, dead: state != "R" && state != "S" && state != "D" }, line)
        })
    }

    proptest! {
        #[test]
        fn whatever_a_process_is_called_its_fields_are_found((process, line) in stat()) {
            prop_assert_eq!(parse(process.pid, &line), Some(process));
        }

        #[test]
        fn only_what_follows_the_name_counts(line in damaged_text(stat().prop_map(|(_, line)| line))) {
            let after_name = line.rfind(')').map(|at| &line[at..]);
            prop_assert_eq!(parse(7, &line), after_name.and_then(|rest| parse(7, &format!("7 (other{rest}"))));
        }
    }

    #[test]
    fn a_hostile_name_does_not_shift_the_fields() {
        let stat = "42 (a) S 7 (b)) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20";
        let expected = Process { pid: 42, parent: 1, session: 3, start: 777, dead: true };
        assert_eq!(parse(42, stat), Some(expected));
        assert_eq!(parse(42, "42 (short) S 1"), None);
    }

    #[test]
    fn a_process_finds_itself_and_its_children() {
        let me = myself().unwrap();
        let mut child = std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        assert!(descendants(me.pid).iter().any(|process| process.pid == pid && process.parent == me.pid));
        let other = Process { start: 1, ..process(pid).unwrap() };
        assert!(signal(&other, Signal::KILL).is_none(), "another start is another process");
        assert!(signal(&process(pid).unwrap(), Signal::KILL).is_some());
        child.wait().unwrap();
        assert_eq!(process(pid), None);
    }
}
