//! What is said right now as lines of JSON, for scripts: each comes after the event that began it.

use contract::body::Body;
use contract::event::Event;
use contract::port::Frame;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use throughline::Shown;

#[derive(Debug, Default)]
pub struct Deltas {
    /// Model calls and actions whose beginning was told.
    begun: BTreeSet<[u8; 16]>,
    /// What was heard before.
    early: Vec<Frame>,
}

impl Deltas {
    /// The line for what is shown, unless it must wait for its beginning.
    pub fn hear(&mut self, shown: Shown) -> Option<Value> {
        match shown {
            Shown::Gap => Some(json!({ "type": "stream.gap" })),
            Shown::Frame(frame) if self.begun.contains(&frame.source().0) => Some(line(&frame)),
            Shown::Frame(frame) => {
                self.early.push(frame);
                None
            }
        }
    }

    /// The lines that have waited for this event.
    pub fn told(&mut self, event: &Event) -> Vec<Value> {
        if let Body::ModelRequested(_) = &event.draft.body {
            self.begun.insert(event.draft.id.0);
        }
        if let Body::ToolStarted(started) = &event.draft.body {
            self.begun.insert(started.action.0);
        }
        let waiting = std::mem::take(&mut self.early);
        let (now, early): (Vec<Frame>, Vec<Frame>) = waiting.into_iter().partition(|frame| self.begun.contains(&frame.source().0));
        self.early = early;
        now.iter().map(line).collect()
    }
}

fn line(frame: &Frame) -> Value {
    let (attempt, offset, text) = (frame.source().1, frame.offset(), frame.text());
    match frame {
        Frame::ModelText { request, .. } => {
            json!({ "type": "stream.delta", "of": "text", "request": request, "attempt": attempt, "offset": offset, "text": text })
        }
        Frame::ModelThinking { request, .. } => {
            json!({ "type": "stream.delta", "of": "thinking", "request": request, "attempt": attempt, "offset": offset, "text": text })
        }
        Frame::ToolOutput { action, .. } => {
            json!({ "type": "stream.delta", "of": "output", "action": action, "attempt": attempt, "offset": offset, "text": text })
        }
    }
}
