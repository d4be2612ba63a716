//! The file `terminal` of a spool folder: that the command has a terminal, and who leads the session which that controls.

use super::proc;
use rustix::process::Pid;
use std::fs;
use std::io;
use std::path::Path;

const NAME: &str = "terminal";

/// Says that there is a terminal; then, by whom its session is led.
pub(super) fn record(folder: &Path, leader: Option<Pid>) -> io::Result<()> {
    let leader = leader.and_then(|pid| proc::process(pid.as_raw_pid()));
    fs::write(folder.join(NAME), leader.map_or_else(String::new, |leader| format!("{} {}\n", leader.pid, leader.start)))
}

pub(crate) fn has_terminal(folder: &Path) -> bool {
    folder.join(NAME).exists()
}

/// The process that leads the session, by its number and its start.
pub(super) fn leader(folder: &Path) -> Option<(i32, u64)> {
    let record = fs::read_to_string(folder.join(NAME)).ok()?;
    let (pid, start) = record.strip_suffix('\n')?.split_once(' ')?;
    Some((pid.parse().ok().filter(|pid| *pid > 0)?, start.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use damage::damaged_text;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn only_a_whole_record_names_a_leader(pid in any::<i32>(), start in any::<u64>(), spoilt in damaged_text(Just("41 7\n".to_owned()))) {
            let temp = tempfile::tempdir().unwrap();
            let read = |record: &str| {
                fs::write(temp.path().join(NAME), record).unwrap();
                leader(temp.path())
            };
            prop_assert_eq!(read(&format!("{pid} {start}\n")), (pid > 0).then_some((pid, start)));
            prop_assert_eq!(read(&format!("{pid} {start}")), None);
            prop_assert!(read(&spoilt).is_none_or(|(pid, _)| pid > 0));
            prop_assert_eq!(read(""), None);
        }
    }
}
