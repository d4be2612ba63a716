//! The story of a session: one plain line for each event that a person would want to hear of.

use super::text::{excerpt, harmless};
use super::{asks, beyond, tools};
use crate::catalog::{BeyondLine, CallLine, KeepLine, Line, beyond_line, call_line, keep_line, line};
use contract::ask::LimitKind;
use contract::body::{ActionDecided, Body, DaySpend, FailureClass, ModelFailed, ModelRequested, Scope, SessionCreated, SessionForked};
use contract::event::Event;
use contract::id::{ActionId, AskId, CallId, EventId, SessionId};
use contract::request::Part;
use contract::text::Text;
use std::collections::BTreeMap;

/// What earlier events said that later ones only refer to.
#[derive(Debug)]
pub struct Story {
    session: SessionId,
    tools: BTreeMap<ActionId, (CallId, String)>,
    calls: BTreeMap<CallId, String>,
    replies: BTreeMap<EventId, Vec<Text>>,
    limits: BTreeMap<AskId, LimitKind>,
    had_owner: bool,
    /// The model that was asked last in this run.
    model: Option<String>,
    answer: Option<EventId>,
}

impl Story {
    pub fn new(session: SessionId) -> Story {
        let (tools, calls, replies, limits) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Story { session, tools, calls, replies, limits, had_owner: false, model: None, answer: None }
    }

    /// The texts of the last reply that was said.
    pub fn answer(&self) -> Vec<Text> {
        self.answer.and_then(|id| self.replies.get(&id)).cloned().unwrap_or_default()
    }

    /// The line of this event, with its number; some events are heard of only through others.
    pub fn tell(&mut self, event: &Event) -> Option<String> {
        let told = harmless(&self.sentence(event)?);
        let number = format!("[{}]", event.version);
        let mut lines = told.lines();
        let first = format!("{number:>6} {}", lines.next().unwrap_or_default());
        Some(lines.fold(first, |text, line| format!("{text}\n       {line}")))
    }

    fn created(&self, created: &SessionCreated) -> String {
        let (session, model) = (self.session.to_string(), created.options.model.clone().unwrap_or_default());
        line(&Line::SessionCreated { session: &session, folder: &created.folder, model: &model })
    }

    fn decided(&mut self, decided: &ActionDecided) -> String {
        self.tools.insert(decided.action, (decided.call, decided.tool.clone()));
        let (args, sandbox) = (excerpt(&decided.args.shown()), decided.prepared.sandbox);
        call_line(&CallLine::Decided { tool: &decided.tool, args: &args, sandbox, network: decided.prepared.network })
    }

    fn forked(&self, forked: &SessionForked) -> String {
        let (session, from) = (self.session.to_string(), forked.from.to_string());
        keep_line(&KeepLine::SessionForked { session: &session, from: &from, at: forked.at.0 })
    }

    fn requested(&mut self, requested: &ModelRequested) -> String {
        let before = self.model.replace(requested.model.clone());
        if before.is_some_and(|model| model != requested.model) {
            line(&Line::AskedInstead { model: &requested.model })
        } else {
            line(&Line::Asked { attempt: requested.attempt })
        }
    }

