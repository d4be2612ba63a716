//! Saying something to a session that another process may be driving.

use crate::running::disagreement;
use crate::{OpenError, StartError, Throughline, random};
use contract::ask::Answer;
use contract::body::{Body, Mode, Principal};
use contract::id::{HostId, Key, SessionId, StreamId};
use contract::input::{Input, Rejection};
use contract::limits::MESSAGE_BYTES_MAX;
use contract::machine::Illegal;
use contract::port::{AppendError, LeaseError, LogError};
use contract::text::{Room, Text};
use contract::units::{Position, Version};
use runtime::offer::{OfferError, offer};
use runtime::text;

/// Where what was said is, and who will act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub session: SessionId,
    pub version: Version,
    /// Its place in the whole log: lists that are asked for with it know of it.
    pub position: Position,
    /// The living process that acts on it; without one, somebody must resume the session.
    pub holder: Option<HostId>,
    /// What was said answered what was asked.
    pub answered: Option<Answered>,
}

/// How something was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    Yes,
    No,
    /// A question, with words of its own.
    Replied,
}

impl Answered {
    pub(crate) fn by(answer: &Answer) -> Answered {
        match answer {
            Answer::Reply(_) => Answered::Replied,
            Answer::Approve { .. } | Answer::Edit { .. } | Answer::Extend { .. } => Answered::Yes,
            Answer::Deny { .. } => Answered::No,
        }
    }
}

