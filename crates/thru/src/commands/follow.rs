//! Follows a session that this process drives, or watches another one drive, until it is at rest, needs a person who is not there, or a signal comes.

use super::signals::{Signals, Which};
use super::{keyboard, local, typed};
use crate::args::{OnAsk, Show};
use crate::catalog::{CallLine, Line, LookLine, call_line, line, look_line, outcome, waiting};
use crate::fault::{Fault, code, of_leave, of_refusal};
use crate::render::{self, Deltas, LiveText, Screen, Story, Tally, Where, card, details};
use contract::ask::{Answer, AskKind};
use contract::body::{FinishReason, RunOutcome, Scope};
use contract::id::{AskId, Key};
use contract::input::{Input, Rejection};
use contract::port::Stored;
use contract::units::Version;
use serde_json::json;
use std::collections::BTreeSet;
use throughline::{AskView, Ended, Listening, Refusal, Running, Shown, Throughline, Until, Watching};
use tokio::sync::mpsc::UnboundedReceiver;

/// What Ctrl-C means to a person in front of work that this process drives; leaving work of others stops nothing in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnInterrupt {
    /// They gave the work, and stop it.
    Stop,
    /// They came to watch, and leave it as it is.
    Leave,
}

/// What this process will show, if that is wanted; called before anything begins, nothing is missed.
pub fn listen(throughline: &Throughline, show: Show) -> Option<Listening> {
    show.deltas.then(|| throughline.listen())
}

pub async fn follow(
    throughline: &Throughline,
    running: Running,
    heard: Option<Listening>,
    show: Show,
    on_ask: Option<OnAsk>,
    on_interrupt: OnInterrupt,
) -> Result<u8, Fault> {
    let mut following = Following::shown(throughline, running, show, on_ask)?;
    following.on_interrupt = on_interrupt;
    following.heard = heard;
    following.until_over(show).await
}

/// The same for work of this process; scripts are told how its model was chosen, if it was.
pub async fn follow_chosen(
    throughline: &Throughline,
    running: Running,
    heard: Option<Listening>,
    show: Show,
    on_ask: Option<OnAsk>,
    chosen: Option<serde_json::Value>,
) -> Result<u8, Fault> {
    let mut following = Following::shown(throughline, running, show, on_ask)?;
    following.chosen = chosen;
    following.heard = heard;
    following.until_over(show).await
}

/// A session and what a person in front of it has seen.
struct Following<'a> {
    throughline: &'a Throughline,
    running: Running,
    screen: Screen,
    story: Story,
    tally: Tally,
    opened: bool,
    /// Asks that were shown whole.
    cards: BTreeSet<AskId>,
    signals: Signals,
    typed: Option<UnboundedReceiver<String>>,
    on_ask: OnAsk,
    on_interrupt: OnInterrupt,
    /// How the model was chosen, until it is told.
    chosen: Option<serde_json::Value>,
    /// What another process shows while it drives the session, or this one where that is wanted.
    live: Option<Watching>,
    said: LiveText,
    heard: Option<Listening>,
    deltas: Option<Deltas>,
}

/// What happens next, whichever comes first.
enum Next {
    Events(Option<Vec<Stored>>),
    Signal(Which),
    Typed(Option<String>),
    Shown(Option<Shown>),
}

impl<'a> Following<'a> {
    /// As a person or a script wants to see it.
    fn shown(throughline: &'a Throughline, running: Running, show: Show, on_ask: Option<OnAsk>) -> Result<Following<'a>, Fault> {
        let screen = Screen::new(show);
        let interactive = screen.is_interactive();
        let on_ask = on_ask.unwrap_or(if interactive { OnAsk::Wait } else { OnAsk::Park });
        Following::new(throughline, running, screen, interactive.then(keyboard::lines), on_ask)
    }

    fn new(
        throughline: &'a Throughline,
        running: Running,
        screen: Screen,
        typed: Option<UnboundedReceiver<String>>,
        on_ask: OnAsk,
    ) -> Result<Following<'a>, Fault> {
        Ok(Following {
            throughline,
            story: Story::new(running.session()),
            running,
            screen,
            tally: Tally::default(),
            opened: false,
            cards: BTreeSet::new(),
            signals: Signals::new().map_err(|error| Fault::bug(&error.to_string()))?,
            typed,
            on_ask,
            on_interrupt: OnInterrupt::Stop,
            chosen: None,
            live: None,
            said: LiveText::default(),
            heard: None,
            deltas: None,
        })
    }

    async fn until_over(mut self, show: Show) -> Result<u8, Fault> {
        self.deltas = show.deltas.then(Deltas::default);
        loop {
            if let Some(which) = self.watch().await? {
                return Ok(self.leave(which).await);
            }
            self.running.release().await;
            self.heard = listen(self.throughline, show);
            match self.throughline.take_again(&self.running).await? {
                Some(again) => self.start_over(again),
                None => return self.finish().await,
            }
        }
    }

