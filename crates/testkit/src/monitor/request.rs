//! What a model is asked, held against the log: whole, proven, longer each time, and nothing in it that was taken back.

use super::{Actions, Invariant, Violation, hold};
use contract::body::{Body, Mode, ToolDeferred};
use contract::event::Event;
use contract::id::{CallId, MessageId, Sha256};
use contract::request::{Item, ModelRequest};
use contract::text::Text;
use serde::Serialize;
use std::sync::Arc;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Requests {
    /// Bytes and hash of the last one.
    last: Option<(u64, Sha256)>,
    /// The model that was asked last; another one begins its requests anew.
    model: Option<String>,
    config: Option<Sha256>,
    /// Messages that the request just recorded must show.
    #[serde(skip)]
    shown: Vec<MessageId>,
}

impl Requests {
    pub fn configure(&mut self, config: Sha256) {
        if self.config.replace(config) != Some(config) {
            self.last = None;
        }
    }

    /// This model is to be asked, and must be shown these.
    pub fn ask(&mut self, model: &str, shown: Vec<MessageId>) {
        if self.model.as_deref() != Some(model) {
            self.model = Some(model.to_owned());
            self.last = None;
        }
        self.shown = shown;
    }

    /// The request that the log says was asked, in the order of the log.
    pub fn check(&mut self, request: &ModelRequest, proven: Sha256, log: &[Arc<Event>], actions: &Actions) -> Result<(), Violation> {
        check_messages(request, log, &std::mem::take(&mut self.shown))?;
        check_results(request, log, actions)?;
        hold(request.is_valid(), Invariant::TranscriptValid, || format!("{:?}", request.items))?;
        let bytes = request.canonical();
        hold(Sha256::of(&bytes) == proven, Invariant::RequestProven, || proven.to_string())?;
        if let Some((len, hash)) = self.last {
            let prefix = bytes.get(..len as usize).map(Sha256::of);
            hold(prefix == Some(hash), Invariant::RequestPrefix, || format!("{len} bytes"))?;
        }
        self.last = Some((bytes.len() as u64, proven));
        Ok(())
    }
}

/// Messages of a scenario differ in their texts, so a text tells which message is shown.
fn check_messages(request: &ModelRequest, log: &[Arc<Event>], shown: &[MessageId]) -> Result<(), Violation> {
    let times = |text: &Text| request.items.iter().filter(|item| matches!(item.as_ref(), Item::Message(other) if other == text)).count();
    let taken_back = |message: MessageId| {
        log.iter().any(|event| matches!(&event.draft.body, Body::MessageWithdrawn(withdrawn) if withdrawn.message == message))
    };
    for event in log {
        let Body::MessageReceived(received) = &event.draft.body else { continue };
        let times = times(&received.text);
        let what = || format!("{:?} is shown {times} times", received.text);
        hold(received.mode != Mode::Status || times == 0, Invariant::StatusNotShown, what)?;
        let most = usize::from(!taken_back(received.message));
        let least = usize::from(shown.contains(&received.message));
        hold((least..=most).contains(&times), Invariant::ShownOnce, what)?;
    }
    Ok(())
}

/// A call that was shown as still open keeps its note, and its end is told once beside it.
fn check_results(request: &ModelRequest, log: &[Arc<Event>], actions: &Actions) -> Result<(), Violation> {
    let deferred: Vec<(CallId, &ToolDeferred)> = log.iter().filter_map(|event| deferred(event)).collect();
    for item in &request.items {
        let call = match item.as_ref() {
            Item::Result(result) => {
                let note = deferred.iter().find(|(call, _)| *call == result.call).map(|(_, deferred)| &deferred.note);
                let is_note = note.is_none_or(|note| result.note.as_ref() == Some(note));
                hold(is_note, Invariant::NoteIsFinal, || format!("{:?} instead of {note:?}", result.note))?;
                continue;
            }
            Item::Late(result) => result.call,
            Item::Message(_) | Item::Assistant(_) | Item::Notice(_) => continue,
        };
        hold(deferred.iter().any(|(other, _)| *other == call), Invariant::LateOnce, || format!("{call} was never deferred"))?;
    }
    for (call, _) in deferred {
        let late = request.items.iter().filter(|item| matches!(item.as_ref(), Item::Late(result) if result.call == call)).count();
        let expected = usize::from(!actions.is_open(call));
        hold(late == expected, Invariant::LateOnce, || format!("the end of {call} is told {late} times instead of {expected}"))?;
    }
    Ok(())
}

fn deferred(event: &Event) -> Option<(CallId, &ToolDeferred)> {
    match (&event.draft.body, event.draft.call) {
        (Body::ToolDeferred(deferred), Some(call)) => Some((call, deferred)),
        _ => None,
    }
}