/// Why what was said led to nothing. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum SayError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("there is no session {0}")]
    NoSession(SessionId),
    #[error("the message has {bytes} bytes, {max} are allowed")]
    TooLong { bytes: usize, max: usize },
    #[error("something else was said to {0} under that key")]
    OtherWords(SessionId),
    #[error(transparent)]
    Rejected(Rejection),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Illegal(#[from] Illegal),
    #[error("it cannot be stored: {0}")]
    Store(String),
    #[error("who drives the session cannot be told: {0}")]
    Lease(#[from] LeaseError),
}

impl From<SayError> for StartError {
    fn from(error: SayError) -> StartError {
        match error {
            SayError::Open(error) => StartError::Open(error),
            SayError::NoSession(session) => StartError::NoSession(session),
            SayError::TooLong { bytes, max } => StartError::TooLong { bytes, max },
            SayError::OtherWords(session) => StartError::OtherWords(session),
            SayError::Log(error) => StartError::Log(error),
            SayError::Append(error) => StartError::Append(error),
            SayError::Lease(error) => StartError::Lease(error),
            SayError::Rejected(rejection) => StartError::Rejected(rejection),
            SayError::Illegal(illegal) => StartError::Store(illegal.to_string()),
            SayError::Store(reason) => StartError::Store(reason),
        }
    }
}

impl Throughline {
    /// Durable when it returns. The same key again is the same message, and must have the same words.
    ///
    /// Whoever calls this counts as having seen everything that is in the log by then, so a bare "ok" also answers what
    /// was asked a moment before. Whoever shows the session to a person and knows how far they have seen it takes
    /// [`Throughline::message`] instead.
    pub async fn send(&self, session: SessionId, said: String, mode: Mode, key: Option<String>, from: Principal) -> Result<Sent, SayError> {
        let seen = self.tail(session).await?.map_or(Version::NONE, |tail| tail.version);
        let message = self.message(said.clone(), mode, key, from, seen).await?;
        let sent = self.say(session, message).await?;
        self.check_words(session, sent.version, &said).await?;
        let stored = self.events(session, sent.version, 1).await?;
        Ok(Sent { answered: stored.first().and_then(|one| answer_of(&one.event.draft.body)), ..sent })
    }

    /// A message as an input, its text stored; `seen` is how far the person had seen the session.
    pub async fn message(&self, said: String, mode: Mode, key: Option<String>, from: Principal, seen: Version) -> Result<Input, SayError> {
        if said.len() > MESSAGE_BYTES_MAX {
            return Err(SayError::TooLong { bytes: said.len(), max: MESSAGE_BYTES_MAX });
        }
        let key = match key {
            Some(key) => message_key(&key),
            None => fresh_key("message")?,
        };
        let text = text::store(self.ports.blobs.as_ref(), self.redactor.redact(said), Room::SHOWN).await.map_err(SayError::Store)?;
        Ok(Input::Message { key, text, mode, from, seen, tails: Vec::new() })
    }

    /// A reason that a person gives with an answer, stored.
    pub async fn reason(&self, why: String) -> Result<Text, SayError> {
        // It stands inside a sentence for the model, so less of it fits than of a message.
        text::store(self.ports.blobs.as_ref(), self.redactor.redact(why), Room::SMALL).await.map_err(SayError::Store)
    }

    /// Takes back a message that no model has been shown, by its key.
    pub async fn withdraw(&self, session: SessionId, message: Key, by: Principal) -> Result<Sent, SayError> {
        let key = Key(format!("withdraw/{message}"));
        self.say(session, Input::Withdraw { key, message, by }).await
    }

    /// Whether something was said to the session under this name already.
    pub async fn was_said(&self, session: SessionId, name: &str) -> Result<bool, LogError> {
        let stream = StreamId::session(session);
        let state = self.fold(&stream).await?.map_err(|illegal| disagreement(&stream, illegal))?;
        Ok(state.seen.contains_key(&message_key(name)))
    }

    /// Whether what is stored there has these words: under a key that was used before it may have others.
    pub(crate) async fn check_words(&self, session: SessionId, version: Version, said: &str) -> Result<(), SayError> {
        let stored = self.events(session, version, 1).await?.pop();
        let Some(text) = stored.as_ref().and_then(|stored| words_of(&stored.event.draft.body)) else { return Ok(()) };
        if self.whole(text).await? == said { Ok(()) } else { Err(SayError::OtherWords(session)) }
    }

    /// The place of an event in the whole log.
    pub(crate) async fn position_of(&self, session: SessionId, version: Version) -> Position {
        // It was stored a moment ago; where it cannot be read now, lists need not wait for it.
        let stored = self.events(session, version, 1).await.unwrap_or_default();
        stored.first().map(|one| one.position).unwrap_or_default()
    }

    /// Offers an input to a session, whoever drives it.
    pub(crate) async fn say(&self, session: SessionId, input: Input) -> Result<Sent, SayError> {
        let version = match offer(&self.ports, &StreamId::session(session), input).await {
            Ok(version) => version,
            Err(OfferError::Rejected(Rejection::NoSession)) => return Err(SayError::NoSession(session)),
            Err(error) => return Err(error.into()),
        };
        Ok(Sent {
            session,
            version,
            position: self.position_of(session, version).await,
            holder: self.actor(session).await?,
            answered: None,
        })
    }
}

impl From<OfferError> for SayError {
    fn from(error: OfferError) -> SayError {
        match error {
            OfferError::Rejected(rejection) => SayError::Rejected(rejection),
            OfferError::Log(error) => error.into(),
            OfferError::Append(error) => error.into(),
            OfferError::Illegal(illegal) => illegal.into(),
        }
    }
}

/// The text that was said; a bare yes or no is stored as what it means.
fn words_of(body: &Body) -> Option<&Text> {
    if let Body::MessageReceived(received) = body {
        return Some(&received.text);
    }
    if let Body::AskAnswered(answered) = body
        && let Answer::Reply(text) = &answered.answer
    {
        return Some(text);
    }
    None
}

fn answer_of(body: &Body) -> Option<Answered> {
    if let Body::AskAnswered(answered) = body {
        return Some(Answered::by(&answered.answer));
    }
    None
}

/// The key of a message that a person named.
pub(crate) fn message_key(name: &str) -> Key {
    Key(format!("job/{name}"))
}

/// A key that nobody used before.
pub(crate) fn fresh_key(what: &str) -> Result<Key, OpenError> {
    Ok(Key(format!("{what}/{}", SessionId(random()?))))
}