    /// Shows what happens until nothing more does by itself, or says which signal wants this process to leave.
    async fn watch(&mut self) -> Result<Option<Which>, Fault> {
        let until = if self.on_ask == OnAsk::Wait { Until::Done } else { Until::PersonNeeded };
        if self.running.is_elsewhere() {
            self.live = self.throughline.live(self.running.session()).await;
        } else if let Some(heard) = self.heard.take() {
            self.live = Some(heard.to(self.running.session()));
        }
        loop {
            let next = tokio::select! {
                // A line that was typed before the end is heard before anybody leaves.
                biased;
                which = self.signals.next() => Next::Signal(which),
                typed = next_line(&mut self.typed) => Next::Typed(typed),
                stored = self.running.next(until) => Next::Events(stored?),
                shown = next_shown(&mut self.live) => Next::Shown(shown),
            };
            match next {
                Next::Events(Some(stored)) => self.show(&stored).await?,
                Next::Events(None) if self.on_ask == OnAsk::Deny && self.deny_all().await? => {}
                Next::Events(None) => return Ok(None),
                Next::Signal(Which::Interrupt) if self.stops_on_interrupt() && self.stop().await => {}
                Next::Shown(None) => self.live = None,
                Next::Shown(Some(shown)) => self.hear(shown),
                Next::Signal(which) => return Ok(Some(which)),
                // Whoever closed the terminal's input can still be heard from elsewhere.
                Next::Typed(None) => self.typed = None,
                Next::Typed(Some(line)) => {
                    if let Err(fault) = typed::act(self.throughline, &self.running, typed::parse(&line)).await {
                        render::fault(&fault, false);
                    }
                }
            }
        }
    }

    /// Follows the session again; what was told is not told twice.
    fn start_over(&mut self, again: Running) {
        self.story = Story::new(again.session());
        self.tally = Tally::default();
        self.running = again;
    }

    async fn show(&mut self, stored: &[Stored]) -> Result<(), Fault> {
        if !std::mem::replace(&mut self.opened, true) {
            let session = self.running.session().to_string();
            // Not before something is stored, so that whoever reads the id can look the session up.
            let mut opened = json!({ "type": "stream.opened", "session": session });
            if let Some(chosen) = self.chosen.take() {
                opened["chosen"] = chosen;
            }
            self.screen.json(&opened);
            if self.running.is_elsewhere() {
                self.screen.story(&look_line(&LookLine::Attached { session: &session }));
            } else if self.running.is_here() && self.running.earlier() > Version::NONE {
                self.screen.story(&line(&Line::Resuming { session: &session }));
            }
        }
        stored.iter().for_each(|one| self.tally.count(&one.event));
        // What a call has said is told before its end is.
        self.hear_ready();
        for one in stored {
            self.screen.events(std::slice::from_ref(one), self.running.earlier(), &mut self.story);
            let waited = self.deltas.as_mut().map(|deltas| deltas.told(&one.event));
            waited.iter().flatten().for_each(|delta| self.screen.json(delta));
        }
        self.show_live();
        // What was asked in the middle of what is over may have been answered since.
        if self.running.version() >= self.running.earlier() {
            self.show_asks().await?;
        }
        Ok(())
    }

    /// Takes in what is said right now.
    fn hear(&mut self, shown: Shown) {
        match &mut self.deltas {
            Some(deltas) => deltas.hear(shown).iter().for_each(|delta| self.screen.json(delta)),
            None => {
                self.said.hear(shown);
                self.show_live();
            }
        }
    }

    fn hear_ready(&mut self) {
        while let Some(shown) = self.live.as_mut().and_then(Watching::ready) {
            self.hear(shown);
        }
    }

    /// What the model is saying right now, somewhere else.
    fn show_live(&mut self) {
        let open = self.running.state().model.as_ref().map(|model| model.request);
        self.said.lines(open).iter().for_each(|line| self.screen.story(line));
    }

    async fn show_asks(&mut self) -> Result<(), Fault> {
        let place = if self.typed.is_some() { Where::InPlace } else { Where::Elsewhere };
        for view in self.throughline.asks_of_running(&self.running).await? {
            if self.cards.insert(view.ask.ask) {
                let told = self.screen.tells_story() && view.version > self.running.earlier();
                let lines = if told { details(&view, place) } else { card(&view, place) };
                lines.iter().for_each(|line| self.screen.notice(line));
            }
        }
        Ok(())
    }

