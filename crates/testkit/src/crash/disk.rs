//! A disk that is full, and one that cannot be written: the program says so and ends, and goes on later.

use super::desk::{Desk, Harm, Said};
use super::fault::Fault;
use super::person::{CONFIGURATION, DONE, FAILED, Next, WAITING, say_yes, see_through};
use std::ffi::OsString;
use std::process::{Command, Stdio};

/// KiB that the longest file may have: from less than an empty database to almost enough.
pub const FULL_KIB: [u64; 12] = [1, 4, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512];
/// Before the job, while it waits for a person, and after it.
pub const READ_ONLY: [u64; 3] = [0, 1, 2];

/// A file that would become too long gives an error instead of the signal that would end the process.
const LIMITED: &str = r#"trap '' XFSZ; ulimit -f "$0"; exec "$@""#;
/// Only this process and its children see the folder so.
const READ_ONLY_HERE: &str = r#"mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@""#;

pub fn full(desk: &Desk<'_>, kib: u64) -> Result<(), Fault> {
    let mut limited = Command::new("bash");
    limited.args(["-c", LIMITED, &kib.to_string()]).arg(&desk.bench.thru).args(desk.run_words());
    desk.place(&mut limited);
    let said = desk.start(limited)?.wait()?;
    if said.status.code() != Some(WAITING) {
        refused(&said)?;
    }
    see_through(desk, Next::Resume, |_| Harm::None)
}

pub fn read_only(desk: &Desk<'_>, when: u64) -> Result<(), Fault> {
    match when {
        0 => {
            refused(&without_writing(desk, &desk.run_words())?)?;
            see_through(desk, Next::Run, |_| Harm::None)
        }
        1 => {
            let said = desk.suffer(&desk.run_words(), &Harm::None)?;
            if said.status.code() != Some(WAITING) {
                return Err(Fault::Wrong(said.told()));
            }
            say_yes(desk)?;
            refused(&without_writing(desk, &desk.resume_words())?)?;
            see_through(desk, Next::Resume, |_| Harm::None)
        }
        _ => {
            see_through(desk, Next::Run, |_| Harm::None)?;
            let events = desk.events()?.join("\n") + "\n";
            let said = without_writing(desk, &["events", &desk.session, "--json"].map(OsString::from))?;
            if said.status.code() == Some(DONE) && said.stdout == events { Ok(()) } else { refused(&said) }
        }
    }
}

/// Whether this machine lets us have a disk of our own that cannot be written.
pub fn can_be_read_only() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(NAMESPACE).arg("true").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    unshare.status().is_ok_and(|status| status.success())
}

/// As root of a user namespace, so that nobody needs to be root outside.
const NAMESPACE: [&str; 2] = ["--map-root-user", "--mount"];

fn without_writing(desk: &Desk<'_>, words: &[OsString]) -> Result<Said, Fault> {
    let mut command = Command::new("unshare");
    command.args(NAMESPACE).args(["bash", "-c", READ_ONLY_HERE]).arg(&desk.root).arg(&desk.bench.thru).args(words);
    desk.place(&mut command);
    desk.start(command)?.wait()
}

/// It ended with a code that says what is wrong, and with one line that a person understands.
fn refused(said: &Said) -> Result<(), Fault> {
    let told = said.stderr.lines().any(|line| line.starts_with("thru: "));
    match said.status.code() {
        Some(FAILED | CONFIGURATION) if told => Ok(()),
        _ => Err(Fault::Wrong(format!("this is no refusal: {}", said.told()))),
    }
}
