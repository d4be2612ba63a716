//! The account of asks: each is answered in time, expired at its time, or overtaken, and only once.

use super::{Invariant, Violation, hold};
use contract::ask::{Ask, Subject};
use contract::id::{AskId, CallId};
use contract::units::{Time, Version};
use serde::Serialize;

/// In the order opened.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Asks(Vec<OpenAsk>);

#[derive(Clone, Debug, Serialize)]
struct OpenAsk {
    ask: AskId,
    until: Option<Time>,
    version: Version,
    call: Option<CallId>,
    parks: bool,
    /// The state of the session has it too while the ask is open.
    #[serde(skip)]
    subject: Subject,
}

impl Asks {
    pub fn open(&mut self, ask: &Ask, version: Version) -> Result<(), Violation> {
        let Ask { ask, subject, until } = ask.clone();
        hold(self.0.iter().all(|open| open.ask != ask), Invariant::AskEndsOnce, || format!("{ask} is open"))?;
        self.0.push(OpenAsk { ask, until, version, call: subject.call(), parks: subject.parks(), subject });
        Ok(())
    }

    /// An answer is stored while the last of the messages that wait has this version; returns what was asked and until
    /// when.
    pub fn answer(&mut self, ask: AskId, now: Time, message: Option<Version>) -> Result<(Subject, Option<Time>), Violation> {
        let open = self.close(ask)?;
        hold(!open.is_overtaken_by(message), Invariant::MessageOvertakes, || format!("{ask} is answered"))?;
        hold(open.until.is_none_or(|until| now < until), Invariant::AnsweredInTime, || format!("{ask} at {now:?}"))?;
        Ok((open.subject, open.until))
    }

    pub fn expire(&mut self, ask: AskId, now: Time) -> Result<(), Violation> {
        let open = self.close(ask)?;
        hold(open.until.is_some_and(|until| now >= until), Invariant::NeverEarly, || format!("{ask} expired at {now:?}"))
    }

    pub fn supersede(&mut self, ask: AskId) -> Result<Subject, Violation> {
        Ok(self.close(ask)?.subject)
    }

    /// A model is shown messages, the last of which has this version.
    pub fn check_overtaken(&self, message: Option<Version>) -> Result<(), Violation> {
        let stays = self.0.iter().find(|open| open.is_overtaken_by(message));
        hold(stays.is_none(), Invariant::MessageOvertakes, || format!("{stays:?} stays open"))
    }

    /// Whether the session begins nothing before one of them is answered.
    pub fn park(&self) -> bool {
        self.0.iter().any(|open| open.parks)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn close(&mut self, ask: AskId) -> Result<OpenAsk, Violation> {
        let place = self.0.iter().position(|open| open.ask == ask);
        let place = place.ok_or_else(|| Violation::new(Invariant::AskEndsOnce, format!("{ask} is not open")))?;
        Ok(self.0.remove(place))
    }
}

impl OpenAsk {
    /// Whether the model is to decide anew instead.
    fn is_overtaken_by(&self, message: Option<Version>) -> bool {
        let held = match self.subject {
            Subject::Tool { .. } | Subject::Question { .. } => true,
            Subject::Limit { .. } | Subject::Reconcile { .. } | Subject::Resume => false,
        };
        held && message.is_some_and(|message| message > self.version)
    }
}
