//! Calls about another call that has not ended: which ones they may name, and how the process of one is told something.
//!
//! Must not find out which attempt of a call runs: that is known to the log, and comes with the job.

use super::{Run, named, refuse};
use crate::supervise::client::{self, Answer};
use crate::supervise::{Command, Folder};
use crate::texts;
use contract::id::CallId;
use contract::port::{PrepareRefused, Target};
use std::io;
use std::time::Duration;

/// Pause before a supervisor that does not listen yet is told again.
const TRY_EVERY: Duration = Duration::from_millis(20);
/// Tries before it counts as gone: two seconds, for a machine that is busy.
const TRIES_MAX: u32 = 100;

/// A running attempt of another call, and the folder that its supervisor works in.
pub(crate) struct Attempt {
    pub target: Target,
    pub folder: Folder,
}

impl Attempt {
    /// Tells its supervisor something; `Err` is a text for the model.
    pub(super) async fn tell(&self, command: &Command) -> Result<(), String> {
        let mut tries = 0;
        loop {
            match client::send(&self.folder, command).await {
                Ok(Answer::Done) => return Ok(()),
                Ok(Answer::Refused(reason)) => return Err(texts::not_obeyed(self.target.call, &reason)),
                // Its supervisor may be about to listen; one that has ended is not waited for.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < TRIES_MAX => {
                    tries += 1;
                    tokio::time::sleep(TRY_EVERY).await;
                }
                Err(error) => return Err(texts::not_reached(self.target.call, &error)),
            }
        }
    }
}

/// The open call that a model named, with its tool.
pub(super) fn find<'a>(open: &'a [(CallId, String)], named: &str) -> Result<(CallId, &'a str), PrepareRefused> {
    let id: Option<CallId> = named.parse().ok();
    let found = open.iter().find(|(call, _)| Some(*call) == id);
    found.map(|(call, tool)| (*call, tool.as_str())).ok_or_else(|| refuse(texts::not_open(named, open)))
}

/// The open call that a model named, if it is one with a process.
pub(super) fn find_process<'a>(open: &'a [(CallId, String)], named_call: &str) -> Result<(CallId, &'a str), PrepareRefused> {
    let (call, tool) = find(open, named_call)?;
    match named(tool).map(|tool| &tool.run) {
        Some(Run::Supervised { .. }) => Ok((call, tool)),
        Some(Run::Inside { .. } | Run::About { .. } | Run::Web { .. } | Run::BySession) | None => {
            Err(refuse(texts::not_a_command(call, tool)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> Vec<(CallId, String)> {
        [(2, 1, "shell"), (3, 0, "wait_for"), (3, 1, "of_another_kind")]
            .map(|(reply, index, tool)| (CallId { reply, index }, tool.to_owned()))
            .into()
    }

    #[test]
    fn a_call_is_found_among_the_open_ones_or_they_are_named() {
        let open = open();
        let message = |open: &[(CallId, String)], call: &str| find(open, call).unwrap_err().message;
        assert_eq!(find(&open, "call_3_0"), Ok((CallId { reply: 3, index: 0 }, "wait_for")));
        let named = "Running calls are: call_2_1 (shell), call_3_0 (wait_for), call_3_1 (of_another_kind).";
        assert_eq!(message(&open, "call_2_0"), format!("`call_2_0` is not a running call. {named}"));
        assert_eq!(message(&open, "shell"), format!("`shell` is not a running call. {named}"));
        assert_eq!(message(&[], "call_2_1"), "`call_2_1` is not a running call. No call is running.");
    }

    #[test]
    fn only_a_command_has_a_process() {
        let open = open();
        assert_eq!(find_process(&open, "call_2_1"), Ok((CallId { reply: 2, index: 1 }, "shell")));
        for (call, tool) in &open[1..] {
            assert_eq!(find_process(&open, &call.to_string()), Err(refuse(texts::not_a_command(*call, tool))));
        }
        assert_eq!(find_process(&[], "call_2_1"), Err(refuse(texts::not_open("call_2_1", &[]))));
    }
}