    /// Says no to everything that a no refuses; false when nothing such is asked.
    async fn deny_all(&mut self) -> Result<bool, Fault> {
        let asks = self.throughline.asks_of_running(&self.running).await?;
        let deniable: Vec<&AskView> = asks.iter().filter(|view| is_deniable(view.ask.subject.kind())).collect();
        for view in &deniable {
            let key = Key(format!("on-ask/{}", view.ask.ask));
            let refused = Input::Answer { ask: view.ask.ask, key, answer: Answer::NO, by: local() };
            match self.running.input(refused).await {
                Ok(_) => {}
                // Somebody else, or time, was first; either way it is asked no more.
                Err(Refusal::Rejected(Rejection::NoSuchAsk(_) | Rejection::AskExpired(_) | Rejection::AskSuperseded(_))) => {}
                Err(refusal) => return Err(of_refusal(&refusal, &self.running.session().to_string())),
            }
        }
        Ok(!deniable.is_empty())
    }

    fn stops_on_interrupt(&self) -> bool {
        self.on_interrupt == OnInterrupt::Stop && !self.running.is_elsewhere()
    }

    /// Stops the work on the first Ctrl-C; false when there is none, or it is being stopped already.
    async fn stop(&mut self) -> bool {
        if self.running.is_stopping() {
            return false;
        }
        let stop = Input::Stop { key: typed::typed_key(&self.running, "interrupt"), scope: Scope::Turn, by: local() };
        let stopping = typed::offer(&self.running, stop).await.is_ok();
        if stopping {
            self.screen.notice(&line(&Line::StopAgain));
        }
        stopping
    }

    async fn finish(self) -> Result<u8, Fault> {
        let Following { throughline, running, screen, story, tally, .. } = self;
        let session = running.session().to_string();
        let nothing_new = running.version() == running.earlier();
        let used = Used::of(&running, &tally);
        let still_running: Vec<(String, String)> =
            running.still_running().iter().map(|(call, tool)| (call.to_string(), (*tool).to_owned())).collect();
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
        let (word, exit_code) = standing(&ended, &tally);
        if nothing_new {
            screen.story(&line(&Line::NothingToResume { session: &session }));
        }
        for (call, tool) in &still_running {
            screen.notice(&call_line(&CallLine::StillRunning { tool, call }));
        }
        screen.story(&summary(word, &used, &session));
        if let Ended::Parked { .. } = ended {
            screen.notice(&line(&Line::HowToResume { session: &session }));
        }
        if let Ended::Finished { reason: Some(FinishReason::ModelFailed), .. } = ended {
            screen.story(&look_line(&LookLine::HowToGoOn { session: &session }));
        }
        screen.json(&closed(&session, &ended, exit_code, &used, &still_running));
        Ok(exit_code)
    }

    /// Lets go of the session on a signal and says what keeps running; a second signal leaves at once.
    async fn leave(self, which: Which) -> u8 {
        let Following { running, screen, mut signals, .. } = self;
        let session = running.session().to_string();
        if running.is_elsewhere() {
            screen.notice(&look_line(&LookLine::Detached { session: &session }));
            screen.json(&json!({ "type": "stream.closed", "session": session, "outcome": "detached", "exit_code": which.code() }));
            return which.code();
        }
        screen.notice(&line(&Line::Left { signal: which.name() }));
        for (call, tool) in running.still_running() {
            screen.notice(&call_line(&CallLine::StillRunning { tool, call: &call.to_string() }));
        }
        screen.notice(&line(&Line::HowToResume { session: &session }));
        let code = tokio::select! {
            _ = running.end() => which.code(),
            second = signals.next() => second.code(),
        };
        screen.json(&json!({
            "type": "stream.closed",
            "session": session,
            "outcome": "left",
            "exit_code": code,
            "resume": format!("thru resume {session}"),
        }));
        code
    }
}

/// The next typed line; never, when nobody types.
async fn next_line(typed: &mut Option<UnboundedReceiver<String>>) -> Option<String> {
    match typed {
        Some(lines) => lines.recv().await,
        None => std::future::pending().await,
    }
}

/// What another process shows next; never, when nobody does.
async fn next_shown(live: &mut Option<Watching>) -> Option<Shown> {
    match live {
        Some(watching) => watching.next().await,
        None => std::future::pending().await,
    }
}

/// Whether a no refuses something. Of an unknown action it would say that it did not happen, which only who looks knows.
fn is_deniable(kind: AskKind) -> bool {
    match kind {
        AskKind::Tool | AskKind::Question | AskKind::Limit | AskKind::Resume => true,
        AskKind::Reconcile => false,
    }
}

/// What the session has used, as its ledger has it.
struct Used {
    seconds: u64,
    turns: u32,
    calls: u64,
    tokens: u64,
    cost_micros: u64,
    events: Version,
    /// Of the tokens, what models told.
    told: (u64, u64),
}

