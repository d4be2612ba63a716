//! Who started the job and sees it through: goes on when it was killed, says yes when it asks.

use super::desk::{Desk, Harm, Said};
use super::fault::Fault;
use super::processes;

/// Processes that one job may need; each kill costs one, an ask one, what went on in the background one.
const PROCESSES_MAX: usize = 16;

/// Exit codes of the program.
pub const DONE: i32 = 0;
pub const FAILED: i32 = 1;
pub const CONFIGURATION: i32 = 3;
pub const WAITING: i32 = 4;
pub const NOT_FOUND: i32 = 8;

/// What the person does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Run,
    Resume,
}

/// Sees the job through. `harm` says what happens to the n-th process, from 0.
pub fn see_through(desk: &Desk<'_>, first: Next, mut harm: impl FnMut(usize) -> Harm) -> Result<(), Fault> {
    let mut next = first;
    for number in 0..PROCESSES_MAX {
        let words = if next == Next::Run { desk.run_words() } else { desk.resume_words() };
        let said = desk.suffer(&words, &harm(number))?;
        next = match said.status.code() {
            None if said.was_killed() => Next::Resume,
            Some(DONE) if is_still_running(&said) => {
                processes::until_none(&desk.root)?;
                Next::Resume
            }
            Some(DONE) => return Ok(()),
            Some(WAITING) => {
                say_yes(desk)?;
                Next::Resume
            }
            // It died before the job was in the log.
            Some(NOT_FOUND) if next == Next::Resume => Next::Run,
            Some(_) | None => return Err(Fault::Wrong(format!("process {number}: {}", said.told()))),
        };
    }
    Err(Fault::Stuck(format!("it has not ended after {PROCESSES_MAX} processes")))
}

/// Something in the background goes on without the process.
fn is_still_running(said: &Said) -> bool {
    let closed = said.lines().find(|line| line["type"] == "stream.closed");
    closed.is_some_and(|closed| closed["still_running"].as_array().is_some_and(|calls| !calls.is_empty()))
}

/// Says yes for good, so that something is to be brought elsewhere too.
pub fn say_yes(desk: &Desk<'_>) -> Result<(), Fault> {
    let asked = desk.thru(&["approvals", "--json"])?;
    let asks: Vec<String> = asked.lines().filter_map(|line| Some(line["ask"]["ask"].as_str()?.to_owned())).collect();
    if asks.is_empty() {
        return Err(Fault::Stuck(format!("it waits, and nothing is asked: {}", asked.told())));
    }
    for ask in asks {
        let said = desk.thru(&["approve", &ask, "--scope", "always"])?;
        if said.status.code() != Some(DONE) {
            return Err(Fault::Wrong(format!("approve: {}", said.told())));
        }
    }
    Ok(())
}
