//! Texts of commands that look at sessions, and of the one that looks after them.

use crate::catalog::{CostLine, HostLine, LookHelp, LookLine};
use contract::machine::Rest;

pub fn look_help(text: LookHelp) -> &'static str {
    match text {
        LookHelp::Attach => "Watch a session that another process drives, and take part",
        LookHelp::AttachAfter => {
            "Shows what happened, what the model is saying right now, and what comes. Whatever you type is said to it; asks are\n\
             answered in place, by you or by anybody else; /stop stops it. If nobody drives it, or the process that does dies,\n\
             this one goes on with it. Ctrl-C always leaves and stops nothing: running commands go on, and whoever resumes\n\
             the session goes on with the rest.\n\nExamples:\n  thru attach ses_…\n  thru attach ses_… --json"
        }
        LookHelp::Daemon => "Look after every session of the data folder until it is told to stop",
        LookHelp::DaemonAfter => {
            "Takes what is busy and nobody drives, what becomes due, and what somebody says something to; lets go of what\n\
             rests. Sessions at rest cost nothing. Commands run with the environment of this process. SIGTERM or Ctrl-C lets\n\
             go of everything; running commands go on.\n\
             After three that died within ten minutes of their start the next one takes nothing by itself, and says so, until\n\
             `thru doctor --fix` lets it; started later, it is not held back.\n\nExamples:\n  thru daemon\n  thru daemon --json >> daemon.jsonl &"
        }
        LookHelp::Status => "Show how sessions stand: what runs, what waits, who drives them",
        LookHelp::StatusAfter => {
            "Without an ID the latest sessions are listed.\n\n\
             Examples:\n  thru status\n  thru status ses_…\n  thru status --running\n  thru status --json | jq .cost_micros"
        }
        LookHelp::Running => "List the commands that run, in all sessions",
        LookHelp::After => "Wait until the list knows of this position, which --json of send, approve and the like tells",
        LookHelp::Cost => "Show what models used, by day and model",
        LookHelp::CostAfter => {
            "A call whose end nobody saw counts as all that it could have used. Costs are in the unit of the price list.\n\n\
             Examples:\n  thru cost\n  thru cost --json | jq .cost_micros"
        }
    }
}

pub fn look_line(what: &LookLine<'_>) -> String {
    match what {
        LookLine::Attached { session } => format!("attached to {session}, which another process drives; Ctrl-C leaves and stops nothing"),
        LookLine::HowToGoOn { session } => format!("when the model answers again, go on with: thru run --session {session} \"go on\""),
        LookLine::Detached { session } => format!("detached; the work goes on, watch it again with: thru attach {session}"),
        LookLine::Live { text } => format!("       ~ {text}"),
    }
}

pub fn cost(what: &CostLine<'_>) -> String {
    match what {
        CostLine::Day(row) => {
            let unpriced = if row.unpriced > 0 { format!(", {} without a known price", row.unpriced) } else { String::new() };
            let figures = figures(row.calls, row.tokens, row.cost_micros);
            format!("{}  {}  {figures}{unpriced}", date(row.day.0), row.model)
        }
        CostLine::Total { calls, tokens, cost_micros } => format!("in all  {}", figures(*calls, *tokens, *cost_micros)),
    }
}

fn figures(calls: u64, tokens: u64, cost_micros: u64) -> String {
    format!("{:.4} · {tokens} tokens · {calls} calls", cost_micros as f64 / 1e6)
}

/// The day in UTC, by the civil calendar.
fn date(ms: u64) -> String {
    let days = ms / 86_400_000 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

pub fn host(what: &HostLine<'_>) -> String {
    match what {
        HostLine::Ready { busy, timed } => format!("looks after this folder: {busy} busy, {timed} waiting for a time"),
        HostLine::HeldBack { died, busy, timed } => format!(
            "held back: {died} daemons died within ten minutes, so this one takes nothing by itself: {busy} busy, {timed} waiting \
             for a time\n`thru doctor --fix` lets it take them; `thru resume ID` goes on with one session"
        ),
        HostLine::Takes { session } => format!("{session}: goes on"),
        HostLine::Rests { session, rest: Rest::Until(_) } => format!("{session}: waits for its time"),
        HostLine::Rests { session, rest: Rest::Busy | Rest::Waiting | Rest::Closed } => format!("{session}: rests"),
        HostLine::Refuses { session, why } => format!("{session}: cannot go on here: {why}"),
        HostLine::Died => "what drove it ended without a word, which is a bug; it is tried again when something is said to it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, said) in [(0, "1970-01-01"), (19_782, "2024-02-29"), (20_772, "2026-11-15"), (11_016, "2000-02-29")] {
            assert_eq!(date(days * 86_400_000 + 5), said);
        }
    }
}
