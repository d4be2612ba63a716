//! The account of messages: which wait, which may start a run, which a person gave up.

use super::{Invariant, Violation, hold};
use contract::body::{MessageReceived, Mode};
use contract::id::MessageId;
use contract::units::Version;
use serde::Serialize;

/// Messages that no model has seen, in the order of the log.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Inbox(Vec<Waiting>);

#[derive(Clone, Debug, Serialize)]
struct Waiting {
    message: MessageId,
    version: Version,
    mode: Mode,
    /// It has started a run.
    triggered: bool,
    /// It was what the session was about to do when a person said no.
    denied: bool,
    /// A person stopped what it was said for: the next run shows it, and it starts none.
    stopped: bool,
}

impl Inbox {
    pub fn receive(&mut self, received: &MessageReceived, version: Version) {
        let MessageReceived { message, mode, .. } = *received;
        // How things stand is told from the log.
        if mode != Mode::Status {
            self.0.push(Waiting { message, version, mode, triggered: false, denied: false, stopped: false });
        }
    }

    pub fn withdraw(&mut self, message: MessageId) -> Result<(), Violation> {
        let place = self.0.iter().position(|waiting| waiting.message == message);
        hold(place.is_some(), Invariant::ShownOnce, || format!("{message} is taken back and does not wait"))?;
        self.0.retain(|waiting| waiting.message != message);
        Ok(())
    }

    /// A run starts to answer this message.
    pub fn start(&mut self, message: MessageId) -> Result<(), Violation> {
        let Some(waiting) = self.0.iter_mut().find(|waiting| waiting.message == message) else {
            return Err(Violation::new(Invariant::RunFromMessage, format!("{message} does not wait")));
        };
        hold(!waiting.denied, Invariant::NoStartAfterDenial, || format!("{message} is answered after all"))?;
        hold(!waiting.stopped, Invariant::NoStartAfterStop, || format!("{message} is answered after all"))?;
        waiting.triggered = true;
        Ok(())
    }

    /// The run that it started is over; a run that never showed its message has dealt with it all the same.
    pub fn finish(&mut self) {
        self.0.retain(|waiting| !waiting.triggered || waiting.stopped);
        self.0.iter_mut().for_each(|waiting| waiting.triggered = false);
    }

    /// A model of the open run is asked; returns what it must be shown.
    pub fn show(&mut self) -> Vec<MessageId> {
        let (shown, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.0).into_iter().partition(Waiting::is_for_run);
        self.0 = rest;
        shown.into_iter().map(|waiting| waiting.message).collect()
    }

    /// Whether the open run has something to show that its model has not seen.
    pub fn has_unseen(&self) -> bool {
        self.0.iter().any(Waiting::is_for_run)
    }

    /// The last message that the model is to decide anew with.
    pub fn overtaking(&self) -> Option<Version> {
        let overtakes = |waiting: &&Waiting| waiting.mode.enters_run() && waiting.may_start();
        self.0.iter().rfind(overtakes).map(|waiting| waiting.version)
    }

    /// The message that the next run answers.
    pub fn next(&self) -> Option<MessageId> {
        self.0.iter().find(|waiting| waiting.may_start()).map(|waiting| waiting.message)
    }

    /// A person said no to what would come next.
    pub fn deny_next(&mut self) {
        if let Some(next) = self.0.iter_mut().find(|waiting| waiting.may_start()) {
            next.denied = true;
        }
    }

    /// What was said is known to the next run, but starts none.
    pub fn leave(&mut self) {
        for waiting in &mut self.0 {
            (waiting.triggered, waiting.stopped) = (false, true);
        }
    }

    /// A person stopped the open run, or what would come next. What is queued behind a run is another matter.
    pub fn stop(&mut self, has_run: bool) {
        let next = self.next();
        for waiting in &mut self.0 {
            waiting.stopped |= waiting.mode.enters_run() || waiting.triggered || (!has_run && Some(waiting.message) == next);
        }
    }
}

impl Waiting {
    fn is_for_run(&self) -> bool {
        !self.denied && (self.triggered || self.stopped || self.mode.enters_run())
    }

    fn may_start(&self) -> bool {
        !self.denied && !self.stopped
    }
}
