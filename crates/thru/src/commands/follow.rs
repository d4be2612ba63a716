//! Follows a session that this process drives until it is at rest or a signal comes.

use crate::args::Show;
use crate::catalog::{Line, line, outcome, waiting};
use crate::fault::{Fault, code, of_leave};
use crate::render::{Screen, Story, Tally};
use contract::ask::AskKind;
use contract::body::RunOutcome;
use contract::units::Version;
use serde_json::json;
use throughline::{Ended, Running, Throughline};
use tokio::signal::unix::{Signal, SignalKind, signal};

pub async fn follow(throughline: &Throughline, mut running: Running, show: Show) -> Result<u8, Fault> {
    let screen = Screen::new(show);
    let session = running.session().to_string();
    let mut story = Story::new(running.session());
    let mut tally = Tally::default();
    let mut opened = false;
    let mut signals = Signals::new().map_err(|error| Fault::bug(&error.to_string()))?;
    loop {
        let stored = tokio::select! {
            stored = running.next() => stored?,
            which = signals.next() => return Ok(leave(running, &screen, which, signals).await),
        };
        let Some(stored) = stored else { break };
        if !std::mem::replace(&mut opened, true) {
            // Not before something is stored, so that whoever reads the id can look the session up.
            screen.json(&json!({ "type": "stream.opened", "session": session }));
            if running.earlier() > Version::NONE {
                screen.story(&line(&Line::Resuming { session: &session }));
            }
        }
        stored.iter().for_each(|one| tally.count(&one.event));
        screen.events(&stored, running.earlier(), &mut story);
    }
    let (events, nothing_new) = (running.version(), running.version() == running.earlier());
    let ended = running.end().await;
    if let Ended::Left(left) = &ended
        && let Some(fault) = of_leave(left, &session)
    {
        return Err(fault);
    }
    let mut answer = String::new();
    if answered(&ended) {
        for text in story.answer() {
            answer.push_str(&throughline.whole(&text).await?);
        }
    }
    if !answer.is_empty() {
        screen.answer(&answer);
    }
    let (word, exit_code) = standing(&ended);
    if nothing_new {
        screen.story(&line(&Line::NothingToResume { session: &session }));
    }
    let tokens = tally.tokens_in + tally.tokens_out;
    screen.story(&line(&Line::Summary {
        outcome: word,
        seconds: tally.elapsed_ms() / 1_000,
        turns: tally.turns,
        calls: tally.calls,
        tokens,
        cost_micros: tally.cost_micros,
        events: events.0,
        session: &session,
    }));
    if let Ended::Parked { .. } = ended {
        screen.story(&line(&Line::HowToResume { session: &session }));
    }
    screen.json(&closed(&session, &ended, exit_code, &tally));
    Ok(exit_code)
}

/// Whether the last text is an answer and not something said on the way.
fn answered(ended: &Ended) -> bool {
    match ended {
        Ended::Finished { outcome, .. } => matches!(outcome, RunOutcome::Completed | RunOutcome::Limit),
        Ended::Parked { .. } | Ended::Left(_) | Ended::Idle => false,
    }
}

/// The word and the exit code of an end.
fn standing(ended: &Ended) -> (&'static str, u8) {
    match ended {
        Ended::Finished { outcome: how, .. } => (
            outcome(*how),
            match how {
                RunOutcome::Completed => code::DONE,
                RunOutcome::Failed => code::FAILED,
                RunOutcome::Cancelled => code::INTERRUPTED,
                RunOutcome::Limit => code::LIMIT,
            },
        ),
        Ended::Parked { asks } => {
            let only_limits = !asks.is_empty() && asks.iter().all(|ask| ask.kind == AskKind::CrashLoop);
            (waiting(), if only_limits { code::LIMIT } else { code::WAITING })
        }
        Ended::Left(_) | Ended::Idle => (outcome(RunOutcome::Completed), code::DONE),
    }
}

fn closed(session: &str, ended: &Ended, exit_code: u8, tally: &Tally) -> serde_json::Value {
    let (how, asks) = match ended {
        Ended::Finished { outcome, .. } => (json!(outcome), json!([])),
        Ended::Parked { asks } => (json!("awaiting_input"), json!(asks)),
        Ended::Left(_) | Ended::Idle => (json!("idle"), json!([])),
    };
    json!({
        "type": "stream.closed",
        "session": session,
        "outcome": how,
        "exit_code": exit_code,
        "tokens": { "input": tally.tokens_in, "output": tally.tokens_out },
        "cost_micros": tally.cost_micros,
        "open_asks": asks,
        "resume": format!("thru resume {session}"),
    })
}

/// Lets go of the session on a signal and says what keeps running; a second signal leaves at once.
async fn leave(running: Running, screen: &Screen, which: Which, mut signals: Signals) -> u8 {
    let session = running.session().to_string();
    screen.notice(&line(&Line::Left { signal: which.name() }));
    for tool in running.still_running() {
        screen.notice(&line(&Line::StillRunning { tool }));
    }
    screen.notice(&line(&Line::HowToResume { session: &session }));
    let code = tokio::select! {
        _ = running.end() => which.code(),
        second = signals.next() => second.code(),
    };
    screen.json(&json!({ "type": "stream.closed", "session": session, "outcome": "left", "exit_code": code, "resume": format!("thru resume {session}") }));
    code
}

#[derive(Clone, Copy, Debug)]
enum Which {
    Interrupt,
    Terminate,
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Which::Interrupt => "SIGINT",
            Which::Terminate => "SIGTERM",
        }
    }

    fn code(self) -> u8 {
        match self {
            Which::Interrupt => code::INTERRUPTED,
            Which::Terminate => code::TERMINATED,
        }
    }
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> Which {
        tokio::select! {
            _ = self.interrupt.recv() => Which::Interrupt,
            _ = self.terminate.recv() => Which::Terminate,
        }
    }
}
