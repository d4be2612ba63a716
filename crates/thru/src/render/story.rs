//! The story of a session: one plain line for each event that a person would want to hear of.

use crate::catalog::{Line, line};
use contract::body::{Body, FailureClass};
use contract::event::Event;
use contract::id::{ActionId, CallId, EventId, SessionId};
use contract::request::Part;
use contract::text::Text;
use std::collections::BTreeMap;

/// Characters of a text that fit into a line of the story.
const EXCERPT_CHARS_MAX: usize = 100;

/// What earlier events said that later ones only refer to.
#[derive(Debug)]
pub struct Story {
    session: SessionId,
    tools: BTreeMap<ActionId, String>,
    calls: BTreeMap<CallId, String>,
    replies: BTreeMap<EventId, Vec<Text>>,
    had_owner: bool,
    /// The model that was asked last in this run.
    model: Option<String>,
    answer: Option<EventId>,
}

impl Story {
    pub fn new(session: SessionId) -> Story {
        let (tools, calls, replies) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Story { session, tools, calls, replies, had_owner: false, model: None, answer: None }
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

    fn sentence(&mut self, event: &Event) -> Option<String> {
        let body = &event.draft.body;
        Some(match body {
            Body::SessionCreated(created) => {
                let session = self.session.to_string();
                let model = created.options.model.clone().unwrap_or_default();
                let first = line(&Line::SessionCreated { session: &session, folder: &created.folder, model: &model });
                format!("{first}\n{}", line(&Line::NoSandbox))
            }
            Body::OwnerTaken(_) => line(&Line::Taken { again: std::mem::replace(&mut self.had_owner, true) }),
            Body::MessageReceived(received) => line(&Line::Received { from: &received.from.0, text: &received.text.shown() }),
            Body::MessageSent(sent) => {
                self.answer = Some(sent.completed);
                line(&Line::Says(&self.answer().iter().map(Text::shown).collect::<String>()))
            }
            Body::RunStarted(_) => {
                (self.answer, self.model) = (None, None);
                line(&Line::RunStarted)
            }
            Body::RunPaused(_) => line(&Line::RunPaused),
            Body::RunResumed(resumed) => line(&Line::RunResumed { by: &resumed.by.0 }),
            Body::RunFinished(finished) => line(&Line::RunFinished { outcome: finished.outcome, reason: finished.reason }),
            Body::ModelRequested(requested) => {
                let before = self.model.replace(requested.model.clone());
                if before.is_some_and(|model| model != requested.model) {
                    line(&Line::AskedInstead { model: &requested.model })
                } else {
                    line(&Line::Asked { attempt: requested.attempt })
                }
            }
            Body::ModelRetrying(retrying) => line(&Line::Retrying { seconds: retrying.at.0.saturating_sub(event.time.0).div_ceil(1_000) }),
            Body::ModelCompleted(completed) => {
                for part in &completed.parts {
                    if let Part::Call { call, tool, .. } = part {
                        self.calls.insert(*call, tool.clone());
                    }
                }
                let texts = completed.parts.iter().filter_map(|part| match part {
                    Part::Text(text) => Some(text.clone()),
                    Part::Call { .. } | Part::Opaque { .. } => None,
                });
                self.replies.insert(event.draft.id, texts.collect());
                return None;
            }
            Body::ModelFailed(failed) if failed.class == FailureClass::Interrupted => line(&Line::ModelInterrupted),
            Body::ModelFailed(failed) => line(&Line::ModelFailed { why: &failed.message.shown() }),
            Body::ActionDecided(decided) => {
                self.tools.insert(decided.action, decided.tool.clone());
                line(&Line::Decided { tool: &decided.tool, args: &excerpt(&decided.args.shown()) })
            }
            Body::ActionWithdrawn(withdrawn) => {
                let tool = self.calls.get(&withdrawn.call).cloned().unwrap_or_else(|| withdrawn.call.to_string());
                line(&Line::Withdrawn { tool: &tool, note: &excerpt(&withdrawn.note.shown()) })
            }
            Body::AskOpened(opened) => line(&Line::AskOpened { kind: opened.ask.kind }),
            Body::AskAnswered(answered) => line(&Line::AskAnswered { by: &answered.by.0 }),
            Body::ToolStarted(_)
            | Body::ToolAdopted(_)
            | Body::ToolFinished(_)
            | Body::ToolCancelled(_)
            | Body::ToolUnknown(_)
            | Body::ToolReconciled(_) => return self.tool_sentence(body),
            Body::HostQuarantined(quarantined) => {
                line(&Line::Quarantined { stream: quarantined.stream.as_str(), reason: &quarantined.reason })
            }
            Body::HostRecovered(recovered) => line(&Line::Released { stream: recovered.stream.as_str() }),
        })
    }

    fn tool_sentence(&self, body: &Body) -> Option<String> {
        let name = |action: &ActionId| self.tools.get(action).cloned().unwrap_or_else(|| action.to_string());
        Some(match body {
            Body::ToolStarted(started) => line(&Line::Started { tool: &name(&started.action), attempt: started.attempt }),
            Body::ToolAdopted(adopted) => line(&Line::Adopted { tool: &name(&adopted.action) }),
            Body::ToolFinished(finished) => line(&Line::Finished {
                tool: &name(&finished.action),
                ok: finished.ok,
                exit: finished.exit,
                signal: finished.signal,
                bytes: finished.output.len(),
                shown: &excerpt(&finished.output.shown()),
            }),
            Body::ToolCancelled(cancelled) => line(&Line::Cancelled { tool: &name(&cancelled.action), reason: cancelled.reason }),
            Body::ToolUnknown(unknown) => {
                line(&Line::Unknown { tool: &name(&unknown.action), reason: unknown.reason, shown: &excerpt(&unknown.output.shown()) })
            }
            Body::ToolReconciled(reconciled) => line(&Line::Reconciled { tool: &name(&reconciled.action) }),
            Body::SessionCreated(_)
            | Body::OwnerTaken(_)
            | Body::MessageReceived(_)
            | Body::MessageSent(_)
            | Body::RunStarted(_)
            | Body::RunPaused(_)
            | Body::RunResumed(_)
            | Body::RunFinished(_)
            | Body::ModelRequested(_)
            | Body::ModelCompleted(_)
            | Body::ModelFailed(_)
            | Body::ModelRetrying(_)
            | Body::ActionDecided(_)
            | Body::ActionWithdrawn(_)
            | Body::AskOpened(_)
            | Body::AskAnswered(_)
            | Body::HostQuarantined(_)
            | Body::HostRecovered(_) => return None,
        })
    }
}

/// Text of a model, a tool or a stranger must not move the cursor or recolour what comes after it.
fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// The beginning of a text on one line, with control characters made harmless.
pub fn excerpt(text: &str) -> String {
    let flat: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(EXCERPT_CHARS_MAX + 1).collect();
    if flat.chars().count() > EXCERPT_CHARS_MAX { flat.chars().take(EXCERPT_CHARS_MAX).chain("…".chars()).collect() } else { flat }
}