impl Used {
    fn of(running: &Running, tally: &Tally) -> Used {
        let state = running.state();
        Used {
            seconds: tally.elapsed_ms() / 1_000,
            turns: state.replies,
            calls: state.ledger.tool_calls,
            tokens: state.ledger.spent.tokens,
            cost_micros: state.ledger.spent.cost_micros,
            events: state.version,
            told: (tally.tokens_in, tally.tokens_out),
        }
    }
}

fn summary(outcome: &str, used: &Used, session: &str) -> String {
    let Used { seconds, turns, calls, tokens, cost_micros, events, .. } = *used;
    line(&Line::Summary { outcome, seconds, turns, calls, tokens, cost_micros, events: events.0, session })
}

/// Whether the last text is an answer and not something said on the way.
fn answered(ended: &Ended) -> bool {
    match ended {
        Ended::Finished { outcome, .. } => matches!(outcome, RunOutcome::Completed | RunOutcome::Limit),
        Ended::Parked { .. } | Ended::Left(_) | Ended::Idle => false,
    }
}

/// The word and the exit code of an end.
fn standing(ended: &Ended, tally: &Tally) -> (&'static str, u8) {
    match ended {
        Ended::Finished { outcome: how, .. } => (
            outcome(*how),
            match how {
                // It answered, but the last thing it wanted to do was refused.
                RunOutcome::Completed if tally.denied => code::DENIED,
                RunOutcome::Completed => code::DONE,
                RunOutcome::Failed => code::FAILED,
                RunOutcome::Cancelled => code::INTERRUPTED,
                RunOutcome::Limit => code::LIMIT,
            },
        ),
        Ended::Parked { asks } => {
            let only_limits = !asks.is_empty() && asks.iter().all(|ask| ask.subject.kind() == AskKind::Limit);
            (waiting(), if only_limits { code::LIMIT } else { code::WAITING })
        }
        Ended::Left(_) | Ended::Idle => (outcome(RunOutcome::Completed), code::DONE),
    }
}

fn closed(session: &str, ended: &Ended, exit_code: u8, used: &Used, still_running: &[(String, String)]) -> serde_json::Value {
    let (how, asks) = match ended {
        Ended::Finished { outcome, .. } => (json!(outcome), json!([])),
        Ended::Parked { asks } => (json!("awaiting_input"), json!(asks)),
        Ended::Left(_) | Ended::Idle => (json!("idle"), json!([])),
    };
    let running: Vec<_> = still_running.iter().map(|(call, tool)| json!({ "call": call, "tool": tool })).collect();
    json!({
        "type": "stream.closed",
        "session": session,
        "outcome": how,
        "exit_code": exit_code,
        "turns": used.turns,
        "tool_calls": used.calls,
        "tokens": { "input": used.told.0, "output": used.told.1, "total": used.tokens },
        "cost_micros": used.cost_micros,
        "open_asks": asks,
        "still_running": running,
        "resume": format!("thru resume {session}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::testing::place;
    use tokio::sync::mpsc::unbounded_channel;

    /// Asked about because it leads out of the folder. Not a command: this program cannot be its supervisor.
    const ASKED: &str = r#"{"calls":[{"tool":"write_file","args":{"path":"../outside","content":""}}]}"#;

    fn quiet() -> Screen {
        Screen::new(Show { json: false, deltas: false, quiet: true })
    }

    /// What this process has not read yet is in the log: whoever answered there was first, and that is no fault.
    #[tokio::test]
    async fn an_ask_that_somebody_else_answered_is_settled() {
        let place = place(&[ASKED, r#"{"text":"told"}"#]);
        let running = place.driven().await;
        let asked = place.throughline.asks_of_running(&running).await.unwrap();
        place.elsewhere().answer(&asked[0], Answer::NO, None, local()).await.unwrap();
        let mut following = Following::new(&place.throughline, running, quiet(), None, OnAsk::Deny).unwrap();
        assert_eq!(following.deny_all().await, Ok(true));
    }

    /// Often, because whatever is ready first by chance might be heard.
    #[tokio::test]
    async fn a_line_that_was_typed_before_the_end_is_heard() {
        for _ in 0..8 {
            let place = place(&[r#"{"text":"one"}"#, r#"{"text":"two"}"#]);
            let running = place.driven().await;
            let session = running.session();
            let (send, typed) = unbounded_channel();
            send.send("and more".to_owned()).unwrap();
            let mut following = Following::new(&place.throughline, running, quiet(), Some(typed), OnAsk::Wait).unwrap();
            assert!(matches!(following.watch().await, Ok(None)));
            let said: Vec<String> =
                place.throughline.status(session).await.unwrap().messages.into_iter().map(|message| message.text).collect();
            assert_eq!(said, ["go", "and more"]);
        }
    }
}
