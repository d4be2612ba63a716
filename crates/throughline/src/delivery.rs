//! What became of each message: whether a model has been shown it, when, and whose answer took it in.

use agent::state::Message;
use contract::ask::Answer;
use contract::body::{Body, Mode};
use contract::id::{EventId, Key};
use contract::port::Stored;
use contract::units::Version;
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Delivery {
    pub key: Key,
    pub version: Version,
    pub mode: Mode,
    pub text: String,
    pub fate: Fate,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// No model has been shown it.
    Waiting,
    /// It is part of a request that is not answered yet.
    Delivered { at: Version },
    /// A model answered a request that shows it.
    Seen { at: Version, by: String },
    /// It was the answer to what was asked.
    Answered,
    /// It asked how things stand.
    Told,
    /// It was taken back.
    Withdrawn { at: Version },
    /// What it was about to start, or had started, was refused before any model was shown it; none will be.
    Dropped { at: Version },
}

/// Messages of a session as its events tell of them.
#[derive(Debug, Default)]
pub(crate) struct Deliveries {
    messages: Vec<Delivery>,
    /// The open request, and who is asked.
    open: Option<(EventId, String)>,
}

impl Deliveries {
    /// What the session that this one was forked from had not shown its model is shown to this one's.
    pub(crate) fn inherit(&mut self, inbox: &[Message], version: Version) {
        for message in inbox {
            self.push(&message.key, version, message.mode, message.text.shown(), Fate::Waiting);
        }
    }

    /// `waiting` are the keys that no model has been shown after this event.
    pub(crate) fn look(&mut self, stored: &Stored, waiting: &[&Key]) {
        let (version, body) = (stored.event.version, &stored.event.draft.body);
        if let Body::MessageReceived(received) = body {
            let fate = if received.mode == Mode::Status { Fate::Told } else { Fate::Waiting };
            self.push(&received.key, version, received.mode, received.text.shown(), fate);
        } else if let Body::AskAnswered(answered) = body {
            if let Answer::Reply(text) = &answered.answer {
                self.push(&answered.key, version, Mode::Steer, text.shown(), Fate::Answered);
            }
            self.leave(waiting, &Fate::Dropped { at: version });
        } else if let Body::RunFinished(_) = body {
            self.leave(waiting, &Fate::Dropped { at: version });
        } else if let Body::MessageWithdrawn(_) = body {
            self.leave(waiting, &Fate::Withdrawn { at: version });
        } else if let Body::ModelRequested(requested) = body {
            self.open = Some((stored.event.draft.id, requested.model.clone()));
            self.leave(waiting, &Fate::Delivered { at: version });
        } else if let Body::ModelCompleted(completed) = body {
            let by = self.open.take().filter(|(request, _)| *request == completed.request).map(|(_, model)| model);
            for message in &mut self.messages {
                if let (Fate::Delivered { at }, Some(by)) = (&message.fate, &by) {
                    message.fate = Fate::Seen { at: *at, by: by.clone() };
                }
            }
        }
    }

    pub(crate) fn finish(self) -> Vec<Delivery> {
        self.messages
    }

    fn push(&mut self, key: &Key, version: Version, mode: Mode, text: String, fate: Fate) {
        self.messages.push(Delivery { key: key.clone(), version, mode, text, fate });
    }

    /// What waited and waits no longer had this fate.
    fn leave(&mut self, waiting: &[&Key], fate: &Fate) {
        let left = self.messages.iter_mut().filter(|message| message.fate == Fate::Waiting && !waiting.contains(&&message.key));
        left.for_each(|message| message.fate = fate.clone());
    }
}
