//! What people are asked, across all sessions, and their answers.

use crate::running::disagreement;
use crate::send::{Answered, fresh_key};
use crate::{ListError, Running, SayError, Sent, Throughline};
use agent::State;
use agent::policy::{Judgement, Why, grantable, judge};
use agent::state::OpenAsk;
use contract::ask::{Answer, Ask, AskKind};
use contract::body::{Body, Principal, SupersedeReason};
use contract::call::Prepared;
use contract::id::{AskId, Key, SessionId, StreamId};
use contract::input::{Input, Rejection};
use contract::port::{LeaseError, LogError, RawCall, Stored};
use contract::units::{Position, Time, Version};
use runtime::prepare::{Desk, prepare_call};
use runtime::read::Whose;
use runtime::text;
use serde::Serialize;

/// An open ask with everything a person needs to answer it, never shortened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskView {
    pub session: SessionId,
    pub ask: Ask,
    pub version: Version,
    /// The whole arguments of the call it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// What the call would touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepared: Option<Prepared>,
    /// The call could carry what is private to where a stranger wants it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
    /// The call could carry out what is private.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub leaking: bool,
    /// What an approval for the session would allow from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// What became of an ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    Open(Box<AskView>),
    Ended { session: SessionId, version: Version, fate: AskFate },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskFate {
    Answered { by: String, key: Key, yes: bool },
    Expired,
    Superseded(SupersedeReason),
}

/// What all sessions ask.
#[derive(Debug, Default)]
pub struct OpenAsks {
    pub views: Vec<AskView>,
    /// Why a session could not be asked what it asks; others are unaffected.
    pub damaged: Vec<LogError>,
}

impl Throughline {
    /// Open asks of all sessions: those of the session that asked first, and of each the oldest first.
    pub async fn asks(&self, after: Option<Position>) -> Result<OpenAsks, ListError> {
        let mut asks = OpenAsks::default();
        let sessions = match self.asking_sessions(after).await {
            // The lists only spare the work of looking at every session.
            Err(ListError::Views(_)) => self.all_sessions().await?,
            other => other?,
        };
        for session in sessions {
            match self.asks_of_stored(session).await {
                Ok(views) => asks.views.extend(views),
                Err(unavailable @ LogError::Unavailable(_)) => return Err(unavailable.into()),
                Err(damaged @ (LogError::Corrupt { .. } | LogError::Unreadable { .. })) => asks.damaged.push(damaged),
            }
        }
        Ok(asks)
    }

    async fn asks_of_stored(&self, session: SessionId) -> Result<Vec<AskView>, LogError> {
        let stream = StreamId::session(session);
        let state = self.fold(&stream).await?.map_err(|illegal| disagreement(&stream, illegal))?;
        self.asks_of(session, &state).await
    }

    /// What a followed session asks.
    pub async fn asks_of_running(&self, running: &Running) -> Result<Vec<AskView>, LogError> {
        self.asks_of(running.session(), running.state()).await
    }

    /// What this state asks.
    pub(crate) async fn asks_of(&self, session: SessionId, state: &State) -> Result<Vec<AskView>, LogError> {
        let mut open: Vec<&OpenAsk> = state.asks.values().filter(|open| state.overtaking(open).is_none()).collect();
        open.sort_by_key(|open| open.version);
        let mut views = Vec::new();
        for open in open {
            views.push(self.ask_view(session, state, open).await?);
        }
        Ok(views)
    }

    async fn ask_view(&self, session: SessionId, state: &State, open: &OpenAsk) -> Result<AskView, LogError> {
        let call = open.ask.subject.call().and_then(|call| state.calls.get(&call));
        let (mut args, mut preview) = (None, None);
        // A text that is gone is damage to this one session, unlike a log that cannot be read at all.
        let gone = |reason: String| LogError::Corrupt { stream: StreamId::session(session), version: open.version, reason };
        if let Some(call) = call {
            args = Some(text::whole(self.ports.blobs.as_ref(), &call.args).await.map_err(gone)?);
            if let Some(shown) = &call.prepared.preview {
                preview = Some(text::whole(self.ports.blobs.as_ref(), shown).await.map_err(gone)?);
            }
        }
        Ok(AskView {
            session,
            ask: open.ask.clone(),
            version: open.version,
            args,
            preview,
            prepared: call.map(|call| (*call.prepared).clone()),
            tainted: call.is_some_and(|call| judge(state, call) == Judgement::Ask(Why::Taint)),
            leaking: call.is_some_and(|call| judge(state, call) == Judgement::Ask(Why::Leak)),
            rule: call.and_then(|call| grantable(state, call)).map(|rule| rule.to_string()),
        })
    }