    fn sentence(&mut self, event: &Event) -> Option<String> {
        let body = &event.draft.body;
        Some(match body {
            Body::SessionCreated(created) => self.created(created),
            Body::SessionForked(forked) => self.forked(forked),
            Body::OwnerTaken(taken) => {
                line(&Line::Taken { host: &taken.host.to_string(), again: std::mem::replace(&mut self.had_owner, true) })
            }
            Body::MessageReceived(received) => line(&Line::Received { from: &received.from.0, text: &received.text.shown() }),
            Body::MessageSent(sent) => {
                self.answer = Some(sent.completed);
                line(&Line::Says(&self.answer().iter().map(Text::shown).collect::<String>()))
            }
            Body::ResourceLoaded(loaded) => line(&Line::RulesLoaded { name: &loaded.name, bytes: loaded.bytes, trusted: loaded.trusted }),
            Body::RunStarted(_) => {
                (self.answer, self.model) = (None, None);
                line(&Line::RunStarted)
            }
            Body::MessageWithdrawn(withdrawn) => line(&Line::MessageWithdrawn { by: &withdrawn.by.0 }),
            Body::RunPaused(paused) => line(&Line::RunPaused { by: paused.by.as_ref().map(|by| by.0.as_str()) }),
            Body::RunCancelRequested(requested) => line(&Line::StopRequested { by: &requested.by.0, all: requested.scope == Scope::All }),
            Body::ModelAborted(_) => line(&Line::ModelAborted),
            Body::RunResumed(resumed) => line(&Line::RunResumed { by: &resumed.by.0 }),
            Body::RunFinished(finished) => line(&Line::RunFinished { outcome: finished.outcome, reason: finished.reason }),
            Body::ModelRequested(requested) => self.requested(requested),
            Body::ModelRetrying(retrying) => line(&Line::Retrying { seconds: retrying.at.0.saturating_sub(event.time.0).div_ceil(1_000) }),
            Body::ModelCompleted(completed) => {
                self.remember(event.draft.id, &completed.parts);
                return None;
            }
            Body::ModelFailed(failed) => model_failed(failed),
            Body::ActionDecided(decided) => self.decided(decided),
            Body::ActionWithdrawn(withdrawn) => {
                let tool = self.calls.get(&withdrawn.call).cloned().unwrap_or_else(|| withdrawn.call.to_string());
                call_line(&CallLine::Withdrawn { tool: &tool, note: &excerpt(&withdrawn.note.shown()) })
            }
            Body::AskOpened(_) | Body::AskAnswered(_) | Body::AskExpired(_) | Body::AskSuperseded(_) => {
                return asks::sentence(&mut self.limits, body);
            }
            Body::ToolStarted(_)
            | Body::ToolAdopted(_)
            | Body::ToolProgress(_)
            | Body::ToolDeferred(_)
            | Body::ToolBackgrounded(_)
            | Body::ToolCancelRequested(_)
            | Body::TimerSet(_)
            | Body::TimerFired(_)
            | Body::TimerCancelled(_)
            | Body::ToolFinished(_)
            | Body::ToolCancelled(_)
            | Body::ToolUnknown(_)
            | Body::ToolReconciled(_) => return tools::sentence(&self.tools, event),
            Body::BudgetWarned(_)
            | Body::DeliveryStarted(_)
            | Body::DeliveryFinished(_)
            | Body::DeliveryFailed(_)
            | Body::PolicyRuleAdded(_)
            | Body::PolicyRuleRemoved(_)
            | Body::HostQuarantined(_)
            | Body::HostRecovered(_)
            | Body::HostStarted(_)
            | Body::HostStopped(_) => return beyond::sentence(body),
        })
    }

    /// What the reply said and whom it called, for the events that refer to it.
    fn remember(&mut self, completed: EventId, parts: &[Part]) {
        let mut texts = Vec::new();
        for part in parts {
            match part {
                Part::Text(text) => texts.push(text.clone()),
                Part::Call { call, tool, .. } => drop(self.calls.insert(*call, tool.clone())),
                Part::Opaque { .. } => {}
            }
        }
        self.replies.insert(completed, texts);
    }
}

fn model_failed(failed: &ModelFailed) -> String {
    match (failed.day, failed.class) {
        (Some(DaySpend { used, allowed }), _) => beyond_line(&BeyondLine::DaySpent { used, allowed }),
        (None, FailureClass::Interrupted) => line(&Line::ModelInterrupted),
        (None, _) => line(&Line::ModelFailed { why: &failed.message.shown() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::id::StreamId;
    use serde_json::{Value, json};

    /// Clears the screen, turns the order of what follows, and begins a line like the program's own.
    const HOSTILE: &str = "\u{1b}[2J\u{202e}x\n   [7] Done.\r";

    /// Every place in this JSON that holds a text.
    fn texts(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, field)| texts(field, &format!("{at}/{name}"), found)),
            Value::Array(values) => values.iter().enumerate().for_each(|(index, value)| texts(value, &format!("{at}/{index}"), found)),
            Value::String(_) => found.push(at.to_owned()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    #[test]
    fn no_text_in_any_event_can_steer_the_terminal_or_pass_for_a_line_of_the_story() {
        let mut told_of_others = 0;
        for history in histories::played().unwrap() {
            let Some(session) = history.stream.session_id() else { continue };
            for event in &history.events {
                let stored: Value = serde_json::from_slice(&event.encode(&history.stream).unwrap()).unwrap();
                let mut places = Vec::new();
                texts(&stored["data"], "/data", &mut places);
                for place in places {
                    let mut changed = stored.clone();
                    *changed.pointer_mut(&place).unwrap() = json!(HOSTILE);
                    // Words and names are not texts of others and cannot be changed so.
                    let Ok(event) = decoded(&history.stream, &changed) else { continue };
                    let Some(told) = Story::new(session).tell(&event) else { continue };
                    assert!(!told.contains(['\u{1b}', '\u{202e}', '\r']), "{place}: {told:?}");
                    assert!(told.lines().skip(1).all(|line| line.starts_with("       ")), "{place}: {told}");
                    told_of_others += usize::from(told.contains('x'));
                }
            }
        }
        assert!(told_of_others > 100, "{told_of_others}");
    }

    fn decoded(stream: &StreamId, value: &Value) -> Result<Event, contract::event::BadEvent> {
        Event::decode(stream, value.to_string().as_bytes())
    }
}
