//! What the story tells of calls.

use crate::catalog::CallLine;
use contract::body::{CancelReason, UnknownReason, Verdict};
use contract::call::Sandbox;

pub fn call_line(what: &CallLine<'_>) -> String {
    match what {
        CallLine::Decided { tool, args, sandbox, network } => format!("{tool} {args}{}", surroundings(*sandbox, *network)),
        CallLine::Withdrawn { tool, note } => format!("{tool}: {note}"),
        CallLine::Started { tool, attempt: 1 } => format!("{tool} starts"),
        CallLine::Started { tool, attempt } => format!("{tool} starts, attempt {attempt}"),
        CallLine::Adopted { tool } => format!("{tool} is still running and was adopted"),
        CallLine::Finished { tool, ok, exit, signal, bytes, shown } => finished(tool, *ok, *exit, *signal, *bytes, shown),
        CallLine::Cancelled { tool, reason: CancelReason::NeverStarted } => format!("{tool} had never begun"),
        CallLine::Cancelled { tool, reason: CancelReason::NoEffect } => format!("{tool} had no effect"),
        CallLine::Unknown { tool, reason, shown } => {
            let output = if shown.is_empty() { String::new() } else { format!("; it had printed: {shown}") };
            format!("{tool}: outcome unknown, {}{output}", unknown_reason(*reason))
        }
        CallLine::Reconciled { tool, verdict: Verdict::Told } => format!("{tool}: the model was told and decides"),
        CallLine::Reconciled { tool, verdict: Verdict::Happened } => format!("{tool}: you said that it happened"),
        CallLine::Reconciled { tool, verdict: Verdict::NotHappened } => format!("{tool}: you said that it did not happen"),
        CallLine::Deferred { tool, call } => format!("{tool} ({call}) has not ended; the model is told so and hears of its end later"),
        CallLine::Backgrounded { tool, call } => format!("{tool} ({call}) goes on in the background"),
        CallLine::Stopping { tool, call } => format!("stopping {tool} ({call}): SIGTERM now, SIGKILL after its grace"),
        CallLine::Waits { seconds } => format!("waits for {seconds} s"),
        CallLine::WaitOver { note } => (*note).to_owned(),
        CallLine::StillRunning { tool, call } => format!("{tool} ({call}) keeps running"),
    }
}

fn finished(tool: &str, ok: bool, exit: Option<i32>, signal: Option<i32>, bytes: u64, shown: &str) -> String {
    let end = match (exit, signal) {
        (Some(exit), _) => format!("exit {exit}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) if ok => "ok".to_owned(),
        (None, None) => "failed".to_owned(),
    };
    if shown.is_empty() { format!("{tool}: {end}, {bytes} bytes") } else { format!("{tool}: {end}: {shown}") }
}

fn unknown_reason(reason: UnknownReason) -> &'static str {
    match reason {
        UnknownReason::Died => "it was killed before its end could be recorded",
        UnknownReason::OtherBoot => "the machine was restarted before its end could be recorded",
        UnknownReason::OtherMachine => "it ran on another machine that did not come back",
        UnknownReason::Changed => "the file is neither as before nor as intended",
        UnknownReason::Lost => "its executor ended without a report",
    }
}

/// What is unusual about where a command runs.
pub fn surroundings(sandbox: Option<Sandbox>, network: bool) -> String {
    let held = match sandbox {
        Some(Sandbox::Off) => " [no sandbox]",
        Some(Sandbox::Partial) => " [sandbox is partial: .git is not protected]",
        Some(Sandbox::Full) | None => "",
    };
    format!("{held}{}", if network { " [with network]" } else { "" })
}