    /// Finds an ask in whichever session it is. One that is found nowhere may be in a session that is damaged, and then
    /// nobody can say that there is none.
    pub async fn find_ask(&self, ask: AskId) -> Result<Option<Found>, LogError> {
        let sessions = match self.session_of_ask(ask).await {
            Ok(Some(session)) => vec![session],
            Err(ListError::Log(error)) => return Err(error),
            // What a damaged session asks may be missing from the lists.
            Ok(None) | Err(ListError::Views(_) | ListError::NotYet(_) | ListError::Lease(_)) => self.all_sessions().await?,
        };
        let mut damage = None;
        for session in sessions {
            let stream = StreamId::session(session);
            let mut ended = None;
            let look = |_: &State, stored: &Stored, whose: Whose| {
                // What was asked in the session that this one was forked from ended there.
                ended = Some(stored).filter(|_| whose == Whose::Own).and_then(|stored| fate(stored, ask)).or(ended.take());
                Ok(())
            };
            let state = match self.fold_with(&stream, look).await {
                Ok(Ok(state)) => state,
                Ok(Err(illegal)) => {
                    damage.get_or_insert(disagreement(&stream, illegal));
                    continue;
                }
                Err(damaged @ (LogError::Corrupt { .. } | LogError::Unreadable { .. })) => {
                    damage.get_or_insert(damaged);
                    continue;
                }
                Err(unavailable @ LogError::Unavailable(_)) => return Err(unavailable),
            };
            if let Some(open) = state.asks.get(&ask) {
                return Ok(Some(Found::Open(Box::new(self.ask_view(session, &state, open).await?))));
            }
            if let Some((version, fate)) = ended {
                return Ok(Some(Found::Ended { session, version, fate }));
            }
        }
        damage.map_or(Ok(None), Err)
    }

    /// Answers an ask; the first answer in the log wins.
    pub async fn answer(&self, ask: &AskView, answer: Answer, key: Option<String>, by: Principal) -> Result<Sent, SayError> {
        let (key, answered) = (answer_key(ask.ask.ask, key)?, Some(Answered::by(&answer)));
        let sent = self.say(ask.session, Input::Answer { ask: ask.ask.ask, key, answer, by }).await?;
        Ok(Sent { answered, ..sent })
    }

    /// Approves the call of an ask with other arguments, which are checked like those of a model.
    pub async fn edit(&self, ask: &AskView, args: String, key: Option<String>, by: Principal) -> Result<Sent, SayError> {
        let input = self.edit_input(ask, args, key, by).await?;
        let sent = self.say(ask.session, input).await?;
        Ok(Sent { answered: Some(Answered::Yes), ..sent })
    }

    /// The edited call as an input, prepared.
    pub async fn edit_input(&self, ask: &AskView, args: String, key: Option<String>, by: Principal) -> Result<Input, SayError> {
        let kind = ask.ask.subject.kind();
        if kind != AskKind::Tool {
            return Err(SayError::Rejected(Rejection::NotAnAnswer { ask: ask.ask.ask, kind }));
        }
        let stream = StreamId::session(ask.session);
        let state = self.fold(&stream).await?.map_err(|illegal| disagreement(&stream, illegal))?;
        let held = ask.ask.subject.call().and_then(|call| state.calls.get(&call));
        let (Some(held), Some(desk)) = (held, Desk::of(&state, &stream)) else {
            return Err(SayError::Rejected(Rejection::NoSuchAsk(ask.ask.ask)));
        };
        let args = self.redactor.redact(args);
        let call = RawCall { provider_call: held.provider_call.clone(), tool: held.tool.clone(), args };
        let call = prepare_call(&self.ports, &desk, call).await.map_err(SayError::Store)?;
        Ok(Input::Edit { ask: ask.ask.ask, key: answer_key(ask.ask.ask, key)?, call: Box::new(call), by })
    }

    /// Where this very answer is in the log already, if the ask ended with it.
    pub async fn repeated(&self, ask: AskId, found: &Found, key: &str, yes: bool) -> Result<Option<Sent>, LeaseError> {
        match found {
            Found::Ended { session, version, fate: AskFate::Answered { key: answered, yes: said, .. } }
                if *answered == named_key(ask, key) && *said == yes =>
            {
                let position = self.position_of(*session, *version).await;
                let holder = self.actor(*session).await?;
                let answered = Some(if yes { Answered::Yes } else { Answered::No });
                Ok(Some(Sent { session: *session, version: *version, position, holder, answered }))
            }
            Found::Ended { .. } | Found::Open(_) => Ok(None),
        }
    }

    async fn all_sessions(&self) -> Result<Vec<SessionId>, LogError> {
        let tails = self.sessions(usize::MAX).await?;
        Ok(tails.iter().rev().filter_map(|tail| tail.stream.session_id()).collect())
    }
}

fn answer_key(ask: AskId, key: Option<String>) -> Result<Key, SayError> {
    match key {
        Some(key) => Ok(named_key(ask, &key)),
        None => Ok(fresh_key("answer")?),
    }
}

/// The key of an answer that a person named; with the ask in it, because the same name may answer another one.
fn named_key(ask: AskId, name: &str) -> Key {
    Key(format!("answer/{ask}/{name}"))
}

/// How this event ended the ask, if it did.
fn fate(stored: &Stored, ask: AskId) -> Option<(Version, AskFate)> {
    let body = &stored.event.draft.body;
    let fate = if let Body::AskAnswered(answered) = body {
        let yes = answered.answer.is_yes();
        (answered.ask == ask).then(|| AskFate::Answered { by: answered.by.0.clone(), key: answered.key.clone(), yes })
    } else if let Body::AskExpired(expired) = body {
        (expired.ask == ask).then_some(AskFate::Expired)
    } else if let Body::AskSuperseded(superseded) = body {
        (superseded.ask == ask).then_some(AskFate::Superseded(superseded.reason))
    } else {
        None
    };
    fate.map(|fate| (stored.event.version, fate))
}

impl AskView {
    /// Milliseconds until nobody can answer it any more.
    #[must_use]
    pub fn left_ms(&self, now: Time) -> Option<u64> {
        self.ask.until.map(|until| until.0.saturating_sub(now.0))
    }
}
